// The `logprobs` object of a completion: parallel arrays, one entry per token, offsets counted in code points from the
// start of the prompt.

import type { TokenInfo } from '../../../protocol/index.js';
import { finite, pieceOf } from './pieces.js';

type Alternatives = Readonly<Record<string, number>>;

/** Filled token by token; emptied by `take`, after which offsets go on counting. */
export class CompletionLogprobs {
  readonly #characters: CharacterCount;
  #offsets: number[] = [];
  #logprobs: (number | null)[] = [];
  #tokens: string[] = [];
  #top: (Alternatives | null)[] = [];

  /** `offset`: where the first token's text begins. */
  constructor(offset: number) {
    this.#characters = new CharacterCount(offset);
  }

  get isEmpty(): boolean {
    return this.#tokens.length === 0;
  }

  /** Generated tokens. */
  add(tokens: readonly TokenInfo[]): void {
    for (const token of tokens) {
      this.#push(token, finite(token.logprob), alternatives(token));
      this.#characters.add(bytesOf(token));
    }
  }

  /**
   * The prompt's own tokens. Those that are not part of its text (an added BOS, fill-in-the-middle markers and what
   * stands behind them) are left out; the first of the others has no values.
   */
  addPrompt(tokens: readonly TokenInfo[], prompt: string): void {
    const text = Buffer.from(prompt, 'utf8');
    let at = 0;
    for (const token of tokens) {
      const length = lengthAt(text, bytesOf(token), at);
      if (length === 0) continue;
      if (this.isEmpty) this.#push(token, null, null);
      else this.#push(token, finite(token.logprob), alternatives(token));
      this.#characters.add(text.subarray(at, at + length));
      at += length;
    }
    this.#characters.add(text.subarray(at));
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

  #push(token: TokenInfo, logprob: number | null, top: Alternatives | null): void {
    this.#offsets.push(this.#characters.complete);
    this.#logprobs.push(logprob);
    this.#tokens.push(pieceOf(token));
    this.#top.push(top);
  }
}

/** Counts characters (code points) that are complete, from bytes that may end inside one. */
class CharacterCount {
  complete: number;
  /** Bytes the current character still lacks. */
  #missing = 0;

  constructor(start: number) {
    this.complete = start;
  }

  add(bytes: Uint8Array): void {
    for (const byte of bytes) {
      const isContinuation = (byte & 0xc0) === 0x80;
      if (isContinuation && this.#missing === 0) continue;
      this.#missing = isContinuation ? this.#missing - 1 : continuations(byte);
      if (this.#missing === 0) this.complete += 1;
    }
  }
}

/** Bytes that follow a first byte. */
function continuations(first: number): number {
  if (first < 0xc0) return 0;
  if (first < 0xe0) return 1;
  return first < 0xf0 ? 2 : 3;
}

function bytesOf({ text, bytes }: TokenInfo): Buffer {
  return Buffer.from(bytes ?? Buffer.from(text, 'utf8'));
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
