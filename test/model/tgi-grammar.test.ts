// Grammars and tools of TGI's clients against the real server and the demo model: whatever the model would say,
// what it does say follows the rule.

import { beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../support/server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ args: ['--parallel', '8'] });
  return () => server.stop();
});

const post = async (path: string, body: unknown): Promise<{ status: number; text: string }> => {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
};
const generate = async (parameters: object, version = 'tgi') => {
  const { status, text } = await post(`/${version}/generate`, {
    inputs: 'David is a person who is 30 years old.',
    parameters: { details: true, max_new_tokens: 150, ...parameters },
  });
  if (status !== 200) throw new Error(text);
  return JSON.parse(text) as { generated_text: string; details: { finish_reason: string } };
};

interface Message {
  readonly content?: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}
interface ChatAnswer {
  readonly choices: readonly { readonly message: Message; readonly finish_reason: string }[];
  readonly usage: { readonly completion_tokens: number };
}
const chat = async (body: object): Promise<ChatAnswer> => {
  const { status, text } = await post('/tgi/v1/chat/completions', {
    temperature: 0,
    max_tokens: 150,
    ...body,
  });
  if (status !== 200) throw new Error(text);
  return JSON.parse(text) as ChatAnswer;
};
const user = (content: string) => [{ role: 'user', content }];
const WEATHER = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'The weather of a city',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string', maxLength: 20 }, unit: { enum: ['celsius', 'fahrenheit'] } },
      required: ['city', 'unit'],
    },
  },
};
const PERSON = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 2, maxLength: 12 },
    age: { type: 'integer', minimum: 10, maximum: 99 },
    pets: {
      type: 'array',
      minItems: 1,
      maxItems: 2,
      items: { type: 'object', properties: { kind: { enum: ['cat', 'dog'] } }, required: ['kind'] },
    },
  },
  required: ['name', 'age', 'pets'],
};
const expectPerson = (text: string): void => {
  const person = JSON.parse(text) as { name: string; age: number; pets: readonly { kind: string }[] };
  expect(Object.keys(person)).toEqual(['name', 'age', 'pets']);
  expect([...person.name].length).toBeGreaterThanOrEqual(2);
  expect(person.age).toBeGreaterThanOrEqual(10);
  for (const { kind } of person.pets) expect(['cat', 'dog']).toContain(kind);
};

describe('grammar', () => {
  it('follows an expression and ends with it', async () => {
    const grammar = { type: 'regex', value: '(red|green) [0-9]{3}!' };
    const { generated_text: text, details } = await generate({ grammar });
    expect(text).toMatch(/^(red|green) [0-9]{3}!$/);
    expect(details.finish_reason).toBe('eos_token');
    const together = await Promise.all(Array.from({ length: 4 }, () => generate({ grammar })));
    expect(together.map((each) => each.generated_text)).toEqual(Array(4).fill(text));
  });

  // Greedy, so also the same whether details are asked for or not: nothing may depend on what was known in time.
  it('gives one text alone and four at once, with a stop sequence and without details', async () => {
    const value = 'name: [A-Z][a-z]{3,9}, age: [0-9]{2} years, city: [A-Z][a-z]{3,12}!';
    const textOf = async (parameters: object): Promise<string> =>
      (await generate({ grammar: { type: 'regex', value }, ...parameters })).generated_text;
    for (const stop of [[], ['years']]) {
      const alone = await textOf({ stop });
      expect(alone).toMatch(stop.length === 0 ? new RegExp(`^${value}$`) : /^name: .* years$/);
      const together = Array.from({ length: 4 }, (_, i) => textOf({ stop, details: i % 2 === 0 }));
      expect(await Promise.all(together)).toEqual(Array(4).fill(alone));
    }
  });

  it('combines with a stop sequence', async () => {
    const { generated_text: text, details } = await generate({
      grammar: { type: 'regex', value: '[0-9]{2},[0-9]{40}' },
      stop: [','],
    });
    expect(text).toMatch(/^[0-9]{2},$/);
    expect(details.finish_reason).toBe('stop_sequence');
  });

  it('follows a schema in both versions, in the order each has', async () => {
    const value = { properties: { b: { type: 'boolean' }, a: { type: 'boolean' } }, required: ['b', 'a'] };
    const keys = async (version: string) =>
      Object.keys(
        JSON.parse((await generate({ grammar: { type: 'json', value } }, version)).generated_text) as object,
      );
    expect(await keys('tgi')).toEqual(['b', 'a']);
    expect(await keys('tgi-1.4')).toEqual(['a', 'b']);
  });

  it('holds for nested objects, lists and bounds, sampled too', async () => {
    expectPerson((await generate({ grammar: { type: 'json', value: PERSON } })).generated_text);
    const grammar = { type: 'json_schema', value: { name: 'person', schema: PERSON } };
    expectPerson((await generate({ grammar, do_sample: true, temperature: 1.5, seed: 3 })).generated_text);
  });

  it('refuses what cannot be compiled', async () => {
    const inputs = 'a';
    const regex = await post('/tgi/generate', {
      inputs,
      parameters: { grammar: { type: 'regex', value: '(' } },
    });
    expect([regex.status, regex.text]).toEqual([
      424,
      expect.stringContaining('Request failed during generation: '),
    ]);
  });
});

describe('response_format', () => {
  it('gives the same valid object in all its forms, streamed and whole', async () => {
    const messages = user('Describe David, who is 30 and has a dog.');
    const forms = [
      { type: 'json', value: PERSON },
      { type: 'json_object', value: PERSON },
      { type: 'json_schema', value: { name: 'person', schema: PERSON } },
    ];
    const textOf = async (response_format: unknown): Promise<string> =>
      (await chat({ messages, response_format })).choices[0]?.message.content ?? '';
    // One after the other, and the prompt computed before: near-ties fall the same way only in batches of one shape.
    await textOf(forms[0]);
    const texts: string[] = [];
    for (const form of forms) texts.push(await textOf(form));
    expectPerson(texts[0] ?? '');
    expect(texts).toEqual(Array(3).fill(texts[0]));
    const stream = await post('/tgi/v1/chat/completions', {
      messages,
      temperature: 0,
      stream: true,
      response_format: forms[0],
    });
    expect(contentOf(stream.text)).toBe(texts[0]);
  });
});

describe('tools', () => {
  it('calls the function it must call', async () => {
    for (const tool_choice of [
      'required',
      'get_weather',
      { type: 'function', function: { name: 'get_weather' } },
    ]) {
      const answer = await chat({ messages: user('Tell me a story.'), tools: [WEATHER], tool_choice });
      const [choice] = answer.choices;
      const [call] = choice?.message.tool_calls ?? [];
      expect([choice?.finish_reason, choice?.message.content, call?.id, call?.function.name]).toEqual([
        'stop',
        undefined,
        '0',
        'get_weather',
      ]);
      const given = JSON.parse(call?.function.arguments ?? '') as { city: string; unit: string };
      expect(Object.keys(given)).toEqual(['city', 'unit']);
      expect(['celsius', 'fahrenheit']).toContain(given.unit);
    }
  });

  it('streams the same call: the name once, then fragments of valid JSON', async () => {
    const body = {
      messages: user('What is the weather in Oslo?'),
      tools: [WEATHER],
      tool_choice: 'required',
    };
    const whole = (await chat(body)).choices[0]?.message.tool_calls?.[0]?.function;
    const { text } = await post('/tgi/v1/chat/completions', { temperature: 0, stream: true, ...body });
    const deltas = chunksOf(text).map(
      ({ choices }) =>
        (
          choices[0] as {
            delta: {
              content?: string;
              tool_calls: readonly { function: { name: string | null; arguments: string } }[];
            };
          }
        ).delta,
    );
    const parts = deltas.map(({ tool_calls: calls }) => calls[0]?.function);
    expect(parts.map((part) => part?.name).filter((name) => name !== null)).toEqual(['get_weather']);
    expect(JSON.parse(parts.map((part) => part?.arguments).join(''))).toEqual(
      JSON.parse(whole?.arguments ?? ''),
    );
    expect(deltas.every((delta) => !('content' in delta))).toBe(true);
  });

  it('either calls or answers in words with auto, the same streamed and whole', async () => {
    const body = { messages: user('Who are you?'), tools: [WEATHER] };
    const message: Message = (await chat(body)).choices[0]?.message ?? {};
    const { text } = await post('/tgi/v1/chat/completions', {
      temperature: 0,
      stream: true,
      max_tokens: 150,
      ...body,
    });
    if (message.tool_calls === undefined) expect(contentOf(text)).toBe(message.content);
    else expect(text).toContain('"name":"get_weather"');
  });

  it('speaks plainly with none', async () => {
    const answer = await chat({
      messages: user('What is the weather in Oslo?'),
      tools: [WEATHER],
      tool_choice: 'none',
    });
    expect(answer.choices[0]?.message.tool_calls).toBeUndefined();
    expect(answer.choices[0]?.message.content).not.toBe('');
  });

  it('refuses a call that was cut off', async () => {
    const body = { messages: user('Weather?'), tools: [WEATHER], tool_choice: 'required', max_tokens: 4 };
    const { status, text } = await post('/tgi/v1/chat/completions', body);
    expect([status, text]).toEqual([
      422,
      expect.stringContaining('Tool error: Failed to parse generated text: EOF'),
    ]);
  });
});

function chunksOf(text: string): readonly { readonly choices: readonly unknown[] }[] {
  return text
    .split('\n\n')
    .filter((frame) => frame.startsWith('data: {'))
    .map((frame) => JSON.parse(frame.slice('data: '.length)) as { choices: readonly unknown[] });
}

function contentOf(text: string): string {
  return chunksOf(text)
    .map(({ choices }) => (choices[0] as { delta: { content: string } }).delta.content)
    .join('');
}
