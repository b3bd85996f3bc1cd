// Takes tokens out of a mask that would break a bound on a string's length. Runs in a worker.

import type { LengthGuard } from '../../grammar/index.js';
import { JsonTracker } from './json-tracker.js';
import { tokenBytes, type Vocabulary } from './vocabulary.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** What the filter needs to know of every token, computed once per worker. */
export interface TokenTable {
  /** Characters of each token (at least: those that begin in it). */
  readonly characters: Uint16Array;
  readonly mostCharacters: number;
  /** Tokens with a quote or a backslash: their effect must be followed byte by byte. */
  readonly special: Int32Array;
  /** 1 for tokens in `special`. */
  readonly isSpecial: Uint8Array;
}

export function createTokenTable(vocabulary: Vocabulary): TokenTable {
  const characters = new Uint16Array(vocabulary.size);
  const isSpecial = new Uint8Array(vocabulary.size);
  const special: number[] = [];
  let mostCharacters = 0;
  for (let token = 0; token < vocabulary.size; token += 1) {
    const bytes = tokenBytes(vocabulary, token);
    let count = 0;
    for (const byte of bytes) {
      if ((byte & 0xc0) !== 0x80) count += 1;
      if (byte === QUOTE || byte === BACKSLASH) isSpecial[token] = 1;
    }
    characters[token] = count;
    mostCharacters = Math.max(mostCharacters, count);
    if (isSpecial[token] === 1) special.push(token);
  }
  return { characters, mostCharacters, special: Int32Array.from(special), isSpecial };
}

/** Keeps the strings of one sequence within their bounds. */
export class LengthFilter {
  private readonly tracker: JsonTracker;

  constructor(
    guards: readonly LengthGuard[],
    private readonly vocabulary: Vocabulary,
    private readonly table: TokenTable,
  ) {
    this.tracker = new JsonTracker(guards);
  }

  /** Takes the next bytes of what the guards speak of. */
  accept(bytes: Uint8Array): void {
    this.tracker.take(bytes);
  }

  /**
   * Clears what breaks a bound. Leaves the mask alone if nothing would be left: then grammar and bound contradict
   * each other, and the grammar keeps its word about the rest.
   */
  filter(mask: Int32Array): void {
    const before = mask.slice();
    if (this.tracker.isEscaped) {
      for (let token = 0; token < this.vocabulary.size; token += 1) this.tryOut(mask, token);
    } else {
      this.clearLong(mask);
      for (const token of this.table.special) this.tryOut(mask, token);
    }
    if (mask.every((word) => word === 0)) mask.set(before);
  }

  /** Clears an allowed token if following it byte by byte breaks a bound. */
  private tryOut(mask: Int32Array, token: number): void {
    const word = token >> 5;
    const bit = 1 << (token & 31);
    if (((mask[word] ?? 0) & bit) === 0) return;
    if (!this.tracker.copy().take(tokenBytes(this.vocabulary, token))) mask[word] = (mask[word] ?? 0) & ~bit;
  }

  /** Plain tokens with more characters than the string has room for. */
  private clearLong(mask: Int32Array): void {
    const { room } = this.tracker;
    const { characters, isSpecial, mostCharacters } = this.table;
    if (room === undefined || room >= mostCharacters) return;
    for (let word = 0; word < mask.length; word += 1) {
      let bits = mask[word] ?? 0;
      while (bits !== 0) {
        const index = 31 - Math.clz32(bits & -bits);
        bits &= bits - 1;
        const token = word * 32 + index;
        if ((characters[token] ?? 0) > room && isSpecial[token] !== 1)
          mask[word] = (mask[word] ?? 0) & ~(1 << index);
      }
    }
  }
}
