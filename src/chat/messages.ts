// Protocol messages and tools in the shape Hugging Face chat templates read (OpenAI's wire spelling). What a
// template cannot read is decided elsewhere: capabilities.ts finds out, fallback.ts rewrites.

import type { ChatMessage, ContentPart, ToolCall, ToolDefinition } from '../protocol/index.js';
import { textOf } from './media.js';

/** A value a template can hold. */
export type TemplateMessage = Record<string, unknown>;

/** How a template wants to be given what can be said in several ways. */
export interface MessageShape {
  /** Content as a list of parts, also where it is text alone. */
  readonly contentAsList: boolean;
  /** Call arguments as JSON text instead of an object. */
  readonly argumentsAsText: boolean;
  /** Reasoning of earlier turns under the name `thinking` too, which gpt-oss reads; never beside other content there. */
  readonly readsThinking: boolean;
  /** Call ids of nine letters and digits, as Mistral's templates insist on. */
  readonly shortIds: boolean;
}

/** A JSON object's text as a value, or the text itself where it is none. */
export function parseArguments(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Nine letters and digits that depend on the id alone, so that call and answer still match. */
export function shortId(id: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(id)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash.toString(36).padStart(9, '0').slice(-9);
}

function toPart(part: ContentPart): Record<string, unknown> {
  switch (part.kind) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return { type: 'image' };
    case 'audio':
      return { type: 'audio' };
  }
}

function toContent(content: readonly ContentPart[], shape: MessageShape): unknown {
  const textOnly = content.every((part) => part.kind === 'text');
  return textOnly && !shape.contentAsList ? textOf(content) : content.map(toPart);
}

function toCall(call: ToolCall, shape: MessageShape): Record<string, unknown> {
  const value = shape.argumentsAsText ? call.arguments : parseArguments(call.arguments);
  const id = shape.shortIds ? shortId(call.id) : call.id;
  return { id, type: 'function', function: { name: call.name, arguments: value } };
}

/** Names of the functions called so far, by call id: results may name the id alone. */
function callNames(messages: readonly ChatMessage[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const message of messages) {
    if (message.role !== 'assistant') continue;
    for (const call of message.toolCalls ?? []) names.set(call.id, call.name);
  }
  return names;
}

/** Messages as a template reads them. */
export function toTemplateMessages(
  messages: readonly ChatMessage[],
  shape: MessageShape,
): readonly TemplateMessage[] {
  const names = callNames(messages);
  return messages.map((message) => {
    const out: TemplateMessage = { role: message.role, content: toContent(message.content, shape) };
    if (message.name !== undefined) out['name'] = message.name;
    if (message.role === 'assistant') {
      if (message.reasoning !== undefined) {
        out['reasoning_content'] = message.reasoning;
        if (shape.readsThinking && textOf(message.content) === '') out['thinking'] = message.reasoning;
      }
      if (message.toolCalls?.length) out['tool_calls'] = message.toolCalls.map((call) => toCall(call, shape));
    }
    if (message.role === 'tool' && message.toolCallId !== undefined) {
      out['tool_call_id'] = shape.shortIds ? shortId(message.toolCallId) : message.toolCallId;
      const name = message.name ?? names.get(message.toolCallId);
      if (name !== undefined) out['name'] = name;
    }
    return out;
  });
}

/** Tools in the shape `{"type":"function","function":{...}}`. */
export function toTemplateTools(tools: readonly ToolDefinition[]): readonly Record<string, unknown>[] {
  return tools.map((tool) => ({
    type: 'function',
    function: {
      name: tool.name,
      ...(tool.description === undefined ? {} : { description: tool.description }),
      parameters: tool.parameters ?? { type: 'object', properties: {} },
    },
  }));
}
