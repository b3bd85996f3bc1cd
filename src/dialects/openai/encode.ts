// What all replies have in common: the envelope, finish reasons, usage. The encoders of chats and completions build
// on it. A frame is made by joining text that was fixed when the request began with the JSON of what is new.

import { assertNever } from '../../base/index.js';
import type { FinishReason, GenerateEvent, Usage } from '../../protocol/index.js';
import type { ReplyShape } from './decode.js';

/** Turns the events of a request into stream frames. */
export interface StreamEncoder {
  /** Frames of one event of the prompt with this index; '' when it has nothing to show. */
  frames(event: GenerateEvent, prompt: number): string;
  /** The last frames of a reply that ended well. */
  end(usage: Usage): string;
}

/** Gathers the events of a request into one body. */
export interface ReplyEncoder {
  take(event: GenerateEvent, prompt: number): void;
  /** The whole body as JSON text. */
  body(usage: Usage): string;
}

/** `[DONE]`, the end of every stream that ended well. */
export const DONE = 'data: [DONE]\n\n';

/** OpenAI's word for why a choice ended. */
export function wireReason(reason: FinishReason, isLegacyCall: boolean): string {
  switch (reason) {
    case 'eos':
    case 'stop_sequence':
      return 'stop';
    case 'length':
      return 'length';
    case 'tool_calls':
      return isLegacyCall ? 'function_call' : 'tool_calls';
    case 'cancelled':
      // Not reached: such a choice is answered with an error. `length` at least says that more was to come.
      return 'length';
    default:
      return assertNever(reason);
  }
}

/** The `usage` object as JSON text. */
export function usageText({ promptTokens, completionTokens, cachedTokens }: Usage): string {
  return JSON.stringify({
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
  });
}

/** `"id":...` to `"system_fingerprint":...`, without braces: the same in every chunk of a reply. */
export function envelope(shape: ReplyShape, object: string): string {
  const { id, created, model, fingerprint } = shape;
  return JSON.stringify({ id, object, created, model, system_fingerprint: fingerprint }).slice(1, -1);
}

/** Sum of what several prompts of one request used. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    promptTokens: a.promptTokens + b.promptTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
    completionTokens: a.completionTokens + b.completionTokens,
  };
}

/** Nothing used yet. */
export const NO_USAGE: Usage = { promptTokens: 0, cachedTokens: 0, completionTokens: 0 };

/** `,"token_ids":[...]` where the request asked for it. */
export function tokenIdsText(shape: ReplyShape, ids: readonly number[]): string {
  return shape.returnTokenIds ? `,"token_ids":${JSON.stringify(ids)}` : '';
}
