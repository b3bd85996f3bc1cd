// Log-probabilities in OpenAI's two shapes: a list of token objects for chats, parallel arrays for completions.

import type { ScoredToken, TokenInfo } from '../../../protocol/index.js';

/** What stands for minus infinity, which JSON cannot say. */
const NEVER = -9999;

/** The tokens whose log-probabilities are listed: those that are part of the text, so that their texts join to it. */
export function shownTokens(tokens: readonly TokenInfo[], showsSpecial: boolean): readonly TokenInfo[] {
  return showsSpecial ? tokens : tokens.filter(({ special }) => !special);
}

/** The `content` list of a chat's `logprobs`, as JSON text. */
export function chatLogprobs(tokens: readonly TokenInfo[]): string {
  const content = tokens.map((token) => ({
    ...chatToken(token),
    top_logprobs: (token.top ?? []).map((other) => chatToken(other)),
  }));
  return `{"content":${JSON.stringify(content)},"refusal":null}`;
}

function chatToken(token: ScoredToken) {
  return {
    token: textOf(token),
    logprob: finite(token.logprob),
    bytes: token.bytes ?? [...Buffer.from(token.text)],
  };
}

/** The `logprobs` object of a completion, filled token by token. Offsets count characters of prompt plus text. */
export class CompletionLogprobs {
  #offset: number;
  #tokens: string[] = [];
  #logprobs: (number | null)[] = [];
  #top: (Readonly<Record<string, number>> | null)[] = [];
  #offsets: number[] = [];

  /** `offset`: where the first token's text begins. */
  constructor(offset: number) {
    this.#offset = offset;
  }

  /** Generated tokens, each as long as its text. */
  add(tokens: readonly TokenInfo[]): void {
    for (const token of tokens) this.#push(token, lengthOf(token.text));
  }

  /** The prompt's tokens; those that are not part of its text (an added BOS) have no length. */
  addPrompt(tokens: readonly TokenInfo[], text: string): void {
    let at = 0;
    for (const token of tokens) {
      const isShown = text.startsWith(token.text, at);
      this.#push(token, isShown ? lengthOf(token.text) : 0);
      if (isShown) at += token.text.length;
    }
  }

  #push(token: TokenInfo, length: number): void {
    this.#tokens.push(textOf(token));
    this.#logprobs.push(token.logprob === null ? null : finite(token.logprob));
    // The first token of a prompt has no probability, hence no alternatives.
    this.#top.push(token.logprob === null ? null : alternatives(token));
    this.#offsets.push(this.#offset);
    this.#offset += length;
  }

  /** What was added since the last call, as JSON text; offsets go on counting. */
  take(): string {
    const text = JSON.stringify({
      tokens: this.#tokens,
      token_logprobs: this.#logprobs,
      top_logprobs: this.#top,
      text_offset: this.#offsets,
    });
    this.#tokens = [];
    this.#logprobs = [];
    this.#top = [];
    this.#offsets = [];
    return text;
  }
}

/** The chosen token is always among its alternatives. */
function alternatives(token: TokenInfo): Readonly<Record<string, number>> {
  const entries = [...(token.top ?? []), token].map(
    (other) => [textOf(other), finite(other.logprob)] as const,
  );
  return Object.fromEntries(entries);
}

/** Length in code points, as clients in other languages count. */
export function lengthOf(text: string): number {
  let length = 0;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code < 0xdc00 || code > 0xdfff) length += 1;
  }
  return length;
}

/** A token that is no whole text is shown as `bytes:\\xe2\\x82`. */
function textOf({ text, bytes }: ScoredToken): string {
  if (bytes === undefined) return text;
  return `bytes:${bytes.map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}`;
}

function finite(logprob: number | null): number {
  return logprob !== null && Number.isFinite(logprob) ? logprob : NEVER;
}
