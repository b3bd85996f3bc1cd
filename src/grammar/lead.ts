// What a model writes in front of its answer: reasoning, and the header of a channel. A constraint rules the answer
// alone, so this is let through before it.

import { literal, prefixed, Rules, textUpTo } from './ebnf.js';

/** What stands in front of constrained output; `chat` knows it. */
export interface ReplyLead {
  /**
   * Free text up to a tag. The model may leave it out where it opens it itself; `begin` is empty where the prompt has
   * opened it.
   */
  readonly reasoning?: { readonly begin: string; readonly tag: string; readonly behind: string };
  /** In front of an answer, and in front of calls. */
  readonly answer: string;
  readonly calls: string;
}

/** Where a lead ends, as far as whoever follows the output has to know. */
export interface LeadEnd {
  /** Output that does not begin like this has no lead; empty = there is one. */
  readonly begin: string;
  /** The last text of the lead. */
  readonly end: string;
}

/** Line breaks between reasoning and answer, where the format sets no text of its own there. */
const BREAKS = '[\\n]{0,2}';

/** A grammar with a lead in front; both start at `root`. */
export function withLead(grammar: string, lead: ReplyLead, isCall: boolean): string {
  return behindReasoning(lead, [{ header: isCall ? lead.calls : lead.answer, grammar, prefix: 'o_' }]);
}

/** Calls or an answer, whichever the model begins, with the lead in front if there is one. */
export function callsOrAnswer(calls: string, answer: string, lead: ReplyLead | undefined): string {
  const { calls: beforeCalls, answer: beforeAnswer } = lead ?? { calls: '', answer: '' };
  return behindReasoning(lead, [
    { header: beforeCalls, grammar: calls, prefix: 'o_' },
    { header: beforeAnswer, grammar: answer, prefix: 'a_' },
  ]);
}

interface Branch {
  readonly header: string;
  readonly grammar: string;
  /** Keeps its rules apart from those of the others. */
  readonly prefix: string;
}

function behindReasoning(lead: ReplyLead | undefined, branches: readonly Branch[]): string {
  const rules = new Rules();
  const renamed = branches.map(({ grammar, prefix }) => prefixed(grammar, prefix));
  const outputs = branches.map(({ header, prefix }, index) => {
    const root = new RegExp(`^${prefix}root ::= (.*)$`, 'm').exec(renamed[index] ?? '')?.[1];
    // In place: a rule that may match the empty text must not be referred to.
    return `${literal(header)} (${root ?? `${prefix}root`})`;
  });
  const reasoning = lead?.reasoning;
  const front = reasoning === undefined ? '' : reasoningText(reasoning, rules);
  const root = prefixed(rules.text(`${front} OUTPUT`), 'lead_')
    .replace('lead_root', 'root')
    .replace('lead_OUTPUT', () => `(${outputs.join(' | ')})`);
  return [root, ...renamed].join('\n');
}

function reasoningText({ begin, tag, behind }: NonNullable<ReplyLead['reasoning']>, rules: Rules): string {
  const free = `${textUpTo(rules, tag)} ${behind === '' ? BREAKS : literal(behind)}`;
  return begin === '' ? free : `(${literal(begin)} ${free})?`;
}

/** Where the lead in front of an answer ends; undefined when there is none. */
export function leadEnd({ reasoning, answer }: ReplyLead): LeadEnd | undefined {
  if (answer !== '') return { begin: '', end: answer };
  return reasoning && { begin: reasoning.begin, end: reasoning.tag };
}
