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
  const rules = new Rules();
  const { reasoning } = lead;
  const parts: string[] = [];
  if (reasoning !== undefined) {
    const { begin, tag, behind } = reasoning;
    const free = `${textUpTo(rules, tag)} ${behind === '' ? BREAKS : literal(behind)}`;
    parts.push(begin === '' ? free : `(${literal(begin)} ${free})?`);
  }
  parts.push(literal(isCall ? lead.calls : lead.answer));
  const renamed = prefixed(grammar, 'o_');
  // In place: a rule that may match the empty text must not be referred to.
  const root = /^o_root ::= (.*)$/m.exec(renamed)?.[1] ?? 'o_root';
  return `${prefixed(rules.text(`${parts.join(' ')} OUTPUT`), 'lead_')
    .replace('lead_root', 'root')
    .replace('lead_OUTPUT', () => `(${root})`)}${renamed}`;
}

/** Where the lead in front of an answer ends; undefined when there is none. */
export function leadEnd({ reasoning, answer }: ReplyLead): LeadEnd | undefined {
  if (answer !== '') return { begin: '', end: answer };
  return reasoning && { begin: reasoning.begin, end: reasoning.tag };
}
