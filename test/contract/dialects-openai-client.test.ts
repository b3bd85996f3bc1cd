// The official client from npm, unmodified, against the OpenAI dialect on a real port.

import OpenAI, {
  APIConnectionError,
  APIUserAbortError,
  AuthenticationError,
  BadRequestError,
  NotFoundError,
} from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/index.js';
import { openAiDialect } from '../../src/dialects/openai/index.js';
import { Metrics } from '../../src/telemetry/index.js';
import { FakeEngine, fakeRouter } from '../support/fake-engine.js';
import { type Served, serveDialect } from '../support/serve.js';

const messages = [{ role: 'user' as const, content: 'Say hello' }];

describe('the official client', () => {
  let engine: FakeEngine;
  let served: Served;
  let client: OpenAI;

  beforeEach(async () => {
    engine = new FakeEngine();
    const dialect = openAiDialect({ router: fakeRouter(engine), metrics: new Metrics(), clock: systemClock });
    served = await serveDialect(dialect, { apiKeys: ['secret'], prefix: '/openai' });
    client = new OpenAI({ baseURL: `${served.url}/openai/v1`, apiKey: 'secret', maxRetries: 0 });
  });
  afterEach(() => served.close());

  it('chats', async () => {
    const reply = await client.chat.completions.create({ model: 'default', messages });
    expect(reply.choices[0]?.message).toMatchObject({ role: 'assistant', content: 'Hello world' });
    expect(reply.choices[0]?.finish_reason).toBe('stop');
    expect(reply.usage?.total_tokens).toBe(6);
    expect(reply._request_id).toMatch(/^req-/);
  });

  it('streams a chat through its own accumulator', async () => {
    engine.reply = { tokens: ['Hel', 'lo ', { bytes: [0xf0, 0x9f] }, { bytes: [0x98, 0x80] }] };
    const stream = client.chat.completions.stream({
      model: 'fake-model',
      messages,
      logprobs: true,
      stream_options: { include_usage: true },
    });
    const pieces: string[] = [];
    stream.on('content', (piece) => pieces.push(piece));
    const reply = await stream.finalChatCompletion();
    expect(pieces.join('')).toBe('Hello 😀');
    expect(reply.choices[0]?.message.content).toBe('Hello 😀');
    expect(reply.choices[0]?.logprobs?.content?.flatMap(({ bytes }) => bytes)).toEqual([
      ...Buffer.from('Hello 😀'),
    ]);
    expect(reply.usage?.completion_tokens).toBe(5);
  });

  it('puts streamed calls together', async () => {
    engine.reply = {
      tokens: ['a', 'b', 'c', 'd'],
      reason: 'tool_calls',
      parts: [
        [{ kind: 'tool-call', index: 0, id: 'c1', name: 'weather' }],
        [{ kind: 'tool-arguments', index: 0, text: '{"city":' }],
        [{ kind: 'tool-arguments', index: 0, text: '"Oslo"}' }],
        [
          { kind: 'tool-call', index: 1, id: 'c2', name: 'weather' },
          { kind: 'tool-arguments', index: 1, text: '{}' },
        ],
      ],
    };
    const tools = [
      { type: 'function' as const, function: { name: 'weather', parameters: { type: 'object' } } },
    ];
    const reply = await client.chat.completions
      .stream({ model: 'fake-model', messages, tools })
      .finalChatCompletion();
    expect(reply.choices[0]?.finish_reason).toBe('tool_calls');
    expect(reply.choices[0]?.message.tool_calls).toMatchObject([
      { id: 'c1', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
      { id: 'c2', function: { name: 'weather', arguments: '{}' } },
    ]);
  });

  it('completes, whole and streamed', async () => {
    const reply = await client.completions.create({ model: 'fake-model', prompt: ['a', 'b'], n: 2 });
    expect(reply.choices.map(({ index, text }) => [index, text])).toEqual([
      [0, 'Hello world'],
      [1, 'Hello world'],
      [2, 'Hello world'],
      [3, 'Hello world'],
    ]);
    let text = '';
    const stream = await client.completions.create({ model: 'fake-model', prompt: [5, 6], stream: true });
    for await (const chunk of stream) text += chunk.choices[0]?.text ?? '';
    expect(text).toBe('Hello world');
  });

  it('embeds: base64 by default and numbers on request are the same vectors', async () => {
    const input = ['one two three', 'four'];
    const packed = await client.embeddings.create({ model: 'fake-model', input });
    const plain = await client.embeddings.create({ model: 'fake-model', input, encoding_format: 'float' });
    expect(packed.data.map(({ embedding }) => embedding)).toEqual(
      plain.data.map(({ embedding }) => embedding),
    );
    expect(packed.data[0]?.embedding).toHaveLength(8);
    const short = await client.embeddings.create({ model: 'fake-model', input, dimensions: 3 });
    expect(short.data.map(({ embedding }) => Math.hypot(...embedding))).toEqual([
      expect.closeTo(1, 6),
      expect.closeTo(1, 6),
    ]);
    expect(short.data[0]?.embedding).toHaveLength(3);
  });

  it('lists models and finds one by its alias', async () => {
    const ids = [];
    for await (const model of client.models.list()) ids.push(model.id);
    expect(ids).toEqual(['fake-model']);
    expect((await client.models.retrieve('fake-alias')).id).toBe('fake-model');
  });

  it('aborts a stream, which frees the engine', async () => {
    engine.reply = { tokens: ['a', 'b'], holdAfter: 1 };
    const stream = await client.chat.completions.create({ model: 'fake-model', messages, stream: true });
    const received: string[] = [];
    for await (const chunk of stream) {
      const piece = chunk.choices[0]?.delta.content;
      if (piece !== undefined && piece !== null && piece !== '') received.push(piece);
      if (received.length === 1) break;
    }
    await engine.until(({ running }) => running === 0);
    expect([received, engine.aborted]).toEqual([['a'], 1]);
  });

  it('aborts a request that has not been answered', async () => {
    engine.reply = { tokens: ['a'], holdAfter: 0 };
    const abort = new AbortController();
    const reply = client.chat.completions.create({ model: 'fake-model', messages }, { signal: abort.signal });
    await engine.until(({ running }) => running === 1);
    abort.abort();
    await expect(reply).rejects.toThrow(APIUserAbortError);
    await engine.until(({ running }) => running === 0);
  });

  it('throws its own errors for ours', async () => {
    const ask = (body: object): Promise<unknown> =>
      client.chat.completions.create({ model: 'fake-model', messages, ...body });
    await expect(ask({ temperature: 9 })).rejects.toThrow(BadRequestError);
    await expect(ask({ temperature: 9 })).rejects.toMatchObject({
      param: 'temperature',
      type: 'invalid_request_error',
    });
    await expect(ask({ model: 'none' })).rejects.toThrow(NotFoundError);
    await expect(ask({ max_tokens: 5000 })).rejects.toMatchObject({ code: 'context_length_exceeded' });
    const stranger = client.withOptions({ apiKey: 'wrong' });
    await expect(stranger.models.list()).rejects.toThrow(AuthenticationError);
  });

  it('throws when the engine is lost in the middle of a stream', async () => {
    engine.reply = { tokens: ['a', 'b'], failAfter: 1 };
    const stream = await client.chat.completions.create({ model: 'fake-model', messages, stream: true });
    const read = async (): Promise<void> => {
      for await (const _ of stream);
    };
    await expect(read()).rejects.toThrow('The engine process ended');
  });

  it('finds nobody where the server has stopped', async () => {
    await served.close();
    await expect(client.models.list()).rejects.toThrow(APIConnectionError);
  });
});
