import { afterEach, describe, expect, it } from 'vitest';
import {
  allowedTokens,
  generate,
  inventVocabulary,
  mulberry,
  waitForMask,
} from '../../../test/property/constraint-support.js';
import { createReplyParser, replyMarkers, toolCallSyntax } from '../../chat/index.js';
import type { Constraint } from '../../protocol/index.js';
import { KoineError } from '../../protocol/index.js';
import { type ConstraintHost, type ConstraintHostOptions, createConstraintHost } from './host.js';
import type { Matcher } from './matcher.js';

const vocabulary = inventVocabulary(2000);
/** Makes compilations long. */
const large = inventVocabulary(20_000, 2);
const decoder = new TextDecoder();
const hosts: ConstraintHost[] = [];

function newHost(options: Partial<ConstraintHostOptions> = {}): ConstraintHost {
  const host = createConstraintHost({
    tokens: vocabulary,
    eogTokens: vocabulary.eogTokens,
    toolSyntax: toolCallSyntax('hermes'),
    markers: replyMarkers('hermes'),
    ...options,
  });
  hosts.push(host);
  return host;
}

afterEach(() => {
  for (const host of hosts.splice(0)) host.dispose();
});

async function open(host: ConstraintHost, constraint: Constraint): Promise<Matcher> {
  const outcome = await host.compile(constraint);
  if (outcome.kind !== 'compiled') throw new Error(outcome.reason);
  const matcher = outcome.constraint.createMatcher();
  outcome.constraint.release();
  return matcher;
}

/** Accepts a text byte by byte; the first 256 tokens of the vocabulary are the bytes. */
function type(matcher: Matcher, text: string): void {
  for (const byte of new TextEncoder().encode(text)) {
    expect(allowedTokens(waitForMask(matcher)), `${String.fromCharCode(byte)} in ${text}`).toContain(byte);
    matcher.accept([byte]);
  }
}

function refuses(matcher: Matcher, text: string): void {
  const bytes = new TextEncoder().encode(text);
  expect(allowedTokens(waitForMask(matcher))).not.toContain(bytes[0]);
}

const end = vocabulary.eogTokens[0] ?? 0;
const choice: Constraint = { kind: 'choice', choices: ['yes', 'no'] };
const tools = [
  {
    name: 'get_weather',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string', maxLength: 5 } },
      required: ['city'],
    },
  },
  { name: 'now' },
];

describe('masks', () => {
  it('let whole characters only into free text, of which the grammar itself knows nothing but bytes', async () => {
    const host = newHost({
      toolSyntax: toolCallSyntax('qwen3-coder'),
      markers: replyMarkers('qwen3-coder'),
    });
    const say = {
      name: 'say',
      parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    };
    const matcher = await open(host, { kind: 'tool-call', tools: [say], mode: 'call', parallel: false });
    type(matcher, '<tool_call>\n<function=say>\n<parameter=text>\n');
    const isContinuation = (token: number): boolean => ((vocabulary.bytes(token)[0] ?? 0) & 0xc0) === 0x80;
    expect(allowedTokens(waitForMask(matcher)).filter(isContinuation)).toEqual([]);
    matcher.accept([0xe4]);
    const inside = allowedTokens(waitForMask(matcher));
    expect(inside.length).toBeGreaterThan(0);
    expect(inside.filter((token) => !isContinuation(token))).toEqual([]);
  });

  it('follow the grammar to its end and force the end there', async () => {
    const matcher = await open(newHost(), choice);
    const first = allowedTokens(waitForMask(matcher)).map((token) => decoder.decode(vocabulary.bytes(token)));
    expect(first.every((text) => 'yes'.startsWith(text) || 'no'.startsWith(text))).toBe(true);
    type(matcher, 'no');
    expect(allowedTokens(waitForMask(matcher))).toEqual([end]);
    expect(matcher.isTerminated()).toBe(false);
    matcher.accept([end]);
    expect(matcher.isTerminated()).toBe(true);
    expect(allowedTokens(waitForMask(matcher))).toEqual([]);
  });

  it('refuse a token that is not allowed, and say so', async () => {
    const matcher = await open(newHost(), choice);
    matcher.accept(['x'.charCodeAt(0)]);
    expect(() => matcher.mask(5000)).toThrow(KoineError);
  });

  it('are kept apart for sequences of one grammar', async () => {
    const host = newHost();
    const [a, b] = [await open(host, choice), await open(host, choice)];
    type(a, 'ye');
    type(b, 'n');
    type(a, 's');
    type(b, 'o');
    expect(host.status()).toMatchObject({ workers: 1, grammars: 1, matchers: 2 });
    a.dispose();
    b.dispose();
    expect(host.status().matchers).toBe(0);
  });

  it('keep strings within their length, also when one token ends one string and begins the next', async () => {
    const schema = {
      type: 'object',
      properties: {
        a: { type: 'string', minLength: 2, maxLength: 3 },
        b: { type: 'array', items: { type: 'string', maxLength: 1 } },
      },
      required: ['a', 'b'],
    };
    const matcher = await open(newHost(), { kind: 'json-schema', schema, strict: true, whitespace: 'none' });
    type(matcher, '{"a":"x');
    refuses(matcher, '"');
    type(matcher, '\\n\\u00e9');
    expect(allowedTokens(waitForMask(matcher)).every((token) => vocabulary.bytes(token)[0] === 0x22)).toBe(
      true,
    );
    type(matcher, '","b":["日');
    refuses(matcher, 'x');
    type(matcher, '",""]}');
  });

  it('name the text that must come, and leave its last token to the model', async () => {
    const matcher = await open(newHost(), { kind: 'regex', pattern: 'call me [a-z]+' });
    waitForMask(matcher);
    const byBytes = (text: string): number[] => [...new TextEncoder().encode(text)];
    expect(matcher.forced(byBytes)).toEqual(byBytes('call me'));
    matcher.accept(byBytes('call me'));
    type(matcher, ' bob');
    waitForMask(matcher);
    expect(matcher.forced(byBytes)).toEqual([]);
  });

  it('leave the letters two words begin with to the model', async () => {
    const matcher = await open(newHost(), { kind: 'choice', choices: ['say send_email', 'say set_timer'] });
    waitForMask(matcher);
    const byBytes = (text: string): number[] => [...new TextEncoder().encode(text)];
    expect(matcher.forced(byBytes)).toEqual(byBytes('say'));
  });
});

describe('calls of tools', () => {
  const call = (mode: 'call' | 'auto', parallel: boolean): Constraint => ({
    kind: 'tool-call',
    tools,
    mode,
    parallel,
  });

  it('are enforced in the format, and read back', async () => {
    const host = newHost();
    for (let seed = 1; seed < 12; seed += 1) {
      const matcher = await open(host, call('call', true));
      const { text, isComplete } = generate(vocabulary, matcher, mulberry(seed), { limit: 300, calm: 60 });
      const parser = createReplyParser('hermes', { tools, reasoning: 'none', idFor: String });
      parser.push(text);
      const { toolCalls } = parser.finish();
      expect(toolCalls.length).toBeGreaterThan(0);
      for (const { name, arguments: args } of isComplete ? toolCalls : []) {
        expect(['get_weather', 'now']).toContain(name);
        const value = JSON.parse(args) as { city?: string };
        if (name === 'get_weather') expect([...(value.city ?? 'too long')].length).toBeLessThan(6);
      }
      matcher.dispose();
    }
  });
});

describe('limits', () => {
  it('stop a compilation that takes too long, and harm no other request', async () => {
    const host = newHost({ compileSeconds: 0.2, maxWorkers: 2 });
    const other = await open(host, choice);
    const bomb: Constraint = { kind: 'regex', pattern: '(([a-z]{1,90}[0-9]?){1,90} ){1,2}' };
    const failed = expect(host.compile(bomb)).rejects.toThrow('regex: it took longer than 0.2 s to compile');
    type(other, 'yes');
    await failed;
    type(await open(host, choice), 'no');
    expect(allowedTokens(waitForMask(other))).toEqual([end]);
  });

  it('stop a schema that doubles with every reference, which never held up this thread', async () => {
    const host = newHost({ compileSeconds: 0.5 });
    const $defs = Object.fromEntries(
      Array.from({ length: 26 }, (_, i) => {
        const next = { $ref: `#/$defs/d${i + 1}` };
        return [`d${i}`, i === 25 ? { type: 'string' } : { allOf: [next, { minLength: i }, next] }];
      }),
    );
    const schema = { $defs, $ref: '#/$defs/d0' };
    const failed = expect(
      host.compile({ kind: 'json-schema', schema, strict: true, whitespace: 'none' }),
    ).rejects.toThrow('json-schema: it took longer than 0.5 s to compile');
    const begun = performance.now();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(performance.now() - begun).toBeLessThan(400);
    await failed;
  });

  it('stop a compilation that needs too much memory', async () => {
    const host = newHost({ memoryLimitBytes: 24 * 1024 * 1024, maxWorkers: 1 });
    const bomb: Constraint = {
      kind: 'choice',
      choices: Array.from({ length: 9000 }, (_, n) => `${n}${'word '.repeat(20)}`),
    };
    await expect(host.compile(bomb)).rejects.toThrow('choice: it needs more than 24 MiB to compile');
    type(await open(host, choice), 'no');
  });

  it('hand over a client grammar that cannot be expressed here, and refuse one that is wrong', async () => {
    const host = newHost();
    const grammar = (text: string): Constraint => ({ kind: 'grammar', grammar: text, syntax: 'gbnf' });
    expect(await host.compile(grammar('root ::= [一-鿿]+'))).toMatchObject({ kind: 'unsupported-here' });
    await expect(host.compile(grammar('root ::= x'))).rejects.toThrow('the rule x is not defined');
  });

  it('tell matchers that their worker is gone', async () => {
    const host = newHost();
    const matcher = await open(host, choice);
    host.dispose();
    expect(() => matcher.mask()).toThrow('the constraint could not be followed');
  });

  it('drop grammars that were not used for longest', async () => {
    const host = newHost({ cachedGrammars: 2, maxWorkers: 1 });
    for (const text of ['a', 'b', 'c', 'd'])
      (await open(host, { kind: 'choice', choices: [text] })).dispose();
    expect(host.status().grammars).toBe(2);
    type(await open(host, { kind: 'choice', choices: ['a'] }), 'a');
  });
});

describe('a compilation whose callers leave', () => {
  // Compiles for many seconds, unless it is stopped.
  const slow: Constraint = { kind: 'regex', pattern: '(([a-z]{1,90}[0-9]?){1,90} ){1,2}' };

  it('is stopped when the last of them has left, and not before', { timeout: 20_000 }, async () => {
    const host = newHost({ tokens: large, eogTokens: large.eogTokens, maxWorkers: 1 });
    const [one, two] = [new AbortController(), new AbortController()];
    const first = expect(host.compile(slow, { signal: one.signal })).rejects.toMatchObject({
      code: 'cancelled',
    });
    const second = expect(host.compile(slow, { signal: two.signal })).rejects.toMatchObject({
      code: 'cancelled',
    });
    one.abort();
    await first;
    // The worker is needed for it still: others wait.
    const other = host.compile(choice);
    expect(await Promise.race([other, new Promise((resolve) => setTimeout(resolve, 700, 'waits'))])).toBe(
      'waits',
    );
    expect(host.status().compiling).toBe(2);
    two.abort();
    await second;
    expect((await other).kind).toBe('compiled');
    expect(host.status()).toMatchObject({ compiling: 0, grammars: 1 });
  });

  it('is not begun when it still waits for a worker', async () => {
    const host = newHost({ tokens: large, eogTokens: large.eogTokens, maxWorkers: 1 });
    const [busy, queued] = [new AbortController(), new AbortController()];
    const compiling = host.compile(slow, { signal: busy.signal }).catch(() => undefined);
    const waiting = expect(host.compile(choice, { signal: queued.signal })).rejects.toMatchObject({
      code: 'cancelled',
    });
    queued.abort();
    await waiting;
    expect(host.status().compiling).toBe(1);
    busy.abort();
    await compiling;
    type(await open(host, choice), 'no');
  });

  it('comes to its end when it is quick, and is kept for the next one without a pin', async () => {
    const host = newHost({ maxWorkers: 1 });
    await host.prepare();
    const left = new AbortController();
    const refused = expect(host.compile(choice, { signal: left.signal })).rejects.toMatchObject({
      code: 'cancelled',
    });
    await new Promise((resolve) => setImmediate(resolve));
    left.abort();
    await refused;
    while (host.status().compiling > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(host.status()).toMatchObject({ workers: 1, grammars: 1 });
    // A pinned grammar would keep the only worker from compiling another one.
    type(await open(host, { kind: 'choice', choices: ['other'] }), 'other');
  });
});

describe('many grammars that compile for long', () => {
  it('leave a worker to others', { timeout: 30_000 }, async () => {
    const host = newHost({ tokens: large, eogTokens: large.eogTokens, maxWorkers: 2 });
    const gone = new AbortController();
    const all = [91, 92, 93].map((most) =>
      host
        .compile(
          { kind: 'regex', pattern: `(([a-z]{1,${most}}[0-9]?){1,90} ){1,2}` },
          { signal: gone.signal },
        )
        .catch((error: unknown) => error),
    );
    // Behind all of them in the queue, and served while they still compile.
    type(await open(host, choice), 'no');
    expect(host.status().compiling).toBe(3);
    gone.abort();
    for (const failed of await Promise.all(all)) expect(failed).toMatchObject({ code: 'cancelled' });
  });

  it('do not keep others waiting while they are followed', async () => {
    const host = newHost({ maxWorkers: 1 });
    const followed = await open(host, { kind: 'choice', choices: ['first'] });
    const other = await open(host, choice);
    expect(host.status().matchers).toBe(2);
    type(followed, 'first');
    type(other, 'no');
    followed.dispose();
    other.dispose();
    expect(host.status()).toMatchObject({ workers: 1, matchers: 0 });
  });
});

describe('client grammars', () => {
  it('with rules that may be empty are followed exactly', async () => {
    const text = `root ::= object
      value ::= object | array | string | number | ("true" | "false" | "null") ws
      object ::= "{" ws ( string ":" ws value ("," ws string ":" ws value)* )? "}" ws
      array ::= "[" ws ( value ("," ws value)* )? "]" ws
      string ::= "\\"" ( [^"\\\\\\x7F\\x00-\\x1F] | "\\\\" (["\\\\bfnrt] | "u" [0-9a-fA-F]{4}) )* "\\"" ws
      number ::= ("-"? ([0-9] | [1-9] [0-9]{0,15})) ("." [0-9]+)? ([eE] [-+]? [0-9] [1-9]{0,15})? ws
      ws ::= | " " | "\\n" [ \\t]{0,20}`;
    const host = newHost();
    let complete = 0;
    for (let seed = 1; seed < 40; seed += 1) {
      const matcher = await open(host, { kind: 'grammar', grammar: text, syntax: 'gbnf' });
      const generated = generate(vocabulary, matcher, mulberry(seed), { limit: 200, calm: 30 });
      matcher.dispose();
      if (!generated.isComplete) continue;
      complete += 1;
      expect(JSON.parse(generated.text)).toBeTypeOf('object');
    }
    expect(complete).toBeGreaterThan(20);
  });
});
