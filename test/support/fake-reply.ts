// What the fake engine is told to say, and the small values it makes of it.

import type {
  Failure,
  FinishReason,
  GenerateEvent,
  ReplyPart,
  ScoredToken,
  TokenInfo,
  ToolCall,
} from '../../src/protocol/index.js';
import { FAKE_EOS } from './fake-tokenizer.js';

/** One scripted token: its text, or the bytes of a token that ends inside a character. */
export type FakeToken = string | { readonly bytes: readonly number[] };

/** One scripted reply. Everything but the tokens has a harmless default. */
export interface FakeReply {
  /** At most `maxNewTokens` of them are sent; if that cuts them, the reason becomes `length`. */
  readonly tokens?: readonly FakeToken[];
  /** `eos` also reports the EOS token where tokens are asked for. */
  readonly reason?: FinishReason;
  readonly stopText?: string;
  /** Chat parts per token, for replies with reasoning or calls; by default all text is content. */
  readonly parts?: readonly (readonly ReplyPart[])[];
  readonly toolCalls?: readonly ToolCall[];
  /** Fail after this many tokens; 0 = before `started`. */
  readonly failAfter?: number;
  readonly failure?: Failure;
  /** Send this many tokens, then nothing until the signal aborts or `release` is called. */
  readonly holdAfter?: number;
  readonly cachedTokens?: number;
}

/** The scripted failure, or the loss of the engine. */
export function failureOf(reply: FakeReply): Failure {
  return (
    reply.failure ?? {
      code: 'engine_lost',
      message: 'The engine process ended while the request was running.',
    }
  );
}

/** A token as reported: without a log-probability unless asked for, with made-up alternatives below its own. */
export function tokenInfo(token: ScoredToken, alternatives: number | undefined): TokenInfo {
  const special = token.id <= FAKE_EOS;
  if (alternatives === undefined) return { ...token, logprob: null, special };
  const { logprob } = token;
  if (alternatives === 0 || logprob === null) return { ...token, special };
  const others = Array.from({ length: alternatives - 1 }, (_, i) => ({
    id: 50 + i,
    text: ` t${50 + i}`,
    logprob: logprob - 1 - i,
  }));
  return { ...token, special, top: [token, ...others] };
}

type Delta = Extract<GenerateEvent, { kind: 'delta' }>;

/** What an engine sends when nobody asked for a stream: one delta with everything. */
export function mergeDeltas(deltas: readonly Delta[]): Delta[] {
  const [first] = deltas;
  if (first === undefined) return [];
  const tokens = deltas.flatMap((delta) => delta.tokens ?? []);
  const parts = deltas.flatMap((delta) => delta.parts ?? []);
  const text = deltas.map((delta) => delta.text).join('');
  return [{ ...first, text, ...(first.tokens && { tokens }), ...(first.parts && { parts }) }];
}
