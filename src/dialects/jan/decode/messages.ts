// Chat messages of the wire to the protocol's: roles, content parts, earlier calls and their results.

import type { ChatMessage, ContentPart, MediaSource, ToolCall } from '../../../protocol/index.js';
import { type Loc, refused } from '../check/fault.js';
import type { WireMessage, WirePart } from '../schema/messages.js';

/** Messages in order. Throws `InvalidBody` for an image address nobody can fetch. */
export function decodeMessages(messages: readonly WireMessage[]): readonly ChatMessage[] {
  return messages.map((message, index) => decodeMessage(message, ['messages', index, 'content']));
}

function decodeMessage(message: WireMessage, loc: Loc): ChatMessage {
  const content = decodeContent(message.content, loc);
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', content };
    case 'user':
      return { role: 'user', content };
    case 'tool':
      return { role: 'tool', content, toolCallId: message.tool_call_id };
    case 'function':
      return { role: 'tool', content, name: message.name };
    case 'assistant': {
      const toolCalls = decodeCalls(message);
      return { role: 'assistant', content, ...(toolCalls.length > 0 && { toolCalls }) };
    }
  }
}

/** Earlier calls; the mirrored `function_call` counts only where there is nothing else. */
function decodeCalls(message: Extract<WireMessage, { role: 'assistant' }>): readonly ToolCall[] {
  const { tool_calls: calls, function_call: legacy } = message;
  if (calls !== null && calls.length > 0) {
    return calls.map((call) => ({
      id: call.id,
      name: call.function.name,
      arguments: call.function.arguments,
    }));
  }
  return legacy === null ? [] : [{ id: '', name: legacy.name, arguments: legacy.arguments }];
}

function decodeContent(content: WireMessage['content'], loc: Loc): readonly ContentPart[] {
  if (content === null) return [];
  if (typeof content === 'string') return [{ kind: 'text', text: content }];
  return content.map((part, index) => decodePart(part, [...loc, index]));
}

function decodePart(part: WirePart, loc: Loc): ContentPart {
  if (part.type === 'text') return { kind: 'text', text: part.text };
  const { url, detail } = part.image_url;
  const source = decodeSource(url, [...loc, 'image_url']);
  return { kind: 'image', source, ...(detail !== null && { detail }) };
}

/** Bytes in the address, or an address on the network; files of this machine are nobody's business. */
function decodeSource(url: string, loc: Loc): MediaSource {
  if (/^https?:\/\//i.test(url)) return { kind: 'url', url };
  const data = /^data:([^;,]*)(;[^,]*)?;base64,/i.exec(url);
  if (data !== null) {
    return { kind: 'data', mediaType: data[1] ?? '', base64: url.slice(data[0].length) };
  }
  throw refused(loc, 'Image should be an http or https address, or data:TYPE;base64,...', url);
}
