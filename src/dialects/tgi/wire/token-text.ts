// Tokens that end inside a UTF-8 character show no text; the character appears whole with the token that ends it.

import type { ScoredToken } from '../../../protocol/index.js';

/** Gives each token of one sequence its text, in order. */
export class TokenText {
  #pending: number[] = [];
  readonly #decoder = new TextDecoder('utf-8');

  /** The text this token adds: its own, or what it completes. */
  next(token: ScoredToken): string {
    if (token.text !== '' || token.bytes === undefined) {
      if (token.text !== '') this.#pending = [];
      return token.text;
    }
    this.#pending.push(...token.bytes);
    const text = this.#decoder.decode(Uint8Array.from(this.#pending));
    if (text.endsWith('\ufffd')) return '';
    this.#pending = [];
    return text;
  }
}
