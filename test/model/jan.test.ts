// Scenarios of the Jan API against the real server and the demo model: what only a real tokenizer, real scores and real
// neighbours can show.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../support/server.js';
import type { Json } from '../wire/jan/start.js';

const COMPLETION = '/jan/v1/completions';
const CHAT = '/jan/v1/chat/completions';
/** Greedy, without the penalty that is on by default. */
const GREEDY = { temperature: 0, repeat_penalty: 1 };
/** Context of one sequence. */
const CONTEXT = 512;

let server: TestServer;
beforeAll(async () => {
  const args = ['--parallel', '8', '--ctx-size', String(CONTEXT), '--listen', 'jan:127.0.0.1:0'];
  server = await startTestServer({ args });
});
afterAll(() => server.stop());

const send = (path: string, body: unknown, signal?: AbortSignal): Promise<Response> =>
  fetch(server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal !== undefined && { signal }),
  });

/** The body of an answer that is no error. */
async function ask(path: string, body: unknown): Promise<Json> {
  const response = await send(path, body);
  const json = (await response.json()) as Json;
  expect([response.status, json]).toEqual([200, json]);
  return json;
}

/** Status and error of an answer that is one. */
async function refusal(path: string, body: unknown): Promise<readonly [number, Json | undefined]> {
  const response = await send(path, body);
  return [response.status, ((await response.json()) as Json)['error']];
}

/** The chunks of a stream that ended well. */
async function stream(path: string, body: object): Promise<readonly Json[]> {
  const text = await (await send(path, { ...body, stream: true })).text();
  const payloads = text.split('\n\n').filter((frame) => frame.startsWith('data: '));
  expect(payloads.at(-1)).toBe('data: [DONE]');
  return payloads.slice(0, -1).map((payload) => JSON.parse(payload.slice('data: '.length)) as Json);
}

const pieces = (chunks: readonly Json[]): readonly string[] =>
  chunks.map((chunk) => {
    const choice = chunk['choices']?.[0];
    return String(choice?.['text'] ?? choice?.['delta']?.['content'] ?? '');
  });
const choiceOf = (json: Json): Json => json['choices']?.[0] ?? {};
const textOf = async (body: object): Promise<string> => String(choiceOf(await ask(COMPLETION, body))['text']);
const list = (json: Json | undefined): readonly Json[] => Array.from(json as unknown as readonly Json[]);
const numbers = (json: Json | undefined): readonly number[] => json as unknown as readonly number[];

/** KV cells that running sequences hold. */
async function runningCells(): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  return Number(/^koine_kv_cells\{[^}]*use="running"\} (\d+)$/m.exec(text)?.[1]);
}

/** Resolves when the engine says that it is at work; it does so once a second. */
async function busy(): Promise<void> {
  await expect.poll(runningCells, { timeout: 5_000, interval: 10 }).toBeGreaterThan(0);
}

/** Resolves when the engine is idle. */
async function idle(): Promise<void> {
  await expect.poll(runningCells, { timeout: 5_000, interval: 10 }).toBe(0);
}

const PROMPTS = [
  'Once upon a time',
  'The capital of France is',
  'The capital of Japan is',
  'The opposite of hot is',
  'One day, a girl named',
  'In the morning, the',
  'The color of the sky is',
  'Two plus two is',
];

describe('greedy', () => {
  it('streams beside seven others are what they are alone', async () => {
    const bodyOf = (prompt: string) => ({ prompt, ...GREEDY, max_tokens: 24 });
    const alone: string[] = [];
    for (const prompt of PROMPTS) alone.push(await textOf(bodyOf(prompt)));
    const together = await Promise.all(PROMPTS.map((prompt) => stream(COMPLETION, bodyOf(prompt))));
    expect(together.map((chunks) => pieces(chunks).join(''))).toEqual(alone);
    expect(alone.every((text) => text !== '')).toBe(true);
  });

  it('text does not depend on what was asked before', async () => {
    const body = { ...GREEDY, max_tokens: 20 };
    const long = 'Once upon a time, there was a happy hedgehog named Mei.';
    const first = await textOf({ ...body, prompt: long });
    expect(await textOf({ ...body, prompt: long })).toBe(first);
    const short = await textOf({ ...body, prompt: 'Once upon a time, there' });
    expect(first).not.toBe('');
    await textOf({ ...body, prompt: 'Once under a time, there was a happy hedgehog named Mei.' });
    expect(await textOf({ ...body, prompt: 'Once upon a time, there' })).toBe(short);
    expect(await textOf({ ...body, prompt: long })).toBe(first);
  });
});

describe('characters that are spread over tokens', () => {
  const messages = [{ role: 'user', content: 'Repeat after me: 😀😀' }];
  const grammar = 'root ::= "😀😀 " [a-z ]{8,20}';
  const body = { messages, ...GREEDY, max_tokens: 16, grammar };

  it('survive streaming with log-probabilities', async () => {
    const whole = choiceOf(await ask(CHAT, { ...body, logprobs: true }));
    const content = String(whole['message']?.['content']);
    expect(content).toContain('😀');
    const chunks = await stream(CHAT, { ...body, logprobs: true });
    expect(pieces(chunks).join('')).toBe(content);
    const scored = chunks.flatMap((chunk) =>
      list(choiceOf(chunk)['logprobs']?.['content'] ?? ([] as unknown as Json)),
    );
    expect(scored).toEqual(list(whole['logprobs']?.['content']));
    const bytes = scored.flatMap((token) => numbers(token['bytes']));
    expect(Buffer.from(bytes).toString('utf8')).toBe(content);
    // Four bytes are three tokens of this vocabulary: no token holds a whole character of this kind.
    expect(scored.slice(0, 6).map((token) => numbers(token['bytes']).length)).toEqual([2, 1, 1, 2, 1, 1]);
  });

  it('survive stops, and are never shown in part', async () => {
    const content = String(choiceOf(await ask(CHAT, body))['message']?.['content']);
    const stop = content.slice(content.indexOf('😀') + 2).slice(0, 3);
    const chunks = await stream(CHAT, { ...body, stop: [stop], logprobs: true });
    expect(pieces(chunks).join('')).toBe(content.slice(0, content.indexOf(stop)));
    const grammar = 'root ::= "a😀b"';
    for (const [max_tokens, text] of [
      [1, 'a'],
      [2, 'a'],
      [3, 'a'],
      [4, 'a😀'],
      [5, 'a😀b'],
      [10, 'a😀b'],
    ] as const) {
      const asked = { prompt: 'x', grammar, max_tokens, ...GREEDY };
      expect([max_tokens, await textOf(asked)]).toEqual([max_tokens, text]);
      const streamed = pieces(await stream(COMPLETION, { ...asked, logprobs: 1 }));
      expect([max_tokens, streamed.join('')]).toEqual([max_tokens, text]);
    }
  });
});

describe('stopping', () => {
  it('happens at the earliest of several stops, and no part of one is shown', async () => {
    const body = { prompt: 'The capital of France is', ...GREEDY, max_tokens: 10 };
    expect(await textOf(body)).toBe(' Paris.');
    for (const stop of [
      ['ris', 'ar'],
      ['ar', 'ris'],
      ['', 'ar'],
      ['aris', 'ar', 'x'],
    ]) {
      expect(await textOf({ ...body, stop })).toBe(' P');
      const chunks = await stream(COMPLETION, { ...body, stop });
      expect(pieces(chunks).join('')).toBe(' P');
      expect(choiceOf(chunks.at(-1) ?? {})['finish_reason']).toBe('stop');
    }
  });

  it('waits for min_tokens, beside which a bias still counts', async () => {
    const body = { prompt: 'The capital of France is', ...GREEDY, max_tokens: 12 };
    const banned = { logit_bias: { ' Paris': -1000, Paris: -1000 }, logit_bias_type: 'tokens' };
    const json = await ask(COMPLETION, { ...body, ...banned, min_tokens: 12 });
    expect(choiceOf(json)['text']).not.toContain(' Paris');
    expect(json['usage']?.['completion_tokens']).toBe(12);
    expect((await ask(COMPLETION, { ...body, min_tokens: 12 }))['usage']?.['completion_tokens']).toBe(12);
    expect(Number((await ask(COMPLETION, body))['usage']?.['completion_tokens'])).toBeLessThan(12);
  });
});

describe('the window', () => {
  const long = 'word '.repeat(2 * CONTEXT);

  it('refuses prompts beyond it, streamed or not, with the figures', async () => {
    for (const extra of [{}, { stream: true }]) {
      const [status, error] = await refusal(COMPLETION, { prompt: long, ...extra });
      expect([status, error]).toEqual([
        400,
        {
          message: expect.stringMatching(
            /^This model's maximum context length is 512 tokens, however you requested \d+ tokens \(\d+ in your prompt; 16 for the completion\)\./,
          ),
          type: 'invalid_request_error',
          param: 'messages',
          code: 'context_length_exceeded',
        },
      ]);
      const messages = [{ role: 'user', content: long }];
      const [chatStatus, chatError] = await refusal(CHAT, { messages, ...extra });
      expect([chatStatus, chatError?.['code']]).toEqual([400, 'context_length_exceeded']);
      expect(chatError?.['message']).toContain('None in the completion');
    }
  });

  it('cuts an output that asks for more than is left', async () => {
    const messages = [{ role: 'user', content: '' }];
    expect(choiceOf(await ask(CHAT, { messages, max_tokens: 10 * CONTEXT }))).toHaveProperty('finish_reason');
    const body = { prompt: 'Once upon a time', min_tokens: 2 * CONTEXT, max_tokens: 2 * CONTEXT };
    const json = await ask(COMPLETION, body);
    expect(choiceOf(json)['finish_reason']).toBe('length');
    expect(json['usage']?.['total_tokens']).toBe(CONTEXT);
  });
});

describe('clients that leave', () => {
  const endless = { prompt: 'Once upon a time', max_tokens: 400, min_tokens: 400, n: 4 };

  it('free the engine, in the middle of a stream', async () => {
    const abort = new AbortController();
    const response = await send(COMPLETION, { ...endless, stream: true }, abort.signal);
    await response.body?.getReader().read();
    await busy();
    abort.abort();
    await idle();
  });

  it('free the engine, before a whole answer', async () => {
    const abort = new AbortController();
    const answer = send(COMPLETION, endless, abort.signal);
    await busy();
    abort.abort();
    await expect(answer).rejects.toThrow();
    await idle();
  });
});

describe('clients that leave before the first token', () => {
  it.each([true, false])('free the engine while their prompt is computed, stream: %s', async (isStream) => {
    await using large = await startTestServer({ args: ['--parallel', '1', '--ctx-size', '8192'] });
    const cells = async (): Promise<number> => {
      const text = await (await fetch(`${large.url}/metrics`)).text();
      return Number(/^koine_kv_cells\{[^}]*use="running"\} (\d+)$/m.exec(text)?.[1]);
    };
    const abort = new AbortController();
    const prompt = 'word '.repeat(8000);
    const received = fetch(`${large.url}${COMPLETION}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ prompt, stream: isStream, min_tokens: 16 }),
      signal: abort.signal,
    }).then(
      (response) => response.text().catch(() => 'nothing whole'),
      () => 'nothing whole',
    );
    await expect.poll(cells, { timeout: 10_000, interval: 5 }).toBeGreaterThan(0);
    const computed = await cells();
    abort.abort();
    expect(await received).toBe('nothing whole');
    await expect.poll(cells, { timeout: 10_000, interval: 5 }).toBe(0);
    expect(computed).toBeLessThan(8000);
  });
});

describe('a stream', () => {
  it('goes on while everything else is asked', async () => {
    const body = { prompt: 'Once upon a time', ...GREEDY, min_tokens: 200, max_tokens: 200 };
    const alone = pieces(await stream(COMPLETION, body)).join('');
    const running = stream(COMPLETION, body);
    const models = Array.from({ length: 8 }, async () => (await fetch(`${server.url}/jan/v1/models`)).json());
    const tokens = Array.from({ length: 8 }, () => ask('/jan/extras/tokenize', { input: 'a' }));
    for (const answer of await Promise.all(models)) {
      expect(answer).toMatchObject({ data: [{ id: 'koine-demo-q8_0', permissions: [] }] });
    }
    await Promise.all(tokens);
    expect(pieces(await running).join('')).toBe(alone);
  });
});

describe('seeds', () => {
  const body = { prompt: 'Once upon a time', temperature: 1.5, max_tokens: 20, seed: 7 };

  it('repeat whoever else is there', async () => {
    const alone = await textOf(body);
    const others = [1, 2, 3].map((seed) => textOf({ ...body, seed }));
    const [again, ...different] = await Promise.all([textOf(body), ...others]);
    expect(again).toBe(alone);
    expect(different).not.toContain(alone);
  });

  it('differ when nobody sets them', async () => {
    const random = { ...body, seed: null };
    expect(new Set([await textOf(random), await textOf(random), await textOf(random)]).size).toBeGreaterThan(
      1,
    );
  });

  it('of several choices give the best by log-probability', async () => {
    const scored = { ...body, logprobs: 0 };
    const mean = (choice: Json): number => {
      const values = numbers(choice['logprobs']?.['token_logprobs']);
      return values.reduce((sum, value) => sum + value, 0) / values.length;
    };
    const all = list((await ask(COMPLETION, { ...scored, n: 4 }))['choices']);
    const [best] = list((await ask(COMPLETION, { ...scored, best_of: 4 }))['choices']);
    expect(new Set(all.map((choice) => choice['text'])).size).toBeGreaterThan(1);
    const sorted = [...all].sort((a, b) => mean(b) - mean(a));
    expect(best?.['text']).toBe(sorted[0]?.['text']);
  });
});

describe('log-probabilities', () => {
  it('are those of the whole distribution', async () => {
    const messages = [{ role: 'user', content: 'Hello' }];
    const json = await ask(CHAT, {
      messages,
      max_tokens: 1,
      logprobs: true,
      top_logprobs: 1e6,
      logit_bias: { 5: 50 },
    });
    const top = list(choiceOf(json)['logprobs']?.['content']?.[0]?.['top_logprobs']);
    expect(top).toHaveLength(4608);
    expect(top.reduce((sum, token) => sum + Math.exp(Number(token['logprob'])), 0)).toBeCloseTo(1, 6);
  });

  it('of an echoed prompt begin at 0, and their pieces are the text', async () => {
    const prompt = 'The é😀 capital';
    const choice = choiceOf(
      await ask(COMPLETION, { prompt, ...GREEDY, max_tokens: 5, echo: true, logprobs: 2 }),
    );
    const text = String(choice['text']);
    expect(text.startsWith(prompt)).toBe(true);
    const logprobs = choice['logprobs'];
    expect([logprobs?.['token_logprobs']?.[0], logprobs?.['top_logprobs']?.[0]]).toEqual([null, null]);
    const offsets = numbers(logprobs?.['text_offset']);
    const tokens = list(logprobs?.['tokens']).map(String);
    expect(offsets[0]).toBe(0);
    expect(tokens).toHaveLength(offsets.length);
    const characters = [...text];
    tokens.forEach((token, i) => {
      if (token !== '' && token !== '\ufffd') {
        const at = offsets[i] ?? 0;
        expect([i, characters.slice(at, at + [...token].length).join('')]).toEqual([i, token]);
      }
    });
    const alone = choiceOf(await ask(COMPLETION, { prompt, ...GREEDY, max_tokens: 5, logprobs: 2 }));
    expect(numbers(alone['logprobs']?.['text_offset'])[0]).toBe([...prompt].length);
  });
});

describe('rules for the output', () => {
  const schema = {
    type: 'object',
    properties: { city: { enum: ['Oslo', 'Rome'] }, days: { type: 'integer' } },
    required: ['city', 'days'],
    additionalProperties: false,
  };
  const messages = [{ role: 'user', content: 'Plan a trip.' }];
  const tools = [{ type: 'function', function: { name: 'plan', parameters: schema } }];

  it('by grammar leave nothing else to say', async () => {
    const grammar = 'root ::= "north" | "south"';
    for (let seed = 0; seed < 4; seed += 1) {
      expect(['north', 'south']).toContain(await textOf({ prompt: 'a', grammar, seed, temperature: 2 }));
    }
    const [status, error] = await refusal(COMPLETION, { prompt: 'a', grammar: 'root ::= "a" (' });
    expect([status, error]).toEqual([
      400,
      expect.objectContaining({
        code: 'constraint',
        param: 'grammar',
        message: expect.stringMatching(/line 1, column \d+/),
      }),
    ]);
    const response_format = { type: 'json_object', schema: { type: 'objekt' } };
    const [, other] = await refusal(CHAT, { messages, response_format, stream: true });
    expect([other?.['param'], other?.['code']]).toEqual(['response_format', 'constraint']);
  });

  it('by a grammar of numbers vary with the seed and repeat with it', async () => {
    const grammar = 'root ::= "1" "0"? | [2-9]';
    const draw = (seed: number | null) =>
      textOf({ prompt: 'A number:', grammar, temperature: 50, min_p: 0, top_p: 1, top_k: 0, seed });
    const random = await Promise.all(Array.from({ length: 12 }, () => draw(null)));
    for (const text of random) expect(text).toMatch(/^(10|[1-9])$/);
    expect(new Set(random).size).toBeGreaterThan(1);
    const seeded = await Promise.all([1, 2, 3, 4].map(draw));
    expect(await Promise.all([1, 2, 3, 4].map(draw))).toEqual(seeded);
  });

  it('make a leaf of a schema that is only described a string', async () => {
    const schema = { type: 'object', properties: { note: { description: 'A note.' } }, required: ['note'] };
    const tools = [{ type: 'function', function: { name: 'keep', parameters: schema } }];
    // A number is what the model wants to say, so only the rule makes it a text.
    const wish = { logit_bias: { '5': 60 }, logit_bias_type: 'tokens' };
    const body = { messages, ...GREEDY, ...wish, max_tokens: 40 };
    const format = { type: 'json_object', schema };
    const content = choiceOf(await ask(CHAT, { ...body, response_format: format }))['message']?.['content'];
    expect(content).toMatch(/^\{\s*"note":\s*"/);
    const message = choiceOf(await ask(CHAT, { ...body, tools, tool_choice: 'required' }))['message'];
    expect(message?.['tool_calls']?.[0]?.['function']?.['arguments']).toMatch(/^\{\s*"note":\s*"/);
  });

  it('by schema give JSON of that shape, in all ways to ask', async () => {
    for (const response_format of [
      { type: 'json_object', schema },
      { type: 'json_schema', json_schema: { name: 'trip', schema, strict: true } },
    ]) {
      const json = await ask(CHAT, { messages, response_format, temperature: 1.5, seed: 3 });
      const value = JSON.parse(String(choiceOf(json)['message']?.['content'])) as Json;
      expect([Object.keys(value).sort(), ['Oslo', 'Rome'].includes(String(value['city']))]).toEqual([
        ['city', 'days'],
        true,
      ]);
    }
  });

  it('by a schema with references, choices and null give what it describes', async () => {
    const nested = {
      type: 'object',
      properties: { pet: { $ref: '#/$defs/pet' }, note: { anyOf: [{ type: 'null' }, { enum: ['x', 'y'] }] } },
      required: ['pet', 'note'],
      $defs: { pet: { type: 'object', properties: { kind: { enum: ['cat', 'dog'] } }, required: ['kind'] } },
    };
    const response_format = { type: 'json_object', schema: nested };
    const json = await ask(CHAT, { messages, response_format, ...GREEDY, max_tokens: 200 });
    const value = JSON.parse(String(choiceOf(json)['message']?.['content'])) as Json;
    expect(['cat', 'dog']).toContain(value['pet']?.['kind']);
    expect([null, 'x', 'y']).toContain(value['note']);
  });

  it('force a call, whose arguments follow their schema, whole and streamed', async () => {
    const named = { type: 'function', function: { name: 'plan' } };
    for (const tool_choice of [named, 'required']) {
      const body = { messages, tools, tool_choice, ...GREEDY, max_tokens: 120 };
      const whole = choiceOf(await ask(CHAT, body));
      const call = whole['message']?.['tool_calls']?.[0]?.['function'];
      expect([whole['finish_reason'], call?.['name']]).toEqual(['tool_calls', 'plan']);
      const value = JSON.parse(String(call?.['arguments'])) as Json;
      expect(['Oslo', 'Rome']).toContain(value['city']);
      const calls = (await stream(CHAT, body)).flatMap((chunk) =>
        list(choiceOf(chunk)['delta']?.['tool_calls'] ?? ([] as unknown as Json)),
      );
      expect(calls.filter((part) => 'id' in part)).toHaveLength(1);
      expect(calls.map((part) => part['function']?.['arguments'] ?? '').join('')).toBe(call?.['arguments']);
    }
  });
});

describe('tokens', () => {
  it.each([
    '',
    'a',
    ' a',
    '  two spaces',
    'line\nbreak\r\n',
    'é😀 世界 👩‍👩‍👧',
    'tab\t"quotes" \\',
    'word '.repeat(300),
  ])('of %j become it again', async (input) => {
    const tokens = numbers((await ask('/jan/extras/tokenize', { input }))['tokens']);
    expect((await ask('/jan/extras/tokenize/count', { input }))['count']).toBe(tokens.length);
    expect((await ask('/jan/extras/detokenize', { tokens }))['text']).toBe(input);
  });
});

describe('embeddings', () => {
  it('do not depend on their neighbours, and keep their order', async () => {
    const input = ['one', 'a longer text of several words', 'two'];
    const embed = async (texts: readonly string[]): Promise<readonly (readonly number[])[]> =>
      list((await ask('/jan/v1/embeddings', { input: texts }))['data']).map((item) =>
        numbers(item['embedding']),
      );
    const together = await embed(input);
    const reversed = (await embed([...input].reverse())).toReversed();
    for (const [index, text] of input.entries()) {
      const [alone = []] = await embed([text]);
      for (const other of [together[index] ?? [], reversed[index] ?? []]) {
        const worst = Math.max(...alone.map((value, i) => Math.abs(value - (other[i] ?? Number.NaN))));
        expect(worst).toBeLessThan(1e-3);
      }
    }
  });
});

describe('fill in the middle', () => {
  it('takes a suffix where the model has the tokens for it', async () => {
    const body = { prompt: 'def add(a, b):\n    return ', suffix: '\n\nprint(add(1, 2))', ...GREEDY };
    const json = await ask(COMPLETION, { ...body, echo: true });
    expect(String(choiceOf(json)['text']).startsWith(body.prompt)).toBe(true);
    const plain = await ask(COMPLETION, { ...GREEDY, prompt: body.prompt });
    expect(Number(json['usage']?.['prompt_tokens'])).toBeGreaterThan(
      Number(plain['usage']?.['prompt_tokens']),
    );
  });
});

describe('the addresses', () => {
  it('are /jan, the root where nobody else has the path, and one of its own', async () => {
    expect(await ask('/extras/tokenize', { input: 'a' })).toHaveProperty('tokens');
    const own = server.addresses.find(
      ({ url, speaks }) => url.endsWith('/jan') === false && speaks === 'jan alone',
    );
    expect(server.addresses.map(({ speaks }) => speaks)).toContain('jan alone');
    const models = await fetch(`${own?.url}/v1/models`);
    expect(await models.json()).toMatchObject({ data: [{ permissions: [] }] });
  });
});
