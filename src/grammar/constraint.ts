// Every kind of constraint as something XGrammar compiles. All checks that need no compiler happen here, so that
// a bad schema is an error with a place rather than an aborted instance.

import type { Constraint } from '../protocol/index.js';
import { literal, Rules } from './ebnf.js';
import { callsOrAnswer, type LeadEnd, leadEnd, type ReplyLead, withLead } from './lead.js';
import { LIMITS, refused } from './limits.js';
import { checkGrammar } from './raw/check.js';
import { parseGrammar } from './raw/parse.js';
import { Rewriter } from './raw/rewrite.js';
import { matched, regexText } from './regex/emit.js';
import { parseRegex } from './regex/parse.js';
import { Converter } from './schema/converter.js';
import type { LengthGuard } from './schema/guard.js';
import { type Holding, type ToolCallSyntax, type ToolConstraint, toolCallGrammar } from './tool-call.js';

/** What to compile. */
export interface GrammarSource {
  readonly text: string;
  /** String lengths to be kept beside the grammar. */
  readonly guards: readonly LengthGuard[];
  /** The grammar is the client's own: if XGrammar cannot read it, another sampler may. */
  readonly isForeign: boolean;
  /** Set where something stands in front of the output; lengths are counted, and markers refused, behind it. */
  readonly lead?: LeadEnd;
  /** Why a sound grammar of the client's must not be compiled here. */
  readonly unsupported?: string;
  /** Tools whose arguments are any although they have a schema, and why. */
  readonly loosened?: readonly string[];
}

function schemaSource(constraint: Constraint & { kind: 'json-schema' }, usesGuard: boolean): GrammarSource {
  let size: number;
  try {
    size = JSON.stringify(constraint.schema).length;
  } catch {
    throw refused('schema', 'it is nested too deeply');
  }
  if (size > LIMITS.textLength) throw refused('schema', `it is larger than ${LIMITS.textLength} characters`);
  const converter = new Converter(constraint.schema, constraint.strict, constraint.whitespace);
  const { text, shape, isGuarded } = converter.convertRoot(usesGuard);
  const guards = isGuarded ? [{ behind: '', shape }] : [];
  return { text: converter.rules.text(text), guards, isForeign: false };
}

function own(text: string): GrammarSource {
  return { text, guards: [], isForeign: false };
}

function choiceSource(choices: readonly string[]): GrammarSource {
  if (choices.length === 0) throw refused('choice', 'there is nothing to choose from');
  if (choices.length > LIMITS.choices) throw refused('choice', `there are more than ${LIMITS.choices}`);
  if (choices.includes('')) throw refused('choice', 'an empty text is not a choice');
  const rules = new Rules();
  return own(rules.text(choices.map(literal).join(' | ')));
}

function regexSource(pattern: string): GrammarSource {
  const tree = matched(parseRegex(pattern, 'regex'), false, 'regex');
  const text = regexText(tree, 'raw', 'regex');
  if (text === undefined) throw refused('regex', 'no text can match it');
  return own(new Rules().text(text));
}

function foreignSource(grammar: string): GrammarSource {
  checkGrammar(grammar);
  const rewriter = new Rewriter(parseGrammar(grammar));
  const text = rewriter.text();
  const { unsupported } = rewriter;
  const source: GrammarSource = { text, guards: [], isForeign: true };
  return unsupported === undefined ? source : { ...source, unsupported };
}

/**
 * Turns a constraint into grammar text. `syntax` is how the model writes calls, needed for `tool-call` only; `lead` is
 * what may stand in front. Calls the model may choose to make have nothing in front of them: their grammar begins with
 * the call, and `holding` says how much of it is held. Throws `constraint` with the place of the fault.
 */
export function toGrammar(
  constraint: Constraint,
  syntax?: ToolCallSyntax,
  lead?: ReplyLead,
  holding?: Holding,
): GrammarSource {
  if (constraint.kind === 'tool-call' && constraint.mode === 'auto' && constraint.answer !== undefined) {
    return eitherSource(constraint, constraint.answer, syntax, lead);
  }
  const source = grammarOf(constraint, syntax, holding);
  const isFree = constraint.kind === 'tool-call' && constraint.mode === 'auto';
  if (lead === undefined || isFree || source.unsupported !== undefined) return source;
  const isCall = constraint.kind === 'tool-call';
  const end = isCall ? undefined : leadEnd(lead);
  const text = withLead(source.text, lead, isCall);
  return { ...source, text, ...(end === undefined ? {} : { lead: end }) };
}

/** Calls, or an answer under a rule of its own. */
function eitherSource(
  constraint: ToolConstraint,
  answer: Constraint,
  syntax: ToolCallSyntax | undefined,
  lead: ReplyLead | undefined,
): GrammarSource {
  const calls = grammarOf({ ...constraint, mode: 'call' }, syntax);
  // Lengths go into the grammar: which of both is written shows only on the way, and a guard has to know.
  const other = answer.kind === 'json-schema' ? schemaSource(answer, false) : grammarOf(answer, syntax);
  if (other.isForeign) {
    throw refused(answer.kind, 'it is not supported beside tools the model may call');
  }
  return { ...calls, text: callsOrAnswer(calls.text, other.text, lead) };
}

function grammarOf(
  constraint: Constraint,
  syntax: ToolCallSyntax | undefined,
  holding?: Holding,
): GrammarSource {
  switch (constraint.kind) {
    case 'json-object': {
      const converter = new Converter({ type: 'object' }, false, 'any');
      return own(converter.rules.text(converter.anyObject()));
    }
    case 'json-schema':
      return schemaSource(constraint, true);
    case 'regex':
      return regexSource(constraint.pattern);
    case 'choice':
      return choiceSource(constraint.choices);
    case 'grammar':
      return foreignSource(constraint.grammar);
    case 'tool-call': {
      if (syntax === undefined) {
        throw refused('tools', 'calls cannot be enforced: how this model writes them is not known');
      }
      return { ...toolCallGrammar(constraint, syntax, holding), isForeign: false };
    }
  }
}
