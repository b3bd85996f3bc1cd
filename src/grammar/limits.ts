// How large a constraint may be before it is refused, and the one way it is refused. The numbers are far above
// what people write and below what makes a compiler explode; time and memory limits stand behind them.

import { KoineError } from '../protocol/index.js';

export const LIMITS = {
  /** Characters of a schema's JSON text, of a grammar, or of a choice list. */
  textLength: 262_144,
  /** Levels of a schema. */
  schemaDepth: 64,
  regexLength: 8192,
  /** Characters a bounded repetition may unfold to, nested ones multiplied. */
  repetition: 20_000,
  choices: 10_000,
  /** Rules one schema may become. */
  rules: 20_000,
  /** Alternatives that arise where alternatives are combined (allOf of anyOf). */
  alternatives: 256,
} as const;

/** A constraint that cannot be used; `where` names the place (a JSON pointer, a position). */
export function refused(where: string, why: string): KoineError {
  // Beside a rule for the answer, tools may be at fault.
  const field = where.startsWith('tools') ? 'tools' : 'constraint';
  return new KoineError('constraint', `${where}: ${why}`, { field });
}
