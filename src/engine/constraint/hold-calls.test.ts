import { afterEach, describe, expect, it } from 'vitest';
import { allowedTokens, inventVocabulary } from '../../../test/property/constraint-support.js';
import { replyMarkers, type ToolFormat, toolCallSyntax } from '../../chat/index.js';
import type { ToolDefinition } from '../../protocol/index.js';
import type { HeldCalls } from './held-calls.js';
import type { HoldOptions } from './hold-calls.js';
import { type ConstraintHost, type ConstraintHostOptions, createConstraintHost } from './host.js';

const vocabulary = inventVocabulary(2000);
const end = vocabulary.eogTokens[0] ?? 0;
const hosts: ConstraintHost[] = [];
const notes: string[] = [];

function newHost(
  format: ToolFormat = 'hermes',
  options: Partial<ConstraintHostOptions> = {},
): ConstraintHost {
  const host = createConstraintHost({
    tokens: vocabulary,
    eogTokens: vocabulary.eogTokens,
    toolSyntax: toolCallSyntax(format),
    markers: replyMarkers(format),
    note: (text) => notes.push(text),
    ...options,
  });
  hosts.push(host);
  return host;
}

afterEach(() => {
  notes.length = 0;
  for (const host of hosts.splice(0)) host.dispose();
});

const weather: ToolDefinition = {
  name: 'get_weather',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string', maxLength: 5 } },
    required: ['city'],
  },
};
const now: ToolDefinition = { name: 'now' };

interface Wish extends Partial<HoldOptions> {
  readonly tools?: readonly ToolDefinition[];
  readonly parallel?: boolean;
}

async function hold(host: ConstraintHost, wish: Wish = {}): Promise<HeldCalls> {
  const { tools = [weather, now], parallel = true, ...options } = wish;
  const [held] = await host.holdCalls(
    { kind: 'tool-call', tools, mode: 'auto', parallel },
    { choices: 1, reasoning: 'none', ...options },
  );
  if (held === undefined) throw new Error('calls are not held');
  return held;
}

/** Allowed tokens; undefined when all are. */
async function allowed(held: HeldCalls): Promise<readonly number[] | undefined> {
  for (;;) {
    const mask = held.mask(50);
    if (mask !== 'pending') return mask === null ? undefined : allowedTokens(mask);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const bytesOf = (text: string): number[] => [...new TextEncoder().encode(text)];

/** Writes free text, byte by byte; the first 256 tokens of the vocabulary are the bytes. */
function say(held: HeldCalls, text: string): void {
  for (const byte of bytesOf(text)) {
    expect(held.mask(), `${String.fromCharCode(byte)} in ${text}`).toBeNull();
    held.accept([byte]);
  }
}

/** Writes a part of a call that is held. */
async function write(held: HeldCalls, text: string): Promise<void> {
  for (const byte of bytesOf(text)) {
    expect(await allowed(held), `${String.fromCharCode(byte)} in ${text}`).toContain(byte);
    held.accept([byte]);
  }
}

const refuses = async (held: HeldCalls, text: string): Promise<void> =>
  expect(await allowed(held)).not.toContain(bytesOf(text)[0]);

describe('a reply that may be a call', () => {
  it('is free until one begins, follows it to its end, and is free again', async () => {
    const held = await hold(newHost());
    for (const _ of [1, 2]) {
      say(held, 'Let me look. <tool_call>\n{"name": "');
      await refuses(held, 'x');
      await write(held, 'get_weather", "arguments": {"city": "Paris');
      await refuses(held, 'x');
      await write(held, '"}}\n</tool_call>');
      expect(await allowed(held)).toBeUndefined();
    }
    say(held, ' Done.');
    held.dispose();
  });

  it('ends with its only call where there may be one', async () => {
    const held = await hold(newHost(), { parallel: false });
    say(held, '<tool_call>\n{"name": "');
    await write(held, 'now", "arguments": {}}\n</tool_call>');
    expect(await allowed(held)).toEqual([end]);
  });

  it('is held however the model sets its white space, and not where it only speaks of calls', async () => {
    const host = newHost();
    for (const begin of ['<tool_call>{"name":"', '<tool_call> \n{ "name" :\t"']) {
      const held = await hold(host);
      say(held, begin);
      await write(held, 'now", "arguments": {}}');
    }
    const held = await hold(host);
    say(
      held,
      'A `<tool_call>` holds {"name": "f"}: <tool_call>\n{"arguments": "name": ". <tool_call>\n{"nam',
    );
    say(held, 'e" = <tool_call');
  });

  it('is held where a token reaches over the mark, and left alone where what it brings does not fit', async () => {
    const text = (bytes: string) => ({
      ...vocabulary,
      size: 2001,
      bytes: (token: number) => (token === 2000 ? new TextEncoder().encode(bytes) : vocabulary.bytes(token)),
    });
    const reaching = await hold(newHost('hermes', { tokens: text('e": "get_w') }));
    say(reaching, '<tool_call>\n{"nam');
    reaching.accept([2000]);
    await refuses(reaching, 'x');
    await write(reaching, 'eather", "arguments": {"city": "Par');
    const other = await hold(newHost('hermes', { tokens: text('e": "get_w?') }));
    say(other, '<tool_call>\n{"nam');
    other.accept([2000]);
    expect(await allowed(other)).toBeUndefined();
    say(other, 'anything');
  });

  it('ends where its text ends: no token reaches over that, to commit it to another call', async () => {
    const bytes = (token: number) => (token === 2000 ? Uint8Array.of(0x3e, 0x0a) : vocabulary.bytes(token));
    const held = await hold(newHost('hermes', { tokens: { ...vocabulary, size: 2001, bytes } }));
    say(held, '<tool_call>\n{"name": "');
    await write(held, 'now", "arguments": {}}\n</tool_call');
    expect(await allowed(held)).not.toContain(2000);
  });

  it('is not held while it thinks, whether the prompt or the reply opens that', async () => {
    const host = newHost();
    const begin = '<tool_call>\n{"name": "';
    for (const [reasoning, opening] of [
      ['inside', ''],
      ['maybe', '\n<think>'],
    ] as const) {
      const held = await hold(host, { reasoning });
      say(held, `${opening}Perhaps ${begin}x"}</thin </think>\n${begin}`);
      await refuses(held, 'x');
    }
    for (const opening of ['', '<thi', '<', ' ']) {
      const held = await hold(host, { reasoning: 'maybe' });
      say(held, `${opening}${begin}`);
      await refuses(held, 'x');
    }
  });

  it('names the text that must come', async () => {
    const held = await hold(newHost(), { tools: [now] });
    expect(held.forced(bytesOf)).toEqual([]);
    say(held, '<tool_call>\n{"name": "');
    await allowed(held);
    expect(held.forced(bytesOf)).toEqual(bytesOf('now", "arguments": '));
  });
});

describe('replies that are JSON themselves', () => {
  it('are held once they name a tool at their beginning, to their end', async () => {
    const host = newHost('llama3');
    const held = await hold(host);
    say(held, ' {"name": "get_weather", "parameters":');
    await write(held, ' {"city": "Paris');
    await refuses(held, 'x');
    await write(held, '"}}; {"name": "now", "parameters": {}}');
    expect(await allowed(held)).toContain(end);
    await refuses(held, 'x');
    for (const text of ['{"name": "Alice", "age": 7}', 'So: {"name": "now", "parameters": x'])
      say(await hold(host), text);
    const tagged = await hold(host);
    say(tagged, '<|python_tag|>{"name": "');
    await refuses(tagged, 'x');
  });
});

describe('what cannot be held', () => {
  const bad: ToolDefinition = {
    name: 'bad',
    parameters: { type: 'object', properties: { a: { $ref: 'http://else.where/x' } } },
  };

  it.each([
    ['hermes', '{"anything": [1, {}]}}\n</tool_call>', '<tool_call>\n{"name": "', 'bad", "arguments": '],
    ['glm', 'what <ever></tool_call>', '<tool_call>', 'bad\n'],
  ] as const)('is held by name and form alone, in %s', async (format, args, begin, name) => {
    const host = newHost(format);
    const tools = [bad, { ...weather, name: 'good' }];
    const held = await hold(host, { tools });
    say(held, begin);
    await refuses(held, 'x');
    await write(held, name + args);
    expect(await allowed(held)).toBeUndefined();
    expect(notes).toEqual([expect.stringContaining('bad (tools/bad/parameters/properties/a')]);
    const other = await hold(host, { tools });
    say(other, begin);
    await write(other, format === 'glm' ? 'good\n<arg_key>city' : 'good", "arguments": {"city": "Paris');
    await refuses(other, 'x');
  });

  it('because all of it takes too long is held by name, and not tried again', async () => {
    // Doubles with every reference.
    const $defs = Object.fromEntries(
      Array.from({ length: 26 }, (_, i) => {
        const next = { $ref: `#/$defs/d${i + 1}` };
        return [`d${i}`, i === 25 ? { type: 'string' } : { allOf: [next, { minLength: i }, next] }];
      }),
    );
    const huge = {
      name: 'huge',
      parameters: { type: 'object', properties: { a: { $ref: '#/$defs/d0' } }, $defs },
    };
    const host = newHost('hermes', { compileSeconds: 3 });
    for (const most of [20_000, 2500]) {
      const begun = performance.now();
      const held = await hold(host, { tools: [huge] });
      say(held, '<tool_call>\n{"name": "');
      await refuses(held, 'x');
      await write(held, 'huge", "arguments": {"b": 1}}');
      expect(performance.now() - begun).toBeLessThan(most);
      held.dispose();
    }
    expect(notes).toEqual([expect.stringMatching(/by name alone: .*longer than/)]);
  }, 30_000);

  it('at all is left as it is: no tools, names no call can hold, a format that is not known', async () => {
    const none = (host: ConstraintHost, tools: readonly ToolDefinition[]) =>
      host.holdCalls(
        { kind: 'tool-call', tools, mode: 'auto', parallel: true },
        { choices: 1, reasoning: 'none' },
      );
    expect(await none(newHost(), [])).toEqual([]);
    const glm = newHost('glm');
    for (const _ of [1, 2]) expect(await none(glm, [{ name: 'a b' }])).toEqual([]);
    expect(notes).toEqual([expect.stringContaining('the name "a b" cannot be written')]);
    expect(await none(newHost('none'), [now])).toEqual([]);
  });

  it('is an error where a tool is strict, before anything runs', async () => {
    const refusal = (tools: readonly ToolDefinition[]) => expect(hold(newHost(), { tools })).rejects;
    await refusal([{ ...bad, strict: true }]).toMatchObject({ code: 'constraint' });
    await refusal([{ name: '', strict: true }]).toThrow('a name is empty');
    const held = await hold(newHost(), { tools: [bad, { ...now, strict: true }] });
    say(held, '<tool_call>\n{"name": "');
    await write(held, 'bad", "arguments": {"x": 1');
  });

  it('because a matcher was lost, or nothing may be picked, is let go', async () => {
    const host = newHost();
    const held = await hold(host);
    say(held, '<tool_call>\n{"name": "');
    await refuses(held, 'x');
    expect([held.letGo(), held.letGo()]).toEqual([true, false]);
    say(held, 'x"}\n</tool_call>');
    const lost = await hold(host);
    say(lost, '<tool_call>\n{"name": "');
    await refuses(lost, 'x');
    host.dispose();
    expect(lost.mask()).toBeNull();
    lost.accept([1]);
    const strict = await hold(newHost(), { tools: [{ ...now, strict: true }] });
    say(strict, '<tool_call>\n{"name": "');
    await refuses(strict, 'x');
    expect(strict.letGo()).toBe(false);
  });
});

describe('the grammar of calls', () => {
  it('is compiled when a call comes near, not before, and once for all requests', async () => {
    const host = newHost();
    const held = await hold(host, { choices: 2 });
    say(held, 'a { <tool_cal');
    await new Promise((resolve) => setImmediate(resolve));
    expect(host.status()).toMatchObject({ workers: 0, compiling: 0 });
    say(held, 'l> <tool_call>');
    await new Promise((resolve) => setImmediate(resolve));
    expect(host.status().workers).toBe(1);
    say(held, '<tool_call>\n{"name": "');
    await refuses(held, 'x');
    expect(host.status()).toMatchObject({ grammars: 1, matchers: 1, compiling: 0 });
    held.dispose();
    const other = await hold(host);
    say(other, '<tool_call>\n{"name": "');
    // At once, without a turn of the event loop.
    expect(other.mask(5000)).toBeInstanceOf(Int32Array);
    expect(host.status()).toMatchObject({ workers: 1, grammars: 1, matchers: 1 });
    other.dispose();
    expect(host.status().matchers).toBe(0);
  });

  it('is not waited for by a reply that has ended meanwhile', async () => {
    const host = newHost();
    const held = await hold(host);
    say(held, '<tool_call>\n{"name": "');
    expect(held.mask(0)).toBe('pending');
    held.dispose();
    while (host.status().compiling > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(host.status().matchers).toBe(0);
  });
});
