// Pieces of JSON both versions write alike: tokens, and numbers with all their digits.

import type { ScoredToken, TokenInfo } from '../../../protocol/index.js';
import type { FedToken } from '../run/token-feed.js';
import { float32 } from './float32.js';

/** `{"id":1,"text":"a","logprob":-0.5,"special":false}` */
export function tokenJson(id: number, text: string, logprob: number | null, special: boolean): string {
  return `{"id":${id},"text":${JSON.stringify(text)},"logprob":${float32(logprob)},"special":${special}}`;
}

/** Alternatives at one position; only EOS-like ids among them are special. */
export function topTokensJson(top: readonly ScoredToken[], eog: ReadonlySet<number>): string {
  return `[${top.map((each) => tokenJson(each.id, each.text, each.logprob, eog.has(each.id))).join(',')}]`;
}

/** A generated token of a stream. */
export function fedTokenJson(token: FedToken): string {
  return tokenJson(token.id, token.text, token.logprob, token.special);
}

/** A prompt token; the first has no log-probability. */
export function prefillJson(token: TokenInfo): string {
  return `{"id":${token.id},"text":${JSON.stringify(token.text)},"logprob":${float32(token.logprob)}}`;
}

/** A seed with every digit, or null. */
export function seedJson(seed: bigint | undefined): string {
  return seed === undefined ? 'null' : seed.toString();
}
