// What all replies have in common: the envelope, finish reasons, usage. The encoders of chats and completions build
// on it. A frame is made by joining text that was fixed when the request began with the JSON of what is new.

import { assertNever } from '../../base/index.js';
import type { FinishReason, Usage } from '../../protocol/index.js';

export { addUsage, DONE, NO_USAGE, type ReplyEncoder, type StreamEncoder } from '../openai/index.js';

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
