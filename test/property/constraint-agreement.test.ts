// Cases by keyword, as the JSON schema test suite has them: what ajv refuses the grammar refuses, and what ajv
// accepts the grammar accepts, unless the case is marked `narrower` (docs/structured-output.md tells which).

import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, describe, expect, it } from 'vitest';
import { createConstraintHost } from '../../src/engine/constraint/index.js';
import { allowedTokens, inventVocabulary, waitForMask } from './constraint-support.js';

const vocabulary = inventVocabulary(600);
const host = createConstraintHost({ tokens: vocabulary, eogTokens: vocabulary.eogTokens, maxWorkers: 2 });
afterAll(() => host.dispose());

/** Whether the output can be exactly this text. The first 256 tokens are the bytes. */
async function accepts(schema: object, text: string): Promise<boolean> {
  const outcome = await host.compile({
    kind: 'json-schema',
    schema: schema as never,
    strict: true,
    whitespace: 'none',
  });
  if (outcome.kind !== 'compiled') throw new Error(outcome.reason);
  const matcher = outcome.constraint.createMatcher();
  outcome.constraint.release();
  try {
    for (const byte of new TextEncoder().encode(text)) {
      if (!allowedTokens(waitForMask(matcher)).includes(byte)) return false;
      matcher.accept([byte]);
    }
    return vocabulary.eogTokens.some((token) => allowedTokens(waitForMask(matcher)).includes(token));
  } finally {
    matcher.dispose();
  }
}

const $defs = {
  list: {
    type: 'object',
    properties: { v: { type: 'integer' }, next: { $ref: '#/$defs/list' } },
    required: ['v'],
  },
};

interface Case {
  readonly schema: object;
  readonly values: readonly unknown[];
  /** Values that ajv accepts and the grammar leaves out on purpose. */
  readonly narrower?: readonly unknown[];
}

const of = (schema: object, values: readonly unknown[], narrower: readonly unknown[] = []): Case => ({
  schema,
  values,
  narrower,
});

const CASES: Readonly<Record<string, Case>> = {
  'type integer': of({ type: 'integer' }, [0, -7, 12345, 1.5, 'a', null, true, [], {}]),
  'type number': of({ type: 'number' }, [0, -7.25, 1e-3, '1', null]),
  'type string': of({ type: 'string' }, ['', 'a"b\\c\n', 'é日😀', 5, null]),
  'type boolean and null': of({ type: ['boolean', 'null'] }, [true, false, null, 0, '']),
  'type object': of({ type: 'object' }, [{}, { a: [1, { b: null }] }, [], 'x']),
  'type array': of({ type: 'array' }, [[], [1, 'a', [null]], {}, 1]),
  enum: of({ enum: [1, 'a', null, [2], { k: 'v' }] }, [1, 'a', null, [2], { k: 'v' }, 2, 'b', [], {}]),
  'enum with type': of({ type: 'string', enum: ['a', 1, 'bb'], maxLength: 1 }, ['a', 'bb', 1]),
  const: of({ const: { a: [false] } }, [{ a: [false] }, { a: [0] }, {}, null]),
  'minimum and maximum': of(
    { type: 'number', minimum: 1.1, maximum: 3 },
    [1, 1.1, 1.11, 2, 3, 3.0001, 0.6, -2],
  ),
  'exclusive bounds': of(
    { type: 'number', exclusiveMinimum: 1.1, exclusiveMaximum: 3 },
    [1.1, 1.2, 2.999, 3, -5],
  ),
  'negative bounds': of({ type: 'integer', minimum: -20, maximum: -3 }, [-21, -20, -12, -3, -2, 0, 3]),
  'minLength and maxLength': of({ type: 'string', minLength: 2, maxLength: 3 }, [
    'f',
    'fo',
    'foo',
    'fooo',
    '日本',
    '😀😀',
    'a\n',
  ]),
  'pattern, anchored': of({ type: 'string', pattern: '^a*$' }, ['', 'aaa', 'abc']),
  'pattern, searched': of({ type: 'string', pattern: 'a+' }, ['xxaayy', 'a', 'xyz', '']),
  'pattern with length': of({ type: 'string', pattern: '^[a-z]+$', maxLength: 3 }, ['abc', 'abcd', 'a1', '']),
  'format date': of({ type: 'string', format: 'date' }, ['2024-01-31', '1999-12-01']),
  items: of({ type: 'array', items: { type: 'integer' } }, [[], [1, 2, 3], [1, 'x'], {}]),
  'minItems and maxItems': of({ type: 'array', items: { type: 'integer' }, minItems: 1, maxItems: 2 }, [
    [],
    [1],
    [1, 2],
    [1, 2, 3],
  ]),
  prefixItems: of(
    { type: 'array', prefixItems: [{ type: 'integer' }, { type: 'string' }] },
    [[], [1], [1, 'a'], ['a', 1], [1, 'a', true]],
    [[1, 'a', true]],
  ),
  'prefixItems and items': of(
    { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'integer' } },
    [['a'], ['a', 1, 2], ['a', 'b'], [1]],
  ),
  'items false': of({ type: 'array', prefixItems: [{}, {}], items: false }, [[], [1], [1, 2], [1, 2, 3]]),
  properties: of(
    { type: 'object', properties: { foo: { type: 'integer' }, bar: { type: 'string' } } },
    [{}, { foo: 1, bar: 'x' }, { bar: 'x' }, { foo: 'x' }, { quux: [] }],
    [{ quux: [] }],
  ),
  required: of({ type: 'object', properties: { foo: {}, bar: {} }, required: ['bar'] }, [
    { bar: 1 },
    { foo: 1, bar: 2 },
    { foo: 1 },
    {},
  ]),
  'additionalProperties false': of({ type: 'object', properties: { foo: {} }, additionalProperties: false }, [
    { foo: 1 },
    {},
    { fo: 1 },
    { foo: 1, x: 2 },
  ]),
  'additionalProperties schema': of(
    { type: 'object', properties: { foo: { type: 'string' } }, additionalProperties: { type: 'boolean' } },
    [{ foo: 'x', bar: true }, { foo: true }, { bar: 12 }, { fo: true, fooo: false }],
  ),
  patternProperties: of(
    { type: 'object', patternProperties: { '^f.*o$': { type: 'integer' } }, additionalProperties: false },
    [{ foo: 1 }, { foooo: 2, fo: 1 }, { foo: 'x' }, { bar: 1 }],
  ),
  propertyNames: of({ type: 'object', propertyNames: { maxLength: 3 }, additionalProperties: true }, [
    {},
    { f: {}, foo: {} },
    { foobar: {} },
  ]),
  'minProperties and maxProperties': of(
    {
      type: 'object',
      properties: { a: {}, b: {}, c: {} },
      minProperties: 1,
      maxProperties: 2,
      additionalProperties: false,
    },
    [{}, { a: 1 }, { b: 1, c: 2 }, { a: 1, b: 2, c: 3 }],
  ),
  anyOf: of({ anyOf: [{ type: 'integer' }, { type: 'number', minimum: 2 }] }, [1, 2.5, 1.5, 3]),
  'anyOf beside other keywords': of({ type: 'string', anyOf: [{ maxLength: 2 }, { minLength: 4 }] }, [
    'ab',
    'abc',
    'abcd',
    7,
  ]),
  allOf: of(
    {
      allOf: [
        { type: 'object', properties: { bar: { type: 'integer' } }, required: ['bar'] },
        { type: 'object', properties: { foo: { type: 'string' } }, required: ['foo'] },
      ],
    },
    [{ bar: 2, foo: 'baz' }, { foo: 'baz' }, { bar: 2 }, { bar: 'x', foo: 'baz' }],
  ),
  'allOf of elements and positions': of(
    {
      allOf: [
        { type: 'array', items: { type: 'integer' } },
        {
          type: 'array',
          prefixItems: [{ maximum: 3, type: 'number' }],
          items: { minimum: 5, type: 'number' },
        },
      ],
    },
    [[], [1], [1.5], [4], [1, 5], [1, 4], [1, 5.5]],
  ),
  'allOf of closed objects': of(
    {
      allOf: [
        {
          type: 'object',
          properties: { a: {} },
          patternProperties: { '^x': {} },
          additionalProperties: false,
        },
        { type: 'object', properties: { a: {}, b: {}, x1: { type: 'integer' } } },
      ],
    },
    [{}, { a: 1 }, { b: 1 }, { a: 1, x1: 2 }, { x1: 'a' }],
  ),
  'allOf of bounds': of(
    {
      allOf: [
        { type: 'number', maximum: 30 },
        { type: 'number', minimum: 20 },
      ],
    },
    [25, 35, 15],
  ),
  oneOf: of({ oneOf: [{ type: 'integer' }, { type: 'string', minLength: 2 }] }, [1, 'ab', 'a', 1.5]),
  'oneOf by a constant': of(
    {
      oneOf: [
        { type: 'object', properties: { k: { const: 'a' }, n: { type: 'integer' } }, required: ['k', 'n'] },
        { type: 'object', properties: { k: { const: 'b' } }, required: ['k'] },
      ],
    },
    [{ k: 'a', n: 1 }, { k: 'b' }, { k: 'a' }, { k: 'c' }],
  ),
  $ref: of({ $defs, $ref: '#/$defs/list' }, [
    { v: 1 },
    { v: 1, next: { v: 2, next: { v: 3 } } },
    { v: 1, next: { v: 'x' } },
    {},
  ]),
  '$ref to the root': of(
    { type: 'object', properties: { foo: { $ref: '#' } }, additionalProperties: false },
    [{ foo: {} }, { foo: { foo: {} } }, { bar: 1 }, { foo: { bar: 1 } }],
  ),
  '$ref with escapes': of(
    {
      $defs: { 'a/b~c%d': { type: 'integer' } },
      type: 'object',
      properties: { x: { $ref: '#/$defs/a~1b~0c%25d' } },
    },
    [{ x: 1 }, { x: 'a' }],
  ),
  unevaluatedProperties: of(
    { type: 'object', allOf: [{ properties: { a: { type: 'integer' } } }], unevaluatedProperties: false },
    [{ a: 1 }, {}, { b: 1 }],
  ),
  'names that need escapes': of(
    {
      type: 'object',
      properties: { 'a"b\\': { type: 'integer' } },
      additionalProperties: { type: 'string' },
    },
    [{ 'a"b\\': 1 }, { 'a"b\\': 'x' }, { ab: 'x' }],
  ),
};

describe('the grammar agrees with ajv', () => {
  it.each(Object.entries(CASES))('%s', async (_name, { schema, values, narrower = [] }) => {
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
    const excused = new Set(narrower.map((value) => JSON.stringify(value)));
    for (const value of values) {
      const text = JSON.stringify(value);
      expect(await accepts(schema, text), text).toBe(validate(value) && !excused.has(text));
    }
  });

  it('refuses what is no document of the schema at all', async () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    for (const text of [
      '',
      '{',
      '{"a":"x"',
      '{"a":"x"}}',
      '{"a":"x",}',
      "{'a':1}",
      '{"a":"\u0001"}',
      '{"a":"\\x"}',
    ]) {
      expect(await accepts(schema, text), text).toBe(false);
    }
  });
});
