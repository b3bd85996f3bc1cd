// What all replies have in common: the envelope, finish reasons, usage. The encoders of chats and completions build
// on it. A frame is made by joining text that was fixed when the request began with the JSON of what is new.

import { assertNever } from '../../base/index.js';
import type { FinishReason, GenerateEvent, Usage } from '../../protocol/index.js';

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

/** Nothing used yet. */
export const NO_USAGE: Usage = { promptTokens: 0, cachedTokens: 0, completionTokens: 0 };

/** This wire's word for why a choice ended; calls have the same word in the older form. */
export function wireReason(reason: FinishReason): string {
  switch (reason) {
    case 'eos':
    case 'stop_sequence':
      return 'stop';
    case 'length':
      return 'length';
    case 'tool_calls':
      return 'tool_calls';
    case 'cancelled':
      // Not reached: such a choice is answered with an error. `length` at least says that more was to come.
      return 'length';
    default:
      return assertNever(reason);
  }
}

/** The `usage` object as JSON text. */
export function usageText({ promptTokens, completionTokens }: Usage): string {
  const total = promptTokens + completionTokens;
  return `{"prompt_tokens":${promptTokens},"completion_tokens":${completionTokens},"total_tokens":${total}}`;
}

/** Members of an object as JSON text without the braces. */
export function membersText(members: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(members).slice(1, -1);
}

/** Sum of what several prompts of one request used. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    promptTokens: a.promptTokens + b.promptTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
    completionTokens: a.completionTokens + b.completionTokens,
  };
}
