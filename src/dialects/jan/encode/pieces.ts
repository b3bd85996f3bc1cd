// Tokens as this wire shows them: their text, their log-probability, and which of them are part of a text at all.

import type { ScoredToken, TokenInfo } from '../../../protocol/index.js';

/** What stands for minus infinity, which JSON cannot say. */
const NEVER = -9999;

/** The tokens that are part of the text; an end token is not. */
export function shownTokens(tokens: readonly TokenInfo[]): readonly TokenInfo[] {
  return tokens.filter(({ special }) => !special);
}

/** A token's text without what is no whole character by itself. */
export function pieceOf({ text, bytes }: ScoredToken): string {
  return bytes === undefined ? text : text.replaceAll('\ufffd', '');
}

/** A log-probability that JSON can say. */
export function finite(logprob: number | null): number {
  return logprob !== null && Number.isFinite(logprob) ? logprob : NEVER;
}

/** The `logprobs` object of a chat, as JSON text. */
export function chatLogprobs(tokens: readonly TokenInfo[]): string {
  const content = tokens.map((token) => ({
    ...chatToken(token),
    top_logprobs: (token.top ?? []).map((other) => chatToken(other)),
  }));
  return `{"content":${JSON.stringify(content)},"refusal":null}`;
}

function chatToken(token: ScoredToken) {
  const bytes = token.bytes ?? [...Buffer.from(token.text)];
  return { token: pieceOf(token), logprob: finite(token.logprob), bytes };
}
