// Chat messages on the wire. 3.3.6 takes text, chunks or an assistant's tool calls; 1.4.2 takes text only.

import {
  documented,
  list,
  optional,
  type Read,
  readString,
  refuse,
  required,
  ShapeError,
  struct,
  wrongType,
} from '../wire/shape.js';
import { readFunction } from './tools.js';

/** A piece of a message's content. */
export type ChunkBody =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'image'; readonly url: string };

const readCall = struct('ToolCall', {
  id: required('id', readString),
  type: required('type', readString),
  function: required('function', readFunction),
});
/** An earlier call of the assistant. */
export type ToolCallBody = ReturnType<typeof readCall>;

/** One message; `toolCalls` only where there is no content. */
export interface MessageBody {
  readonly role: string;
  readonly content: string | readonly ChunkBody[] | null;
  readonly toolCalls: readonly ToolCallBody[] | null;
}

const readMessageOfV1 = struct('Message', {
  role: required('role', readString),
  content: required('content', readString),
  name: optional('name', readString),
});

export const readMessageV1: Read<MessageBody> = documented((node, place) => {
  const { role, content } = readMessageOfV1(node, place);
  return { role, content, toolCalls: null };
}, readMessageOfV1.schema ?? {});

const readHead = struct('Message', {
  role: required('role', readString),
  name: optional('name', readString),
});
const readText = struct('Content', { content: required('content', readString) });
const readChunks = struct('Content', { content: required('content', list(chunk())) });
const readCalls = struct('ToolCalls', { toolCalls: required('tool_calls', list(readCall)) });

const MESSAGE_SCHEMA = {
  type: 'object',
  required: ['role'],
  properties: {
    role: { type: 'string' },
    name: { type: 'string', nullable: true },
    content: { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'object' } }] },
    tool_calls: { type: 'array', items: readCall.schema },
  },
};

// Content wins over calls, also when it is an empty string.
export const readMessageV3: Read<MessageBody> = documented((node, place) => {
  if (node.kind !== 'object') throw wrongType(node, place, 'struct Message');
  const { role } = readHead(node, place);
  const text = attempt(() => readText(node, place).content);
  if (text !== null) return { role, content: text, toolCalls: null };
  const chunks = attempt(() => readChunks(node, place).content);
  if (chunks !== null) return { role, content: chunks, toolCalls: null };
  const toolCalls = attempt(() => readCalls(node, place).toolCalls);
  if (toolCalls !== null) return { role, content: null, toolCalls };
  throw new ShapeError(place.path, 'data did not match any variant of untagged enum MessageBody', node.stop);
}, MESSAGE_SCHEMA);

function chunk(): Read<ChunkBody> {
  const readType = struct('MessageChunk', { type: required('type', readString) });
  const readTextChunk = struct('MessageChunk', { text: required('text', readString) });
  const readUrl = struct('Url', { url: required('url', readString) });
  const readImageChunk = struct('MessageChunk', { image: required('image_url', readUrl) });
  return (node, place) => {
    switch (readType(node, place).type) {
      case 'text':
        return { kind: 'text', text: readTextChunk(node, place).text };
      case 'image_url':
        return { kind: 'image', url: readImageChunk(node, place).image.url };
      default:
        throw refuse(node, place, 'unknown variant, expected `text` or `image_url`');
    }
  };
}

function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof ShapeError) return null;
    throw error;
  }
}
