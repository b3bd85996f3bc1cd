// The official client from npm, unmodified, against the Jan dialect on a real port.

import OpenAI, { AuthenticationError, BadRequestError, UnprocessableEntityError } from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/index.js';
import { janDialect } from '../../src/dialects/jan/index.js';
import { Metrics } from '../../src/telemetry/index.js';
import { FakeEngine, fakeRouter } from '../support/fake-engine.js';
import { type Served, serveDialect } from '../support/serve.js';

const messages = [{ role: 'user' as const, content: 'Say hello' }];
const model = 'fake-model';
const CALLS = {
  tokens: ['a', 'b', 'c'],
  reason: 'tool_calls' as const,
  parts: [
    [{ kind: 'tool-call' as const, index: 0, id: 'c1', name: 'weather' }],
    [{ kind: 'tool-arguments' as const, index: 0, text: '{"city":' }],
    [{ kind: 'tool-arguments' as const, index: 0, text: '"Oslo"}' }],
  ],
};
const definition = { name: 'weather', parameters: { type: 'object' } };
const tools = [{ type: 'function' as const, function: definition }];

describe('the official client', () => {
  let engine: FakeEngine;
  let served: Served;
  let client: OpenAI;

  beforeEach(async () => {
    engine = new FakeEngine();
    const dialect = janDialect({ router: fakeRouter(engine), metrics: new Metrics(), clock: systemClock });
    served = await serveDialect(dialect, { apiKeys: ['secret'], prefix: '/jan' });
    client = new OpenAI({ baseURL: `${served.url}/jan/v1`, apiKey: 'secret', maxRetries: 0 });
  });
  afterEach(() => served.close());

  it('chats, whole and through its own accumulator', async () => {
    const whole = await client.chat.completions.create({ model, messages });
    expect(whole.choices[0]?.message).toMatchObject({ role: 'assistant', content: 'Hello world' });
    engine.reply = { tokens: ['Hel', 'lo ', { bytes: [0xf0, 0x9f] }, { bytes: [0x98, 0x80] }] };
    const stream = client.chat.completions.stream({
      model,
      messages,
      logprobs: true,
      stream_options: { include_usage: true },
    });
    const reply = await stream.finalChatCompletion();
    expect(reply.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'Hello 😀' } });
    const bytes = reply.choices[0]?.logprobs?.content?.flatMap((token) => token.bytes);
    expect(bytes).toEqual([...Buffer.from('Hello 😀')]);
    expect(reply.usage?.completion_tokens).toBe(5);
  });

  it('puts a streamed call together, chosen or forced', async () => {
    engine.reply = CALLS;
    const forced = { type: 'function' as const, function: { name: 'weather' } };
    for (const tool_choice of ['auto' as const, 'required' as const, forced]) {
      const stream = client.chat.completions.stream({ model, messages, tools, tool_choice });
      const { choices } = await stream.finalChatCompletion();
      expect(choices[0]?.finish_reason).toBe('tool_calls');
      expect(choices[0]?.message.tool_calls).toMatchObject([
        {
          id: expect.stringMatching(/^call__0_weather_cmpl-/),
          type: 'function',
          function: { name: 'weather', arguments: '{"city":"Oslo"}' },
        },
      ]);
    }
  });

  it('puts a streamed call together in the older form', async () => {
    engine.reply = CALLS;
    const older = { functions: [definition], function_call: { name: 'weather' } };
    const reply = await client.chat.completions.stream({ model, messages, ...older }).finalChatCompletion();
    expect(reply.choices[0]?.message).toMatchObject({
      function_call: { name: 'weather', arguments: '{"city":"Oslo"}' },
    });
  });

  it('runs tools by itself, sending calls and results back', async () => {
    engine.reply = ({ input }) =>
      input.kind === 'chat' && input.messages.some(({ role }) => role === 'tool')
        ? { tokens: ['Sunny'] }
        : CALLS;
    const runner = client.chat.completions.runTools({
      model,
      messages,
      tools: [
        {
          type: 'function',
          function: {
            name: 'weather',
            description: 'Tells the weather.',
            parameters: { type: 'object', properties: { city: { type: 'string' } } },
            parse: JSON.parse,
            function: ({ city }: { city: string }) => `sunny in ${city}`,
          },
        },
      ],
    });
    expect(await runner.finalContent()).toBe('Sunny');
    const last = engine.requests.at(-1)?.input;
    expect(last?.kind === 'chat' ? last.messages.map(({ role }) => role) : []).toEqual([
      'user',
      'assistant',
      'tool',
    ]);
  });

  it('completes, whole and streamed', async () => {
    const reply = await client.completions.create({ model, prompt: ['a', 'b'], n: 2 });
    expect(reply.choices.map(({ index, text }) => [index, text])).toEqual(
      [0, 1, 2, 3].map((index) => [index, 'Hello world']),
    );
    let text = '';
    const stream = await client.completions.create({ model, prompt: 'a', stream: true });
    for await (const chunk of stream) text += chunk.choices[0]?.text ?? '';
    expect(text).toBe('Hello world');
  });

  it('embeds: base64 by default and numbers on request are the same vectors', async () => {
    const input = ['one two three', 'four'];
    const packed = await client.embeddings.create({ model, input });
    const plain = await client.embeddings.create({ model, input, encoding_format: 'float' });
    expect(packed.data.map(({ embedding }) => embedding)).toEqual(
      plain.data.map(({ embedding }) => embedding),
    );
    expect(packed.data[0]?.embedding).toHaveLength(8);
  });

  it('lists models', async () => {
    const ids = [];
    for await (const { id } of client.models.list()) ids.push(id);
    expect(ids).toEqual([model]);
  });

  it('throws its own errors for ours', async () => {
    const ask = (body: object): Promise<unknown> =>
      client.chat.completions.create({ model, messages, ...body });
    await expect(ask({ top_p: 9 })).rejects.toThrow(UnprocessableEntityError);
    const long = [{ role: 'user', content: 'word '.repeat(2100) }];
    await expect(ask({ messages: long })).rejects.toMatchObject({ code: 'context_length_exceeded' });
    await expect(ask({ messages: long, stream: true })).rejects.toThrow(BadRequestError);
    const stranger = client.withOptions({ apiKey: 'wrong' });
    await expect(stranger.models.list()).rejects.toThrow(AuthenticationError);
  });

  it('throws when the engine is lost in the middle of a stream', async () => {
    engine.reply = { tokens: ['a', 'b'], failAfter: 1 };
    const stream = await client.chat.completions.create({ model, messages, stream: true });
    const read = async (): Promise<void> => {
      for await (const _ of stream);
    };
    await expect(read()).rejects.toThrow('The engine process ended');
  });

  it('aborts a stream, which frees the engine', async () => {
    engine.reply = { tokens: ['a', 'b'], holdAfter: 1 };
    const stream = await client.chat.completions.create({ model, messages, stream: true });
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content === 'a') break;
    await engine.until(({ running }) => running === 0);
    expect(engine.aborted).toBe(1);
  });
});
