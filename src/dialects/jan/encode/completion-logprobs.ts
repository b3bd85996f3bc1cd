// The `logprobs` object of a completion: parallel arrays, one entry per token, offsets counted in code points from the
// start of the prompt.

import type { TokenInfo } from '../../../protocol/index.js';
import { finite, lengthOf, pieceOf } from './pieces.js';

type Alternatives = Readonly<Record<string, number>>;

/** Filled token by token; emptied by `take`, after which offsets go on counting. */
export class CompletionLogprobs {
  #offset: number;
  #offsets: number[] = [];
  #logprobs: (number | null)[] = [];
  #tokens: string[] = [];
  #top: (Alternatives | null)[] = [];

  /** `offset`: where the first token's text begins. */
  constructor(offset: number) {
    this.#offset = offset;
  }

  get isEmpty(): boolean {
    return this.#tokens.length === 0;
  }

  /** Generated tokens, each as long as its text. */
  add(tokens: readonly TokenInfo[]): void {
    for (const token of tokens) {
      const piece = pieceOf(token);
      this.#push(piece, this.#offset, finite(token.logprob), alternatives(token));
      this.#offset += lengthOf(piece);
    }
  }

  /**
   * The prompt's own tokens. Those that are not part of its text (an added BOS, fill-in-the-middle markers and what
   * stands behind them) are left out; the first of the others has no values.
   */
  addPrompt(tokens: readonly TokenInfo[], prompt: string): void {
    const bytes = Buffer.from(prompt, 'utf8');
    let at = 0;
    for (const token of tokens) {
      const length = lengthAt(bytes, Buffer.from(token.bytes ?? Buffer.from(token.text)), at);
      if (length === 0 || at >= bytes.length) continue;
      const isFirst = this.isEmpty;
      const logprob = isFirst ? null : finite(token.logprob);
      this.#push(pieceOf(token), charactersBefore(bytes, at), logprob, isFirst ? null : alternatives(token));
      at += length;
    }
    this.#offset = lengthOf(prompt);
  }

  /** What was added since the last call, as JSON text. */
  take(): string {
    const text = JSON.stringify({
      text_offset: this.#offsets,
      token_logprobs: this.#logprobs,
      tokens: this.#tokens,
      top_logprobs: this.#top,
    });
    this.#offsets = [];
    this.#logprobs = [];
    this.#tokens = [];
    this.#top = [];
    return text;
  }

  #push(piece: string, offset: number, logprob: number | null, top: Alternatives | null): void {
    this.#offsets.push(offset);
    this.#logprobs.push(logprob);
    this.#tokens.push(piece);
    this.#top.push(top);
  }
}

/** The best pieces and always the chosen one; pieces with the same text are one. */
function alternatives(token: TokenInfo): Alternatives {
  const entries = (token.top ?? []).map((other) => [pieceOf(other), finite(other.logprob)] as const);
  return Object.fromEntries([...entries, [pieceOf(token), finite(token.logprob)]]);
}

const SPACE = 0x20;

/** Bytes of the text at `at` that a token covers; tokenizers may have put a space before the first. 0 = none. */
function lengthAt(text: Buffer, token: Buffer, at: number): number {
  const isAt = (part: Buffer): boolean => text.subarray(at, at + part.length).equals(part);
  if (isAt(token)) return token.length;
  const rest = token.subarray(1);
  return at === 0 && token[0] === SPACE && isAt(rest) ? rest.length : 0;
}

/** Whole characters that end at or before a byte. */
function charactersBefore(text: Buffer, at: number): number {
  let count = 0;
  for (let i = 0; i < at; i += 1) if (((text[i] ?? 0) & 0xc0) !== 0x80) count += 1;
  return isInside(text, at) ? count - 1 : count;
}

function isInside(text: Buffer, at: number): boolean {
  return ((text[at] ?? 0) & 0xc0) === 0x80;
}
