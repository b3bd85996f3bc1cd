// Scenarios of the Jan API that a single exchange cannot show: what a stream and its neighbours do to each other, ends
// of connections, streams against whole answers.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FakeReply, FakeToken } from '../../support/fake-engine.js';
import { FakeEngine, fakeRouter } from '../../support/fake-engine.js';
import { type Answer, type JanSetup, type JanUnderTest, type Json, startJan } from './start.js';

const CHAT = '/v1/chat/completions';
const COMPLETION = '/v1/completions';
const messages = [{ role: 'user', content: 'Say it' }];

let server: JanUnderTest | undefined;
const start = async (setup: JanSetup = {}): Promise<JanUnderTest> => {
  server = await startJan(setup);
  return server;
};
afterEach(() => server?.close());

/** The chunks of a stream that ended well. */
function chunksOf({ status, text }: Answer): readonly Json[] {
  const payloads = text
    .split('\n\n')
    .filter((frame) => frame.startsWith('data: '))
    .map((frame) => frame.slice('data: '.length));
  expect([status, payloads.at(-1)]).toEqual([200, '[DONE]']);
  return payloads.slice(0, -1).map((payload) => JSON.parse(payload) as Json);
}

const textOf = (chunks: readonly Json[]): string =>
  chunks
    .map((chunk) => chunk['choices']?.[0]?.['text'] ?? chunk['choices']?.[0]?.['delta']?.['content'] ?? '')
    .join('');

const FOX = 'The quick brown fox jumps over the lazy dog.';

describe('a stream and the same whole', () => {
  const fox: readonly FakeToken[] = [' jumps', ' over', ' the', ' lazy', ' dog.'];
  const emoji: readonly FakeToken[] = [{ bytes: [0xf0] }, { bytes: [0x9f, 0x98] }, { bytes: [0x80] }];

  it.each([
    ['a sentence', { tokens: fox }, {}, ' jumps over the lazy dog.', 'stop'],
    ['one of their own', { tokens: ['The quick brown fox', ...fox] }, { prompt: '' }, FOX, 'stop'],
    ['two tokens of it', { tokens: fox }, { max_tokens: 2 }, ' jumps over', 'length'],
    ['one emoji of several tokens', { tokens: emoji }, {}, '😀', 'stop'],
    ['the first token of an emoji', { tokens: emoji }, { max_tokens: 1 }, '', 'length'],
    ['an emoji, scored', { tokens: emoji }, { logprobs: 1 }, '😀', 'stop'],
  ] as const)('say %s', async (_name, reply: FakeReply, extra, text, reason) => {
    const { post } = await start({ reply });
    const body = { prompt: 'The quick brown fox', max_tokens: 20, ...extra };
    const whole = (await post(COMPLETION, body)).json?.['choices']?.[0];
    expect([whole?.['text'], whole?.['finish_reason']]).toEqual([text, reason]);
    const chunks = chunksOf(await post(COMPLETION, { ...body, stream: true }));
    expect(textOf(chunks)).toBe(text);
    expect(chunks.map((chunk) => chunk['choices']?.[0]?.['finish_reason'])).toEqual([
      ...chunks.slice(1).map(() => null),
      reason,
    ]);
  });

  it('agree on the log-probabilities, of which a stream loses none', async () => {
    const { post } = await start({ reply: { tokens: ['ö', ...emoji, ' ok', { bytes: [0xf0] }] } });
    for (const extra of [{}, { echo: true }]) {
      const body = { prompt: 'The é fox', logprobs: 2, ...extra };
      const whole = (await post(COMPLETION, body)).json?.['choices']?.[0]?.['logprobs'];
      const chunks = chunksOf(await post(COMPLETION, { ...body, stream: true }));
      for (const key of ['text_offset', 'token_logprobs', 'tokens', 'top_logprobs']) {
        const streamed = chunks.flatMap((chunk) => chunk['choices']?.[0]?.['logprobs']?.[key] ?? []);
        expect([key, streamed]).toEqual([key, whole?.[key]]);
      }
    }
    const scored = (await post(CHAT, { messages, logprobs: true })).json?.['choices']?.[0]?.['logprobs'];
    const chunks = chunksOf(await post(CHAT, { messages, logprobs: true, stream: true }));
    const content = chunks.flatMap((chunk) => chunk['choices']?.[0]?.['logprobs']?.['content'] ?? []);
    expect(content).toEqual(scored?.['content']);
    expect(content).toHaveLength(6);
  });
});

describe('a forced call in a stream', () => {
  const reply: FakeReply = {
    tokens: ['a', 'b', 'c'],
    reason: 'tool_calls',
    parts: [
      [{ kind: 'tool-call', index: 0, id: 'x', name: 'get' }],
      [{ kind: 'tool-arguments', index: 0, text: '{"tz":' }],
      [{ kind: 'tool-arguments', index: 0, text: '"UTC"}' }],
    ],
  };
  const functions = [{ name: 'get', parameters: { type: 'object' } }];
  const tools = functions.map((definition) => ({ type: 'function', function: definition }));

  it('names itself once, and its arguments join to JSON', async () => {
    const { post, engine } = await start({ reply });
    const choice = { type: 'function', function: { name: 'get' } };
    const chunks = chunksOf(await post(CHAT, { messages, tools, tool_choice: choice, stream: true }));
    const calls = chunks.flatMap((chunk) => chunk['choices']?.[0]?.['delta']?.['tool_calls']?.[0] ?? []);
    expect(calls.filter((call) => 'id' in call)).toHaveLength(1);
    expect(calls.filter((call) => 'name' in (call['function'] ?? {}))).toHaveLength(1);
    const text = calls.map((call) => call['function']?.['arguments'] ?? '').join('');
    expect(JSON.parse(text)).toEqual({ tz: 'UTC' });
    expect(engine.requests[0]?.constraint).toMatchObject({ kind: 'tool-call', mode: 'call' });
    expect(chunks.at(-1)?.['choices']?.[0]?.['finish_reason']).toBe('tool_calls');
  });

  it('is mirrored for who asked in the older form', async () => {
    const { post } = await start({ reply });
    const body = { messages, functions, function_call: { name: 'get' } };
    const chunks = chunksOf(await post(CHAT, { ...body, stream: true }));
    const mirrored = chunks.flatMap((chunk) => chunk['choices']?.[0]?.['delta']?.['function_call'] ?? []);
    expect(mirrored.map((call) => call['name']).filter((name) => name !== undefined)).toEqual(['get']);
    expect(mirrored.map((call) => call['arguments']).join('')).toBe('{"tz":"UTC"}');
    const whole = (await post(CHAT, body)).json?.['choices']?.[0]?.['message'];
    expect(whole?.['function_call']).toEqual({ name: 'get', arguments: '{"tz":"UTC"}' });
    expect(whole?.['tool_calls']?.[0]?.['id']).toMatch(/^call__0_get_cmpl-[0-9a-f-]{36}$/);
  });
});

describe('a list of many prompts', () => {
  it('is answered in its order, and nothing is printed about it', async () => {
    const { post, engine } = await start();
    engine.reply = ({ input }) => ({ tokens: [input.kind === 'text' ? input.text : ''] });
    const warnings: string[] = [];
    const onWarning = ({ message }: Error): void => void warnings.push(message);
    process.on('warning', onWarning);
    try {
      const prompt = Array.from({ length: 40 }, (_, i) => `p${i}`);
      const choices = (await post(COMPLETION, { prompt })).json?.['choices'];
      expect(prompt.map((_, i) => choices?.[i]?.['text'])).toEqual(prompt);
      // Warnings are told on the next turn.
      await new Promise((resolve) => setImmediate(resolve));
    } finally {
      process.off('warning', onWarning);
    }
    expect(warnings).toEqual([]);
  });
});

describe('a running stream', () => {
  it('is not disturbed by anything that arrives', async () => {
    const { post, get, engine } = await start({ reply: { tokens: ['a', ' b'], holdAfter: 1 } });
    const stream = post(COMPLETION, { prompt: 'x', stream: true });
    await engine.until(({ running }) => running === 1);
    expect((await get('/v1/models')).status).toBe(200);
    expect((await post('/extras/tokenize', { input: 'a b' })).json).toHaveProperty('tokens');
    engine.reply = { tokens: ['other'] };
    expect((await post(COMPLETION, { prompt: 'y' })).json?.['choices']?.[0]?.['text']).toBe('other');
    engine.release();
    expect(textOf(chunksOf(await stream))).toBe('a b');
    expect(engine.aborted).toBe(0);
  });

  it('ends its other prompts when one of them fails', async () => {
    const { post, engine } = await start();
    const held = { tokens: ['a', ' b'], holdAfter: 1 };
    engine.reply = ({ input }) =>
      input.kind === 'text' && input.text === 'bad' ? { tokens: ['c'], failAfter: 1 } : held;
    const { status, text } = await post(COMPLETION, { prompt: ['good', 'bad'], stream: true });
    expect(status).toBe(200);
    expect(text.match(/"error":/g)).toHaveLength(1);
    expect(text).not.toContain('[DONE]');
    await engine.until(({ running }) => running === 0);
    const whole = await post(COMPLETION, { prompt: ['good', 'bad'] });
    expect([whole.status, whole.json?.['error']?.['type']]).toEqual([500, 'internal_server_error']);
    await engine.until(({ running }) => running === 0);
  });

  it.each([
    ['for its prompt to be computed', -1],
    ['for its first token', 0],
    ['for the next', 1],
  ])('is kept alive by comments while it waits %s', async (_for, holdAfter) => {
    const reply = { tokens: ['a', ' b'], holdAfter };
    const { url, engine } = await start({ reply, serve: { http: { keepAliveMs: 20 } } });
    const response = await fetch(url + CHAT, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ messages, stream: true }),
    });
    const decoder = new TextDecoder();
    let text = '';
    for await (const bytes of response.body ?? []) {
      text += decoder.decode(bytes as Uint8Array, { stream: true });
      if (text.includes(': ping\n\n')) engine.release();
    }
    expect(text).toMatch(/: ping\n\n/);
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  });
});

describe('a stream that waits for its model to be loaded', () => {
  /** A server whose model is there after the third comment. */
  const read = async (body: object): Promise<string> => {
    const { url, engine } = await start({ serve: { http: { keepAliveMs: 20 } } });
    let arrive = (): void => undefined;
    const arrival = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    engine.describe = () => arrival.then(() => engine.description);
    const response = await fetch(url + COMPLETION, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: 'x', stream: true, ...body }),
    });
    expect(response.headers.get('openai-processing-ms')).toMatch(/^\d+$/);
    const decoder = new TextDecoder();
    let text = '';
    for await (const bytes of response.body ?? []) {
      text += decoder.decode(bytes as Uint8Array, { stream: true });
      if (text.split(': ping').length > 3) arrive();
    }
    return text;
  };

  it('is kept company by comments, and then answered', async () => {
    const text = await read({});
    expect(text).toMatch(/^: ping\n\n: ping\n\n: ping\n\n/);
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  it('is told what is wrong, if it is, by an event', async () => {
    const text = await read({ suffix: 'y' });
    const [event = ''] = text.match(/^data: .*$/m) ?? [];
    expect(JSON.parse(event.slice('data: '.length))).toEqual({
      error: {
        message: expect.stringContaining("The model 'fake-model' has no fill-in-the-middle tokens"),
        type: 'invalid_request_error',
        param: null,
        code: null,
      },
    });
    expect(text).not.toContain('[DONE]');
  });
});

describe('models', () => {
  let small: FakeEngine;
  let large: FakeEngine;
  beforeEach(async () => {
    small = new FakeEngine({ description: { id: 'small', aliases: ['gpt-4'] } });
    large = new FakeEngine({
      description: { id: 'large', aliases: ['copilot-codex'] },
      reply: { tokens: ['L'] },
    });
  });

  const ask = async (given: JanUnderTest, path: string, model?: string | null) => {
    const { status, json } = await given.post(path, { prompt: 'a', model });
    return [status, json?.['model'] ?? json?.['error']?.['code'], json?.['choices']?.[0]?.['text']];
  };

  it('are found by name, and the first answers to any other', async () => {
    const given = await start({ options: { router: fakeRouter(small, large) } });
    expect(await ask(given, COMPLETION)).toEqual([200, 'small', 'Hello world']);
    for (const none of [null, ''])
      expect(await ask(given, COMPLETION, none)).toEqual([200, 'small', 'Hello world']);
    expect(await ask(given, COMPLETION, 'gpt-4')).toEqual([200, 'gpt-4', 'Hello world']);
    expect(await ask(given, COMPLETION, 'large')).toEqual([200, 'large', 'L']);
    expect(await ask(given, COMPLETION, '/models/unknown.gguf')).toEqual([200, 'small', 'Hello world']);
    expect(await ask(given, '/v1/engines/copilot-codex/completions', 'gpt-x')).toEqual([200, 'gpt-x', 'L']);
    const list = (await given.get('/v1/models')).json?.['data'];
    expect(list).toEqual(['small', 'large'].map((id) => expect.objectContaining({ id, permissions: [] })));
  });

  it('that nobody knows are refused where that is wanted', async () => {
    const given = await start({ options: { router: fakeRouter(small, large), unknownModel: 'refuse' } });
    expect(await ask(given, COMPLETION, 'none')).toEqual([404, 'model_not_found', undefined]);
    expect(await ask(given, COMPLETION)).toEqual([200, 'small', 'Hello world']);
  });
});

describe('tokens', () => {
  it('become the text they came from', async () => {
    const { post } = await start();
    for (const text of ['one two', ' leading', 'é😀 世界', '']) {
      const tokens = (await post('/extras/tokenize', { input: text })).json?.['tokens'];
      expect((await post('/extras/tokenize/count', { input: text })).json?.['count']).toBe(
        (tokens as unknown as readonly number[]).length,
      );
      expect((await post('/extras/detokenize', { tokens })).json?.['text']).toBe(text);
    }
  });

  it('lose the space their tokenizer put before the text, and no other', async () => {
    const { post, engine } = await start();
    const { encode } = engine.tokenizer;
    engine.tokenizer.encode = (text, addSpecial) =>
      encode.call(engine.tokenizer, text === '' ? '' : ` ${text}`, addSpecial);
    const tokens = (await post('/extras/tokenize', { input: 'one two' })).json?.[
      'tokens'
    ] as unknown as number[];
    expect((await post('/extras/detokenize', { tokens })).json?.['text']).toBe('one two');
    expect((await post('/extras/detokenize', { tokens: tokens.slice(1) })).json?.['text']).toBe(' one two');
  });
});

describe('embeddings', () => {
  it('are the same numbers in both encodings', async () => {
    const { post } = await start();
    const input = ['one two three', 'four'];
    const packed = (await post('/v1/embeddings', { input, encoding_format: 'base64' })).json?.['data'];
    const plain = (await post('/v1/embeddings', { input })).json?.['data'];
    for (const index of [0, 1]) {
      const bytes = Buffer.from(String(packed?.[index]?.['embedding']), 'base64');
      const floats = Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(i * 4));
      expect(floats).toEqual(plain?.[index]?.['embedding']);
      expect(Math.hypot(...floats)).toBeCloseTo(1, 6);
    }
  });

  it('have length 1 also when they are cut', async () => {
    const { post } = await start();
    const ask = async (extra: object) => {
      const { json } = await post('/v1/embeddings', { input: 'one two', dimensions: 2, ...extra });
      return json?.['data']?.[0]?.['embedding'] as unknown as readonly number[];
    };
    expect(Math.hypot(...(await ask({})))).toBeCloseTo(1, 6);
    expect(Math.hypot(...(await ask({ normalize: false })))).toBeGreaterThan(1.5);
  });

  it('of a text that is too long are refused', async () => {
    const { post } = await start();
    const { status, json } = await post('/v1/embeddings', { input: 'word '.repeat(2100) });
    expect([status, json?.['error']]).toEqual([
      400,
      expect.objectContaining({ code: 'context_length_exceeded', param: 'input' }),
    ]);
  });

  it('have one vector per input also where the model has no pooling', async () => {
    const { post, engine } = await start({ description: { pooling: 'none' } });
    expect((await post('/v1/embeddings', { input: 'a' })).status).toBe(200);
    expect(engine.embedRequests[0]).toMatchObject({ pooling: 'mean', normalize: true, truncate: false });
  });
});
