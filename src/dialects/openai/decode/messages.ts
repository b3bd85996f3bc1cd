// Chat messages of the wire to the protocol's: roles, content parts, earlier calls and their results.

import type { ChatMessage, ContentPart, MediaSource, ToolCall } from '../../../protocol/index.js';
import { KoineError } from '../../../protocol/index.js';
import type { WireMessage } from '../schema.js';

/** Messages in order. Throws `invalid_request` naming the message at fault. */
export function decodeMessages(messages: readonly WireMessage[]): readonly ChatMessage[] {
  return messages.map((message, index) => decodeMessage(message, `messages[${index}]`));
}

function decodeMessage(message: WireMessage, field: string): ChatMessage {
  const content = decodeContent(message.content, `${field}.content`);
  const named = message.name === undefined ? {} : { name: message.name };
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', content: needed(content, message, field), ...named };
    case 'user':
      return { role: 'user', content: needed(content, message, field), ...named };
    case 'tool':
    case 'function': {
      const { tool_call_id: toolCallId } = message;
      return { role: 'tool', content, ...(toolCallId !== undefined && { toolCallId }), ...named };
    }
    case 'assistant': {
      const toolCalls = decodeCalls(message);
      if (message.content === undefined && toolCalls.length === 0 && message.refusal === undefined) {
        throw required(`${field}.content`);
      }
      const { reasoning_content: reasoning, refusal } = message;
      return {
        role: 'assistant',
        content: refusal === undefined ? content : [...content, { kind: 'text', text: refusal }],
        ...(reasoning !== undefined && { reasoning }),
        ...(toolCalls.length > 0 && { toolCalls }),
        ...named,
      };
    }
  }
}

function needed(
  content: readonly ContentPart[],
  message: WireMessage,
  field: string,
): readonly ContentPart[] {
  if (message.content === undefined) throw required(`${field}.content`);
  return content;
}

function required(field: string): KoineError {
  return new KoineError('invalid_request', `'${field}' is required.`, { field });
}

/** Calls the assistant made earlier; the legacy single `function_call` counts as one without an id. */
function decodeCalls(message: WireMessage): readonly ToolCall[] {
  const calls = (message.tool_calls ?? []).map((call) => ({
    id: call.id ?? '',
    name: call.function.name,
    arguments: call.function.arguments ?? '{}',
  }));
  const legacy = message.function_call;
  if (legacy === undefined || calls.length > 0) return calls;
  return [{ id: '', name: legacy.name, arguments: legacy.arguments ?? '{}' }];
}

function decodeContent(content: WireMessage['content'], field: string): readonly ContentPart[] {
  if (content === undefined) return [];
  if (typeof content === 'string') return [{ kind: 'text', text: content }];
  return content.map((part, index) => decodePart(part, `${field}[${index}]`));
}

/** A part before its kind is known. */
type WirePart = Readonly<Record<string, unknown>> & { readonly type: string };

function decodePart(part: WirePart, field: string): ContentPart {
  switch (part.type) {
    case 'text':
      return { kind: 'text', text: stringAt(part, 'text', field) };
    case 'refusal':
      return { kind: 'text', text: stringAt(part, 'refusal', field) };
    case 'image_url':
      return decodeImage(part['image_url'], `${field}.image_url`);
    case 'input_audio': {
      const audio = recordAt(part, 'input_audio', field);
      const format = stringAt(audio, 'format', `${field}.input_audio`);
      const base64 = stringAt(audio, 'data', `${field}.input_audio`);
      return { kind: 'audio', source: { kind: 'data', mediaType: `audio/${format}`, base64 }, format };
    }
    default:
      throw new KoineError(
        'unsupported',
        `'${field}' has a type this server does not know: '${part.type}'.`,
        {
          field: `${field}.type`,
        },
      );
  }
}

function decodeImage(image: unknown, field: string): ContentPart {
  if (typeof image === 'string') return { kind: 'image', source: decodeSource(image, field) };
  if (!isRecord(image)) throw required(field);
  const { detail } = image;
  const source = decodeSource(stringAt(image, 'url', field), `${field}.url`);
  if (detail === undefined) return { kind: 'image', source };
  if (detail === 'auto' || detail === 'low' || detail === 'high') return { kind: 'image', source, detail };
  throw new KoineError('invalid_request', `'${field}.detail' must be one of 'auto', 'low', 'high'.`, {
    field: `${field}.detail`,
  });
}

/** A `data:` URL becomes its bytes, any other address stays one. */
function decodeSource(url: string, field: string): MediaSource {
  if (!url.startsWith('data:')) return { kind: 'url', url };
  const comma = url.indexOf(',');
  const [mediaType = '', ...options] = url.slice('data:'.length, comma).split(';');
  if (comma < 0 || !options.includes('base64')) {
    throw new KoineError('invalid_request', `'${field}' must be 'data:TYPE;base64,...' or an address.`, {
      field,
    });
  }
  return { kind: 'data', mediaType, base64: url.slice(comma + 1) };
}

function stringAt(part: Readonly<Record<string, unknown>>, key: string, field: string): string {
  const value = part[key];
  if (typeof value === 'string') return value;
  if (value === undefined) throw required(`${field}.${key}`);
  throw new KoineError('invalid_request', `'${field}.${key}' must be a string.`, {
    field: `${field}.${key}`,
  });
}

function recordAt(part: Readonly<Record<string, unknown>>, key: string, field: string) {
  const value = part[key];
  if (isRecord(value)) return value;
  throw required(`${field}.${key}`);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
