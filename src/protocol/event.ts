// What comes back from an engine. Every request ends in exactly one `finished` or `failed`.

import type { Failure } from './errors.js';
import type { ToolCall } from './message.js';

/** Why a sequence ended. Dialects rename it on the wire. */
export type FinishReason = 'stop_sequence' | 'eos' | 'length' | 'tool_calls' | 'cancelled';

/** A token with its log-probability (natural log). */
export interface ScoredToken {
  readonly id: number;
  /** The token's own text; empty for a token that ends inside a UTF-8 character. */
  readonly text: string;
  /** The token's raw bytes, present when `text` does not hold them whole. */
  readonly bytes?: readonly number[];
  /** Natural log; null where none exists (first prompt token) or when none was asked for. */
  readonly logprob: number | null;
}

/** A generated or prompt token as reported to the client. */
export interface TokenInfo extends ScoredToken {
  /** Control tokens (EOS, chat markers). */
  readonly special: boolean;
  /** Best alternatives at this position, best first, when asked for. */
  readonly top?: readonly ScoredToken[];
}

/** A part of a reply, once the chat room has read it. */
export type ReplyPart =
  | { readonly kind: 'content'; readonly text: string }
  | { readonly kind: 'reasoning'; readonly text: string }
  /** A call begins: id and name are whole, arguments follow as fragments. */
  | { readonly kind: 'tool-call'; readonly index: number; readonly id: string; readonly name: string }
  | { readonly kind: 'tool-arguments'; readonly index: number; readonly text: string };

/** Token counts of a request, over all its choices. */
export interface Usage {
  readonly promptTokens: number;
  /** Prompt tokens whose KV came from the prefix cache. */
  readonly cachedTokens: number;
  readonly completionTokens: number;
}

/** Times of one request in milliseconds, as measured by the engine. */
export interface Timings {
  /** Waiting for a place before the first step. */
  readonly queueMs: number;
  /** From first step to first token. */
  readonly prefillMs: number;
  /** From first to last token. */
  readonly decodeMs: number;
}

/** The end of one choice. */
export interface ChoiceResult {
  readonly choice: number;
  readonly reason: FinishReason;
  /** The stop string that matched, when the reason is `stop_sequence`. */
  readonly stopText?: string;
  readonly completionTokens: number;
  /** The seed in use, also when the engine drew it. Absent for greedy decoding. */
  readonly seed?: bigint;
  /** Mean log-probability of the tokens, when it was tracked (bestOf > n). */
  readonly meanLogprob?: number;
  /** Whole calls of a parsed chat reply. */
  readonly toolCalls?: readonly ToolCall[];
}

/** One thing that happened to a request, in order. */
export type GenerateEvent =
  | {
      readonly kind: 'started';
      readonly promptTokens: number;
      readonly cachedTokens: number;
      /** The prompt as text, when `output.prompt` asked for it. */
      readonly promptText?: string;
      /** The prompt's tokens, when `output.prompt` or `output.promptLogprobs` asked for them. */
      readonly prompt?: readonly TokenInfo[];
    }
  | {
      readonly kind: 'delta';
      readonly choice: number;
      /** Text that is final: whole characters, no part of a stop string. May be empty when `tokens` is not. */
      readonly text: string;
      /** The tokens of this delta, when asked for; their texts joined need not equal `text` at once. */
      readonly tokens?: readonly TokenInfo[];
      /** The text read as parts of a chat reply; absent when the request is not a parsed chat. */
      readonly parts?: readonly ReplyPart[];
    }
  | ({ readonly kind: 'choice' } & ChoiceResult)
  | { readonly kind: 'finished'; readonly usage: Usage; readonly timings: Timings }
  | { readonly kind: 'failed'; readonly failure: Failure };
