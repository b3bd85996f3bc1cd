// DRY, "don't repeat yourself": a token that would prolong a run of tokens that stood before gets a penalty that
// grows with the length of the run. Runs do not reach across a breaker (a line end, a quotation mark ...).

import type { DryParams } from '../../protocol/index.js';
import type { Workspace } from './workspace.js';

const MOST_PENALTY = 1e30;

/** Where breakers end, read off the text so that one inside a longer token or split over two counts as well. */
class BreakerScan {
  readonly #breakers: readonly string[];
  readonly #keep: number;
  readonly #tokenBytes: (token: number) => Uint8Array;
  #tail = '';

  constructor(breakers: readonly string[], tokenBytes: (token: number) => Uint8Array) {
    // Bytes as Latin-1 characters: tokens may end inside a character.
    this.#breakers = breakers
      .filter((text) => text !== '')
      .map((text) => Buffer.from(text).toString('latin1'));
    this.#keep = Math.max(0, ...this.#breakers.map((text) => text.length - 1));
    this.#tokenBytes = tokenBytes;
  }

  /** Takes one more token; true when a breaker ends in it. */
  accept(token: number): boolean {
    if (token < 0) {
      // A place of an image or the like, not a token: no run reaches across it.
      this.#tail = '';
      return true;
    }
    if (this.#breakers.length === 0) return false;
    const bytes = this.#tokenBytes(token);
    const text =
      this.#tail + Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
    this.#tail = this.#keep === 0 ? '' : text.slice(-this.#keep);
    return this.#breakers.some((breaker) => text.includes(breaker));
  }
}

/** The DRY state of one sequence: its tokens, and which of them a breaker ends in. */
export class Dry {
  readonly #params: DryParams;
  readonly #breakers: BreakerScan;
  #tokens: Int32Array;
  #breaks: Uint8Array;
  #matches: Int32Array = new Int32Array(0);
  #length = 0;

  constructor(params: DryParams, prompt: Int32Array, tokenBytes: (token: number) => Uint8Array) {
    this.#params = params;
    this.#breakers = new BreakerScan(params.breakers, tokenBytes);
    this.#tokens = new Int32Array(prompt.length + 256);
    this.#breaks = new Uint8Array(prompt.length + 256);
    for (const token of prompt) this.accept(token);
  }

  accept(token: number): void {
    if (this.#length === this.#tokens.length) {
      const tokens = new Int32Array(this.#length * 2);
      const breaks = new Uint8Array(this.#length * 2);
      tokens.set(this.#tokens);
      breaks.set(this.#breaks);
      this.#tokens = tokens;
      this.#breaks = breaks;
    }
    this.#tokens[this.#length] = token;
    this.#breaks[this.#length++] = this.#breakers.accept(token) ? 1 : 0;
  }

  /** Subtracts multiplier * base ^ (run - allowedLength) from tokens that would prolong a run of >= allowedLength. */
  apply(row: Float32Array, workspace: Workspace): void {
    const { window, allowedLength, multiplier, base } = this.#params;
    const end = this.#length;
    const size = window < 0 ? end : Math.min(window, end);
    const least = Math.max(1, allowedLength);
    const limit = this.#runLimit(size);
    if (limit < least) return;
    const matches = this.#matchLengths(size, limit);
    const { marks, spare } = workspace;
    let touched = 0;
    for (let back = 1; back < size; back++) {
      const follower = end - back;
      const token = this.#tokens[follower]!;
      const run = matches[back]!;
      if (run < least || this.#breaks[follower] === 1 || token < 0 || token >= row.length) continue;
      if (marks[token] === 0) spare.ids[touched++] = token;
      if (run > marks[token]!) marks[token] = run;
    }
    for (let i = 0; i < touched; i++) {
      const token = spare.ids[i]!;
      const penalty = multiplier * base ** (marks[token]! - allowedLength);
      row[token] = row[token]! - Math.min(penalty, MOST_PENALTY);
      marks[token] = 0;
    }
  }

  /** Tokens since the last breaker: no run can be longer. */
  #runLimit(size: number): number {
    let run = 0;
    while (run < size && this.#breaks[this.#length - 1 - run] === 0) run++;
    return run;
  }

  /**
   * matches[b]: how many tokens before position `end - b` equal the last tokens, at most `limit`. The Z algorithm
   * on the reversed window, linear in its size.
   */
  #matchLengths(size: number, limit: number): Int32Array {
    if (this.#matches.length < size) this.#matches = new Int32Array(this.#tokens.length);
    const z = this.#matches;
    const tokens = this.#tokens;
    const last = this.#length - 1;
    let left = 0;
    let right = 0;
    for (let i = 1; i < size; i++) {
      let run = i < right ? Math.min(right - i, z[i - left]!) : 0;
      while (i + run < size && run < limit && tokens[last - run] === tokens[last - i - run]) run++;
      z[i] = run;
      if (i + run > right) {
        left = i;
        right = i + run;
      }
    }
    return z;
  }
}
