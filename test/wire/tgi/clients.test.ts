// Clients as they are published, unmodified, with this server as their endpoint.

import { InferenceClient } from '@huggingface/inference';
import { ChatOpenAI } from '@langchain/openai';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTgi, type TgiUnderTest } from './start.js';

const messages = [{ role: 'user' as const, content: 'Hello' }];
let server: TgiUnderTest;
beforeAll(async () => {
  server = await startTgi({ reply: { tokens: ['Hi', ' there', '!'] } });
});
afterAll(() => server.close());

describe('@huggingface/inference', () => {
  const client = (): InferenceClient => new InferenceClient('hf_key', { endpointUrl: server.url });

  it('generates', async () => {
    const answer = await client().textGeneration({
      inputs: 'Say hi',
      parameters: { max_new_tokens: 10, do_sample: false, return_full_text: false },
    });
    expect(answer.generated_text).toBe('Hi there!');
  });

  it('streams text', async () => {
    let text = '';
    for await (const chunk of client().textGenerationStream({ inputs: 'Say hi' })) {
      // It hands completion chunks on as they come.
      text += (chunk as unknown as { choices: readonly { text: string }[] }).choices[0]?.text ?? '';
    }
    expect(text).toBe('Hi there!');
  });

  it('chats', async () => {
    const answer = await client().chatCompletion({ messages, max_tokens: 10 });
    expect(answer.choices[0]?.message.content).toBe('Hi there!');
    expect(answer.usage.completion_tokens).toBe(4);
  });

  it('streams a chat', async () => {
    let text = '';
    for await (const chunk of client().chatCompletionStream({ messages })) {
      text += chunk.choices[0]?.delta.content ?? '';
    }
    expect(text).toBe('Hi there!');
  });

  it.each([true, false, undefined])('streams a chat with include_usage %s', async (include_usage) => {
    const chunks = [];
    const asked = include_usage === undefined ? {} : { stream_options: { include_usage } };
    for await (const chunk of client().chatCompletionStream({ messages, ...asked })) chunks.push(chunk);
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('Hi there!');
    const usages = chunks.map(({ usage }) => usage ?? null);
    if (include_usage === true) {
      expect(chunks.at(-1)?.choices).toEqual([]);
      expect(usages.pop()).toEqual({ prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 });
    }
    expect(usages).toEqual([null, null, null, null]);
  });

  it('shows what was refused', async () => {
    await expect(client().chatCompletion({ messages, top_p: 1 })).rejects.toThrow(
      'Input validation error: `top_p` must be > 0.0 and < 1.0',
    );
  });
});

describe('openai', () => {
  const client = (): OpenAI => new OpenAI({ apiKey: 'none', baseURL: `${server.url}/v1`, maxRetries: 0 });

  it('chats, completes and lists models', async () => {
    const chat = await client().chat.completions.create({ model: 'tgi', messages });
    expect([chat.choices[0]?.message.content, chat.choices[0]?.finish_reason]).toEqual(['Hi there!', 'stop']);
    const completion = await client().completions.create({ model: 'tgi', prompt: ['a', 'b'] });
    expect(completion.choices.map(({ text }) => text)).toEqual(['Hi there!', 'Hi there!']);
    const models = await client().models.list();
    expect(models.data.map(({ id }) => id)).toEqual(['fake-model']);
  });

  it('streams a chat with its usage last', async () => {
    const stream = await client().chat.completions.create({
      model: 'tgi',
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('Hi there!');
    expect(chunks.map(({ usage }) => usage?.total_tokens ?? null)).toEqual([null, null, null, null, 7]);
    expect(chunks.at(-1)?.choices).toEqual([]);
  });

  it.each([false, undefined])('streams a chat without usage when asked with %s', async (include_usage) => {
    const stream = await client().chat.completions.create({
      model: 'tgi',
      messages,
      stream: true,
      ...(include_usage === undefined ? {} : { stream_options: { include_usage } }),
    });
    const usages = [];
    for await (const { usage, choices } of stream) usages.push([usage, choices.length]);
    expect(usages).toEqual(Array(4).fill([null, 1]));
  });

  it('raises what a stream refuses', async () => {
    const stream = await client().chat.completions.create({ model: 'tgi', messages, stream: true, top_p: 1 });
    const read = async (): Promise<void> => {
      for await (const _chunk of stream);
    };
    await expect(read()).rejects.toThrow('`top_p` must be > 0.0 and < 1.0');
  });

  it('raises an overload as such', async () => {
    server.engine.reply = { failAfter: 0, failure: { code: 'overloaded', message: 'full' } };
    await expect(client().chat.completions.create({ model: 'tgi', messages })).rejects.toMatchObject({
      status: 429,
    });
    server.engine.reply = { tokens: ['Hi', ' there', '!'] };
  });
});

describe('@langchain/openai', () => {
  const chat = (): ChatOpenAI =>
    new ChatOpenAI({
      model: 'tgi',
      apiKey: 'none',
      temperature: 0,
      maxRetries: 0,
      configuration: { baseURL: `${server.url}/v1` },
    });

  it('invokes, streams and batches', async () => {
    const answer = await chat().invoke('Hello');
    // LangChain's types lose the usage under strict options.
    const { usage_metadata: usage } = answer as object as { usage_metadata?: { output_tokens: number } };
    expect([answer.text, usage?.output_tokens]).toEqual(['Hi there!', 4]);
    let text = '';
    for await (const chunk of await chat().stream('Hello')) text += chunk.text;
    expect(text).toBe('Hi there!');
    const many = await chat().batch(['a', 'b', 'c']);
    expect(many.map((each) => each.text)).toEqual(Array(3).fill('Hi there!'));
  });

  it('calls a tool', async () => {
    const call = '{"function": {"_name": "get_weather", "city": "Paris"}}';
    server.engine.reply = { tokens: [call] };
    try {
      const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
      const tool = { type: 'function' as const, function: { name: 'get_weather', parameters } };
      const answer = await chat()
        .bindTools([tool], { tool_choice: 'get_weather' })
        .invoke('Weather in Paris?');
      expect(answer.tool_calls?.map(({ name, args }) => [name, args])).toEqual([
        ['get_weather', { city: 'Paris' }],
      ]);
    } finally {
      server.engine.reply = { tokens: ['Hi', ' there', '!'] };
    }
  });
});
