// Calls in every format: whatever is picked among allowed tokens, a finished reply reads back as calls of given tools
// with arguments that ajv finds valid; and what may stand in front of an answer is let through before it.

import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createReplyParser,
  REPLY_FORMATS,
  replyLead,
  replyMarkers,
  type ToolFormat,
  toolCallSyntax,
} from '../../src/chat/index.js';
import {
  type ConstraintHost,
  createConstraintHost,
  type HeldCalls,
} from '../../src/engine/constraint/index.js';
import type { ToolConstraint } from '../../src/grammar/index.js';
import type { Constraint, ToolDefinition } from '../../src/protocol/index.js';
import { type Follower, type Generated, generate, inventVocabulary, mulberry } from './constraint-support.js';

const FORMATS = REPLY_FORMATS.filter((format) => format !== 'none');
const SEEDS = Array.from({ length: 6 }, (_, index) => index + 1);

const tools: readonly ToolDefinition[] = [
  {
    name: 'get_weather',
    strict: true,
    parameters: {
      type: 'object',
      properties: {
        city: { type: 'string' },
        unit: { enum: ['celsius', 'fahrenheit'] },
        days: { type: 'integer', minimum: 1, maximum: 14 },
        zip: { type: 'string', pattern: '^[0-9]{5}$' },
        note: { type: ['string', 'null'] },
      },
      required: ['city', 'days'],
    },
  },
  {
    name: 'order',
    strict: true,
    parameters: {
      type: 'object',
      properties: {
        items: {
          type: 'array',
          items: { $ref: '#/$defs/item' },
          minItems: 1,
          maxItems: 3,
        },
        by: { anyOf: [{ const: 'post' }, { const: 'foot' }] },
        name: { type: 'string', minLength: 2, maxLength: 6 },
        gift: { type: 'boolean' },
      },
      required: ['items', 'by'],
      $defs: {
        item: {
          type: 'object',
          properties: { what: { type: 'string' }, many: { type: 'number' } },
          required: ['what'],
        },
      },
    },
  },
  { name: 'now', parameters: { type: 'object', properties: { zone: { enum: ['utc', 'local'] } } } },
  { name: 'stop' },
];
const ajv = new Ajv2020({ strict: false, validateFormats: false });
const judges = new Map(
  tools.map(({ name, parameters }) => [name, ajv.compile((parameters as object) ?? { maxProperties: 0 })]),
);

/** What ends free text in the formats that have some. */
const ENDS = ['</think>', '<|end|>', '\n</parameter>', '</arg_value>', '</｜DSML｜parameter>'];
const vocabulary = inventVocabulary(700);
let format: ToolFormat;
let host: ConstraintHost;

interface Wish {
  readonly constraint: Constraint;
  readonly prompt?: string;
  readonly mayReason?: boolean;
  readonly calm?: number;
  /** What the model has written already. */
  readonly begun?: string;
  readonly seeds?: readonly number[];
}

async function texts(wish: Wish): Promise<readonly Generated[]> {
  const { constraint, prompt = '', mayReason = false, calm = 25, begun = '', seeds = SEEDS } = wish;
  const reasoning = mayReason || prompt.includes('<think>') ? 'think' : 'none';
  const lead = replyLead({ tools: format, reasoning }, prompt, mayReason);
  const outcome = await host.compile(constraint, { lead });
  if (outcome.kind !== 'compiled') throw new Error(outcome.reason);
  const all = seeds.map((seed) => {
    const matcher = outcome.constraint.createMatcher();
    for (const byte of Buffer.from(begun)) matcher.accept([byte]);
    const made = generate(vocabulary, matcher, mulberry(seed), { limit: 1000, calm, ends: ENDS });
    matcher.dispose();
    return { ...made, text: begun + made.text };
  });
  outcome.constraint.release();
  return all;
}

interface Read {
  readonly content: string;
  readonly reasoning: string;
  readonly calls: readonly { readonly name: string; readonly arguments: string }[];
}

function read(text: string, reasoning: 'none' | 'think' | 'inside', isCallEnforced: boolean): Read {
  const parser = createReplyParser(format, { tools, reasoning, idFor: String, isCallEnforced });
  const first = parser.push(text);
  const { parts, toolCalls } = parser.finish();
  const said = (kind: 'content' | 'reasoning'): string =>
    [...first, ...parts].map((part) => (part.kind === kind ? part.text : '')).join('');
  return { content: said('content'), reasoning: said('reasoning'), calls: toolCalls };
}

function expectValid(calls: Read['calls'], text: string): void {
  for (const { name, arguments: args } of calls) {
    const isValid = judges.get(name);
    expect(isValid, `${name} in ${text}`).toBeDefined();
    expect(isValid?.(JSON.parse(args)), `${text}\n${args}\n${JSON.stringify(isValid?.errors)}`).toBe(true);
  }
}

const ANSWER_SCHEMA = {
  type: 'object',
  properties: { a: { type: 'string', minLength: 1, maxLength: 3 }, n: { type: 'integer' } },
  required: ['a', 'n'],
  additionalProperties: false,
};
const isAnswer = ajv.compile(ANSWER_SCHEMA);
const ANSWER: Constraint = { kind: 'json-schema', schema: ANSWER_SCHEMA, strict: true, whitespace: 'single' };

const TOOLS_OR_ANSWER = { kind: 'tool-call', mode: 'auto', parallel: true, answer: ANSWER } as const;

/** Formats that know reasoning between <think> and </think>. */
const THINKING: readonly ToolFormat[] = FORMATS.filter(
  (name) => name !== 'harmony' && name !== 'functionary-v3.2',
);

const call = (mode: 'call' | 'auto', parallel: boolean, among = tools): ToolConstraint => ({
  kind: 'tool-call',
  tools: among,
  mode,
  parallel,
});

/** Formats in which text may stand in front of a call. */
const SAID_FIRST: ReadonlySet<ToolFormat> = new Set(
  FORMATS.filter((name) => !['llama3', 'json', 'harmony'].includes(name)),
);

/** A reply with a call the model begins by itself: of a tool by any name, where its format names it behind a marker. */
async function freely(held: HeldCalls, random: () => number): Promise<string> {
  const { opening = '', begin = '', middle = '' } = toolCallSyntax(format) ?? {};
  const isBare = opening === '' && (begin === '' || begin.startsWith('{'));
  const said = !SAID_FIRST.has(format) ? '' : format === 'functionary-v3.2' ? 'all\nI look.>>>' : 'I look. ';
  const begun = `${said}${opening}${begin}${isBare ? `order${middle.replace(/ $/, '')}` : ''}${begin === '' ? '{' : ''}`;
  for (const byte of Buffer.from(begun)) {
    expect(held.mask(), `${String.fromCharCode(byte)} of ${begun}`).toBeNull();
    held.accept([byte]);
  }
  let late = 0;
  while (held.mask(1) === 'pending' && late < 20_000) {
    late += 1;
    await new Promise((resolve) => setImmediate(resolve));
  }
  const matcher: Follower = {
    mask: (waitMs) => held.mask(waitMs) ?? 'free',
    accept: (tokens) => held.accept(tokens),
  };
  const made = generate(vocabulary, matcher, random, { limit: 1000, calm: 25, ends: ENDS });
  expect(made.isComplete, made.text).toBe(true);
  held.dispose();
  return begun + made.text;
}

/** Before and after the tests of a format. */
function useFormat(name: ToolFormat): void {
  beforeAll(() => {
    format = name;
    host = createConstraintHost({
      tokens: vocabulary,
      eogTokens: vocabulary.eogTokens,
      toolSyntax: toolCallSyntax(format),
      markers: replyMarkers(format),
      maxWorkers: 1,
    });
  });
  afterAll(() => host.dispose());
}

describe.each(FORMATS)('calls in %s', (name) => {
  useFormat(name);

  it.each([true, false])('are valid and nothing else, parallel %s', async (parallel) => {
    for (const { text, isComplete } of await texts({ constraint: call('call', parallel) })) {
      const { content, calls } = read(text, 'none', true);
      // Many calls in a row may be cut, inside the last one.
      const whole = isComplete ? calls : calls.slice(0, -1);
      if (isComplete) expect(content, text).toBe('');
      expect(whole.length, text).toBeGreaterThan(0);
      if (!parallel) expect(calls).toHaveLength(1);
      expectValid(whole, text);
    }
  });

  it.each(tools)('can be made of one tool alone: $name', async (tool) => {
    const [one] = await texts({ constraint: call('call', false, [tool]), calm: 5, seeds: [1] });
    const { calls } = read(one?.text ?? '', 'none', true);
    expect(calls.map((made) => made.name)).toEqual([tool.name]);
    expectValid(calls, one?.text ?? '');
  });

  it.each([true, false])('may be made freely behind a text, parallel %s', async (parallel) => {
    for (const seed of SEEDS) {
      const [held] = await host.holdCalls(call('auto', parallel), { choices: 1, reasoning: 'none' });
      if (held === undefined) throw new Error('calls are not held');
      const text = await freely(held, mulberry(seed));
      const { content, calls } = read(text, 'none', false);
      expect(content.trim(), text).toBe(SAID_FIRST.has(format) ? 'I look.' : '');
      // Behind the first call others may stand where the format sets all of them between marks.
      if (!parallel) expect(calls, text).toHaveLength(1);
      expect(calls.length, text).toBeGreaterThan(0);
      expectValid(calls, text);
    }
  });

  it('are made, or an answer follows its schema', async () => {
    const constraint: Constraint = { ...TOOLS_OR_ANSWER, tools };
    const seen = { calls: 0, answers: 0 };
    for (const { text, isComplete } of await texts({
      constraint,
      calm: 20,
      seeds: [1, 2, 3, 4, 5, 6, 7, 8],
    })) {
      const { content, calls } = read(text, 'none', false);
      if (!isComplete) expectValid(calls.slice(0, -1), text);
      else if (calls.length > 0) {
        expect(content.trim(), text).toBe('');
        expectValid(calls, text);
        seen.calls += 1;
      } else {
        expect(isAnswer(JSON.parse(content)), text).toBe(true);
        seen.answers += 1;
      }
    }
    expect(seen.calls + seen.answers).toBeGreaterThan(0);
  });

  it('are left out of an answer that follows a schema, with what stands in front of it', async () => {
    for (const { text, isComplete } of await texts({ constraint: ANSWER, calm: 20 })) {
      expect(isComplete, text).toBe(true);
      const { content, calls } = read(text, 'none', false);
      expect(calls).toEqual([]);
      expect(isAnswer(JSON.parse(content)), text).toBe(true);
    }
  });
});

describe.each(THINKING)('reasoning in %s', (name) => {
  useFormat(name);

  it('stands in front of calls and answers alike', async () => {
    const kinds = [
      { prompt: 'x<think>\n', seeds: [1, 2, 3] },
      { mayReason: true, seeds: [4, 5, 6] },
    ];
    for (const kind of kinds) {
      const mode = kind.mayReason === true ? 'think' : 'inside';
      for (const { text, isComplete } of await texts({ constraint: call('call', false), ...kind })) {
        expect(isComplete, text).toBe(true);
        const { content, calls } = read(text, mode, true);
        expect([content, calls.length], text).toEqual(['', 1]);
        expectValid(calls, text);
      }
      for (const { text, isComplete } of await texts({ constraint: ANSWER, ...kind })) {
        expect(isComplete, text).toBe(true);
        const { content, reasoning } = read(text, mode, false);
        expect(isAnswer(JSON.parse(content)), text).toBe(true);
        if (mode === 'inside') expect(reasoning).not.toBe('');
      }
    }
  });
});
