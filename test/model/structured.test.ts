// Structured output through the whole server with the demo model: the same conversation in every dialect's own shape,
// rules of every kind, random schemas, and what happens to everybody else when a rule is bad or slow.

import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../src/protocol/index.js';
import { randomSchema } from '../property/constraint-schemas.js';
import { runRequest, startTestEngine } from '../support/engine.js';
import { startTestServer, type TestServer } from '../support/server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ args: ['--parallel', '8', '--ctx-size', '1024'] });
});
afterAll(() => server.stop());

const send = (path: string, body: unknown, signal?: AbortSignal): Promise<Response> =>
  fetch(server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });

interface Call {
  readonly id: string;
  readonly type: string;
  readonly function: { readonly name: string | null; readonly arguments: string };
}
interface Message {
  readonly content?: string | null;
  readonly tool_calls?: readonly Call[] | null;
}
interface Choice {
  readonly message: Message;
  readonly delta: Message;
  readonly finish_reason: string | null;
}
/** A reply, whole or put together from its chunks. */
interface Answer {
  readonly content: string;
  readonly calls: readonly Call[];
  readonly reason: string | null;
}

/** OpenAI's error, which Jan shares, or TGI's. */
interface WireError {
  readonly error: string | { readonly message: string; readonly param: string };
  readonly error_type?: string;
}

/** What is different from dialect to dialect. */
interface Wire {
  readonly chat: string;
  /** Finish reason of a reply that is a call; a stream of TGI's has none then. */
  readonly callReason: string;
  readonly streamedCallReason: string | null;
  readonly schema: (schema: object) => object;
  readonly regex: (pattern: string) => object;
  /** Where an error says what is wrong, and in which field. */
  readonly error: (body: WireError) => { readonly message: unknown; readonly field: unknown };
}

const openaiError: Wire['error'] = ({ error }) =>
  typeof error === 'string'
    ? { message: undefined, field: undefined }
    : { message: error.message, field: error.param };
const jsonSchema = (schema: object) => ({
  response_format: { type: 'json_schema', json_schema: { name: 'reply', schema, strict: true } },
});

const WIRES: Readonly<Record<'openai' | 'tgi' | 'jan', Wire>> = {
  openai: {
    chat: '/v1/chat/completions',
    callReason: 'tool_calls',
    streamedCallReason: 'tool_calls',
    schema: jsonSchema,
    regex: (pattern) => ({ guided_regex: pattern }),
    error: openaiError,
  },
  tgi: {
    chat: '/tgi/v1/chat/completions',
    callReason: 'stop',
    streamedCallReason: null,
    schema: (schema) => ({ response_format: { type: 'json', value: schema } }),
    regex: (pattern) => ({ response_format: { type: 'regex', value: pattern } }),
    error: ({ error, error_type }) => ({ message: error, field: error_type }),
  },
  jan: {
    chat: '/jan/v1/chat/completions',
    callReason: 'tool_calls',
    streamedCallReason: 'tool_calls',
    schema: jsonSchema,
    // It knows no expressions; this is how its clients write one.
    regex: (pattern) => ({
      grammar: `root ::= ${pattern.replace(/^([a-z ]+)/, '"$1" ')}`,
    }),
    error: openaiError,
  },
};

/** A reply; the test fails when the server refuses. */
async function chat(wire: Wire, body: object): Promise<Answer> {
  const response = await send(wire.chat, { model: 'default', temperature: 0, max_tokens: 120, ...body });
  const text = await response.text();
  expect([response.status, text]).toEqual([200, text]);
  if (!('stream' in body)) {
    const [choice] = (JSON.parse(text) as { choices: readonly Choice[] }).choices;
    const { content, tool_calls: calls } = choice?.message ?? {};
    return { content: content ?? '', calls: calls ?? [], reason: choice?.finish_reason ?? null };
  }
  const frames = text.split('\n\n').filter((frame) => frame.startsWith('data: {'));
  const choices = frames.flatMap(
    (frame) => (JSON.parse(frame.slice('data: '.length)) as { choices: readonly Choice[] }).choices,
  );
  return joined(choices);
}

/** Chunks put together as clients do it: a name once, arguments bit by bit. */
function joined(choices: readonly Choice[]): Answer {
  let content = '';
  const calls = new Map<number, { id: string; name: string; arguments: string }>();
  for (const { delta } of choices) {
    content += delta.content ?? '';
    for (const part of (delta.tool_calls ?? []) as readonly (Call & { index: number })[]) {
      const call = calls.get(part.index) ?? { id: part.id, name: '', arguments: '' };
      calls.set(part.index, call);
      call.name += part.function.name ?? '';
      call.arguments += part.function.arguments;
    }
  }
  return {
    content,
    calls: [...calls.values()].map(({ id, ...rest }) => ({ id, type: 'function', function: rest })),
    reason: choices.map(({ finish_reason: reason }) => reason).findLast((reason) => reason !== null) ?? null,
  };
}

const user = (content: string) => ({ role: 'user', content });
const functionTool = (name: string, parameters: object) => ({
  type: 'function',
  function: { name, description: `Says ${name}`, parameters, strict: true },
});
const WEATHER = {
  type: 'object',
  properties: { city: { type: 'string', maxLength: 20 }, unit: { enum: ['celsius', 'fahrenheit'] } },
  required: ['city', 'unit'],
  additionalProperties: false,
} as const;
const TIME = { type: 'object', properties: { zone: { enum: ['utc', 'local'] } }, required: ['zone'] };
const TOOLS = [functionTool('get_weather', WEATHER), functionTool('get_time', TIME)];
const ajv = new Ajv2020({ strict: false, validateFormats: false });
const isWeather = ajv.compile(WEATHER);
const QUESTION = 'What is the weather in Paris?';

function expectWeather(call: Call | undefined): void {
  expect(call?.function.name).toBe('get_weather');
  const given: unknown = JSON.parse(call?.function.arguments ?? '');
  expect(isWeather(given), JSON.stringify(given)).toBe(true);
}

const EVERY = Object.entries(WIRES);

describe.each(EVERY)('the weather, in the shape of %s', (name, wire) => {
  it.each([['whole'], ['streamed']])('is asked for by a valid call and then told, %s', async (how) => {
    const stream = how === 'streamed' ? { stream: true } : {};
    const messages = [user(QUESTION)];
    const tools = TOOLS.slice(0, 1);
    const asked = await chat(wire, { messages, tools, tool_choice: 'required', ...stream });
    const reason = how === 'streamed' ? wire.streamedCallReason : wire.callReason;
    expect([asked.content, asked.calls.length, asked.reason]).toEqual(['', 1, reason]);
    expectWeather(asked.calls[0]);
    const [call] = asked.calls;
    const result = JSON.stringify({ temperature: 21, condition: 'sunny' });
    const told = await chat(wire, {
      messages: [
        ...messages,
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: call?.id, content: result },
      ],
      tools,
      // TGI's "auto" makes the model pick a function or none at each turn, and this small one picks again.
      tool_choice: name === 'tgi' ? 'none' : 'auto',
      ...stream,
    });
    expect([told.calls, told.reason]).toEqual([[], 'stop']);
    // The small model tells the degrees too, but not in every shape: TGI's leaves the tools out of this prompt.
    expect(told.content).toContain('sunny');
  });

  it('is the same call streamed and whole', async () => {
    const body = { messages: [user(QUESTION)], tools: TOOLS, tool_choice: 'required' };
    const [whole, streamed] = await Promise.all([chat(wire, body), chat(wire, { ...body, stream: true })]);
    const read = ({ calls }: Answer): unknown =>
      calls.map(({ function: call }) => [call.name, JSON.parse(call.arguments)]);
    expect(read(streamed)).toEqual(read(whole));
  });

  it('is asked for where a call is required, where it is named, and never with none', async () => {
    const messages = [user('Tell me a story.')];
    const required = await chat(wire, { messages, tools: TOOLS, tool_choice: 'required' });
    expect(required.calls).toHaveLength(1);
    for (const tool of ['get_weather', 'get_time']) {
      const tool_choice = { type: 'function', function: { name: tool } };
      const named = await chat(wire, { messages, tools: TOOLS, tool_choice, temperature: 1.5, seed: 7 });
      expect(named.calls.map((call) => call.function.name)).toEqual([tool]);
      if (tool === 'get_weather') expectWeather(named.calls[0]);
      else expect(['utc', 'local']).toContain(JSON.parse(named.calls[0]?.function.arguments ?? '').zone);
    }
    const none = await chat(wire, { messages: [user(QUESTION)], tools: TOOLS, tool_choice: 'none' });
    expect(none.calls).toEqual([]);
    expect(none.content).not.toBe('');
  });
});

describe('tools that are strict', () => {
  it.each([['openai'], ['jan']] as const)('are called validly with auto too, in %s', async (name) => {
    const tools = TOOLS.slice(0, 1);
    const answer = await chat(WIRES[name], { messages: [user(QUESTION)], tools, tool_choice: 'auto' });
    expect(answer.calls).toHaveLength(1);
    expectWeather(answer.calls[0]);
    const words = await chat(WIRES[name], { messages: [user('Hello')], tools, tool_choice: 'auto' });
    expect([words.calls, words.reason]).toEqual([[], 'stop']);
    expect(words.content).not.toBe('');
  });
});

describe('calls a model chooses to make', () => {
  const PAINT = {
    type: 'object',
    properties: { colour: { enum: ['green', 'red'] }, layers: { type: 'integer' } },
    required: ['colour', 'layers'],
  };
  const free = (name: string, parameters: object) => ({
    type: 'function',
    function: { name, description: 'Paint a wall', parameters },
  });
  const ASKED = [user('Paint the wall in green with 59 layers.')];
  const isPaint = ajv.compile(PAINT);

  it.each([
    ['openai', {}],
    ['openai', { stream: true }],
    ['openai', { n: 2, temperature: 0.5, seed: 3 }],
    ['jan', {}],
    ['jan', { stream: true }],
  ] as const)('are of a tool it never saw, in %s with %j', async (name, more) => {
    const tools = [free('zq_7xV_kwJ_9', PAINT)];
    const { calls, reason } = await chat(WIRES[name], { messages: ASKED, tools, ...more });
    expect([calls.map((call) => call.function.name), reason]).toEqual([['zq_7xV_kwJ_9'], 'tool_calls']);
    const given: unknown = JSON.parse(calls[0]?.function.arguments ?? '');
    expect(isPaint(given), JSON.stringify(given)).toBe(true);
  });

  it('are made also where a schema cannot be held, and refused only where it is strict', async () => {
    const nested = (levels: number): object =>
      levels === 0 ? { type: 'string' } : { type: 'array', items: nested(levels - 1) };
    const faulty = [{ $ref: 'http://127.0.0.1/else' }, { type: 'colour' }, nested(600)];
    for (const colour of faulty) {
      const parameters = { type: 'object', properties: { colour } };
      const tools = [free('paint_wall_42', parameters)];
      const { calls } = await chat(WIRES.openai, { messages: ASKED, tools });
      expect(calls.map((call) => call.function.name)).toEqual(['paint_wall_42']);
      const strict = [functionTool('paint_wall_42', parameters)];
      const refused = await send(WIRES.openai.chat, { model: 'default', messages: ASKED, tools: strict });
      expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('parameters/')]);
    }
    // Too deep to be handed on at all: answered, with whatever the model makes of such a prompt.
    const parameters = { type: 'object', properties: { colour: nested(1100) } };
    await chat(WIRES.openai, { messages: ASKED, tools: [free('paint_wall_42', parameters)] });
  });
});

describe('a rule for the answer beside tools', () => {
  it('leaves the choice to the model: a call, or an answer under the rule', async () => {
    const tools = TOOLS.slice(0, 1);
    const reply = {
      type: 'object',
      properties: { text: { type: 'string', maxLength: 30 } },
      required: ['text'],
    };
    const isReply = ajv.compile(reply);
    for (const more of [{}, { stream: true }, { temperature: 1.5, seed: 3 }, { temperature: 1.5, seed: 4 }]) {
      const body = { messages: [user(QUESTION)], tools, ...jsonSchema(reply), ...more };
      const { content, calls, reason } = await chat(WIRES.openai, body);
      if (reason === 'length') continue;
      if (calls.length === 0) expect(isReply(JSON.parse(content)), content).toBe(true);
      else for (const call of calls) expectWeather(call);
    }
  });
});

describe('reasoning before an answer under a rule', () => {
  it.each([['openai'], ['jan']] as const)('is told apart from it, in %s', async (name) => {
    const response = await send(WIRES[name].chat, {
      model: 'default',
      messages: [user('Say something.')],
      temperature: 0,
      max_tokens: 150,
      enable_thinking: true,
      chat_template_kwargs: { enable_thinking: true },
      ...jsonSchema({ type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] }),
    });
    const { choices } = (await response.json()) as { choices: readonly Choice[] };
    const said = choices[0]?.message.content ?? '';
    expect(JSON.parse(said)).toMatchObject({ a: expect.any(Number) });
  });
});

const ORDER = {
  type: 'object',
  properties: {
    customer: {
      type: 'object',
      properties: { name: { type: 'string', minLength: 1, maxLength: 8 }, member: { type: 'boolean' } },
      required: ['name', 'member'],
      additionalProperties: false,
    },
    size: { enum: ['small', 'large', 42, null] },
    items: {
      type: 'array',
      minItems: 1,
      maxItems: 3,
      items: {
        type: 'array',
        prefixItems: [{ enum: ['tea', 'cake'] }, { type: 'integer' }],
        minItems: 2,
        maxItems: 2,
      },
    },
  },
  required: ['customer', 'size', 'items'],
  additionalProperties: false,
};

describe.each(EVERY)('a rule in the shape of %s', (_name, wire) => {
  const messages = [user('Say something.')];

  it('is followed when it is an expression', async () => {
    const rule = wire.regex('call me [A-Za-z]{1,10}');
    for (const more of [{}, { stream: true }, { temperature: 1.5, seed: 11 }]) {
      const { content, reason } = await chat(wire, { messages, ...rule, ...more });
      expect(content).toMatch(/^call me [A-Za-z]{1,10}$/);
      expect(reason).toBe('stop');
    }
  });

  it('is followed when it is a schema with objects, choices and lists inside', async () => {
    const isOrder = ajv.compile(ORDER);
    for (const more of [{}, { stream: true }, { temperature: 1, seed: 5 }]) {
      const { content, reason } = await chat(wire, {
        messages,
        ...wire.schema(ORDER),
        max_tokens: 250,
        ...more,
      });
      expect(reason).toBe('stop');
      expect(isOrder(JSON.parse(content)), content).toBe(true);
    }
  });

  it('is refused with its place when it is malformed, contradicts itself or explodes', async () => {
    const bad: readonly (readonly [object, RegExp])[] = [
      [wire.schema(inObject({ type: 'strin' })), /properties\/a\/type/],
      [wire.schema(inObject({ type: 'string', minLength: 5, maxLength: 2 }, ['a'])), /schema|properties\/a/],
      [wire.regex('call (((a{1,40}){1,40}){1,40}){1,40}'), /regex|grammar/],
      [wire.regex('call [b-a]'), /position|line 1/],
    ];
    for (const [rule, place] of bad) {
      const response = await send(wire.chat, { model: 'default', messages, max_tokens: 8, ...rule });
      const body = (await response.json()) as WireError;
      const { message, field } = wire.error(body);
      expect(response.status, JSON.stringify(body)).toBeGreaterThanOrEqual(400);
      expect(response.status, JSON.stringify(body)).toBeLessThan(500);
      expect(message).toMatch(place);
      // The field as the client sent it.
      expect(field === 'generation' || field === 'validation' || String(field) in rule, String(field)).toBe(
        true,
      );
    }
    expect((await chat(wire, { messages, max_tokens: 4 })).content).not.toBe('');
  });
});

function inObject(schema: object, required: readonly string[] = []): object {
  return { type: 'object', properties: { a: schema }, required };
}

/** Takes seconds to compile: any subset of many properties, each with an expression of its own. */
const SLOW = {
  type: 'object',
  properties: Object.fromEntries(
    Array.from({ length: 150 }, (_, i) => [
      `k${i}`,
      { type: 'string', pattern: `^[a-z]{1,${i + 9}}[0-9]{3}$` },
    ]),
  ),
};

describe('a rule that takes long to compile', () => {
  it('delays no other request, with a rule or without', { timeout: 40_000 }, async () => {
    const given = new AbortController();
    let isSlowDone = false;
    const slow = send('/v1/chat/completions', { messages: [user('hi')], ...jsonSchema(SLOW) }, given.signal)
      .then(() => undefined)
      .catch(() => undefined)
      .finally(() => {
        isSlowDone = true;
      });
    const body = { messages: [user('Tell me a story.')], temperature: 0 };
    for (let i = 0; i < 3; i++) {
      const story = await chat(WIRES.openai, { ...body, max_tokens: 60, stream: true });
      expect(story.content.length).toBeGreaterThan(40);
      const ruled = await chat(WIRES.openai, { ...body, guided_regex: `(red|green) [0-9]{${i + 1}}` });
      expect(ruled.content).toMatch(/^(red|green) [0-9]+$/);
    }
    expect(isSlowDone, 'it compiled too soon to delay anybody').toBe(false);
    given.abort();
    await slow;
    expect((await chat(WIRES.openai, body)).content).not.toBe('');
  });
});

describe('a grammar that only llama.cpp reads', () => {
  const complete = (grammar: string) =>
    send('/jan/v1/completions', { prompt: 'hi', max_tokens: 24, temperature: 0, grammar });

  it('is followed', async () => {
    const response = await complete('root ::= "=" [一-龥]{2,3} "."');
    const { choices } = (await response.json()) as {
      choices: readonly { text: string; finish_reason: string }[];
    };
    expect(choices[0]?.text).toMatch(/^=[一-龥]{2,3}\.$/u);
    expect(choices[0]?.finish_reason).toBe('stop');
  });

  it('is refused at once when its ways double', async () => {
    const rules = Array.from({ length: 24 }, (_, i) => `r${i} ::= r${i + 1} r${i + 1} | r${i + 1}`);
    const response = await complete(['root ::= r0', ...rules, 'r24 ::= [一-龥]?'].join('\n'));
    const body = await response.text();
    expect([response.status, body]).toEqual([400, expect.stringContaining('grammar: ')]);
  });
});

describe('random schemas', () => {
  const RUNS = 100;

  it('are never broken by the model, whatever the seed', { timeout: 120_000 }, async () => {
    const { engine } = startTestEngine({ parallel: 8 });
    await engine.ready;
    const seen = { complete: 0, cut: 0, refused: 0 };
    const generate = async (schema: JsonSchema, seed: number): Promise<void> => {
      const { text, events, last } = await runRequest(engine, {
        input: 'A value in JSON: ',
        constraint: { kind: 'json-schema', schema, strict: true, whitespace: 'single' },
        sampling: { temperature: 1, seed: BigInt(seed) },
        stop: { maxNewTokens: 64, ignoreEos: false },
        output: { stream: false },
      });
      const choice = events.find((event) => event.kind === 'choice');
      if (last?.kind === 'failed') {
        expect(last.failure).toMatchObject({
          code: 'constraint',
          message: expect.stringMatching(/no value can match|not supported|overlap/),
        });
        seen.refused++;
      } else if (choice?.reason === 'length') seen.cut++;
      else {
        expect(choice?.reason).toBe('eos');
        const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schema as object);
        expect(validate(JSON.parse(text)), `${text}\n${JSON.stringify(validate.errors)}`).toBe(true);
        seen.complete++;
      }
    };
    try {
      const waiting = fc.sample(randomSchema, { numRuns: RUNS, seed: 20_26 }).entries();
      const client = async (): Promise<void> => {
        for (const [seed, schema] of waiting) await generate(schema, seed);
      };
      await Promise.all(Array.from({ length: 8 }, client));
    } finally {
      await engine.close();
    }
    expect(seen.complete + seen.cut + seen.refused).toBe(RUNS);
    // Enough of them must have come to their end, or this says nothing.
    expect(seen.complete, JSON.stringify(seen)).toBeGreaterThan(RUNS / 4);
  });
});
