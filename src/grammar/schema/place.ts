// What the parts of a conversion share: where they stand, what they give, and what they may ask of the whole.

import type { Rules } from '../ebnf.js';
import type { GuardShape } from './guard.js';
import { below } from './model.js';

/** Where a schema stands while it is converted. */
export interface Place {
  /** JSON pointer into the schema, for messages. */
  readonly at: string;
  readonly depth: number;
  /** Whether string lengths may be left to the guard. */
  readonly usesGuard: boolean;
  /** Schemas entered since the last JSON token: meeting one again would be a circle. */
  readonly entered: ReadonlySet<string>;
}

/** Grammar text for the values of a schema, and what the guard must know of them. */
export interface Converted {
  text: string;
  shape: GuardShape;
  /** Kinds of value, beside scalars without length, that it can be. */
  kinds: readonly Kind[];
  /** Whether lengths in it were left to the guard. */
  isGuarded: boolean;
}

export type Kind = 'string' | 'array' | 'object';

/** The place of a part of a value, behind at least one JSON token. */
export function inside(place: Place, ...steps: readonly (string | number)[]): Place {
  return { ...place, at: below(place.at, ...steps), depth: place.depth + 1, entered: new Set() };
}

/** The conversion under way, as arrays and objects see it. */
export interface Conversion {
  readonly rules: Rules;
  /** White space between tokens; empty when there is none. */
  readonly ws: string;
  /** Tokens with white space between them. */
  spaced(...parts: readonly string[]): string;
  /** Grammar text of a schema; undefined when no value can match. */
  convert(schema: unknown, place: Place): Converted | undefined;
  /** A test of values against a schema. */
  validator(schema: unknown, at: string): (value: unknown) => boolean;
  /** A fault in the schema that strict requests refuse and others ignore. */
  unsupported(at: string, why?: string): void;
}
