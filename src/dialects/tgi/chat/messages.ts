// Chat messages on the wire to the protocol's, with 3.3.6's ways of writing calls and the tool prompt into them.

import type { ChatMessage, ContentPart } from '../../../protocol/index.js';
import { templateError, validationError } from '../errors.js';
import type { MessageBody, ToolCallBody } from '../schema/message.js';

/** The conversation as the model's template is to see it. Throws `TgiError`. */
export function toMessages(bodies: readonly MessageBody[]): readonly ChatMessage[] {
  return bodies.map((body) => toMessage(body.role, toContent(body)));
}

function toMessage(role: string, content: readonly ContentPart[]): ChatMessage {
  switch (role) {
    case 'system':
    case 'developer':
      return { role: 'system', content };
    case 'user':
      return { role: 'user', content };
    case 'assistant':
      return { role: 'assistant', content };
    case 'tool':
    case 'function':
    case 'ipython':
      return { role: 'tool', content };
    default:
      throw templateError(`unknown role ${JSON.stringify(role)}; use system, user, assistant or tool`);
  }
}

function toContent({ content, toolCalls }: MessageBody): readonly ContentPart[] {
  if (content === null) return [{ kind: 'text', text: callsText(toolCalls ?? []) }];
  if (typeof content === 'string') return [{ kind: 'text', text: content }];
  return content.map((chunk) => {
    if (chunk.kind === 'image') throw validationError('image modality is not supported');
    return { kind: 'text', text: chunk.text };
  });
}

/** Earlier calls as JSON text, arguments as text within it. */
function callsText(calls: readonly ToolCallBody[]): string {
  return JSON.stringify(
    calls.map(({ id, type, function: { description, name, arguments: given } }) => ({
      id,
      type,
      function: { description, name, arguments: typeof given === 'string' ? given : JSON.stringify(given) },
    })),
  );
}

/** Adds text to the end of the last message. */
export function appendToLast(messages: readonly ChatMessage[], text: string): readonly ChatMessage[] {
  const last = messages.at(-1);
  if (last === undefined) return messages;
  return [...messages.slice(0, -1), { ...last, content: [...last.content, { kind: 'text', text }] }];
}

/** The id of the next call: one more than the highest so far; a random one where ids are no numbers. */
export function nextCallId(bodies: readonly MessageBody[], randomId: () => string): string {
  const ids = bodies.flatMap(({ toolCalls }) => (toolCalls ?? []).map(({ id }) => id));
  if (ids.some((id) => !/^\d+$/.test(id))) return randomId();
  return ids.length === 0 ? '0' : String(Math.max(...ids.map(Number)) + 1);
}
