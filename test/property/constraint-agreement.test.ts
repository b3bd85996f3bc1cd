// Cases by keyword, as the JSON schema test suite has them: what ajv refuses the grammar refuses, and what ajv
// accepts the grammar accepts, unless the case is marked `narrower` (docs/structured-output.md tells which).

import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, describe, expect, it } from 'vitest';
import { createConstraintHost } from '../../src/engine/constraint/index.js';
import type { JsonSchema } from '../../src/protocol/index.js';
import { acceptsExactly, inventVocabulary } from './constraint-support.js';

const vocabulary = inventVocabulary(600);
const host = createConstraintHost({ tokens: vocabulary, eogTokens: vocabulary.eogTokens, maxWorkers: 2 });
afterAll(() => host.dispose());

const accepts = (schema: JsonSchema, text: string): Promise<boolean> =>
  acceptsExactly(host, vocabulary, schema, text);

const $defs = {
  list: {
    type: 'object',
    properties: { v: { type: 'integer' }, next: { $ref: '#/$defs/list' } },
    required: ['v'],
  },
};

interface Case {
  readonly schema: Exclude<JsonSchema, boolean>;
  readonly values: readonly unknown[];
  /** Values that ajv accepts and the grammar leaves out on purpose. */
  readonly narrower?: readonly unknown[];
}

const of = (schema: Case['schema'], values: readonly unknown[], narrower: readonly unknown[] = []): Case => ({
  schema,
  values,
  narrower,
});

const CASES: Readonly<Record<string, Case>> = {
  'type integer': of({ type: 'integer' }, [0, -7, 12345, 1.5, 'a', null, true, [], {}]),
  'type number': of({ type: 'number' }, [0, -7.25, 1e-3, '1', null, [1]]),
  'type string': of({ type: 'string' }, ['', 'a"b\\c\n', 'é日😀', 5, null, ['']]),
  'type boolean and null': of({ type: ['boolean', 'null'] }, [true, false, null, 0, '', []]),
  'type object': of({ type: 'object' }, [{}, { a: [1, { b: null }] }, { a: 1, b: {} }, [], 'x', null]),
  'type array': of({ type: 'array' }, [[], [1, 'a', [null]], [[[]]], {}, 1, '[]']),
  enum: of({ enum: [1, 'a', null, [2], { k: 'v' }] }, [1, 'a', null, [2], { k: 'v' }, 2, 'b', [], {}]),
  'enum with type': of({ type: 'string', enum: ['a', 1, 'bb', 'c', 'd'], maxLength: 1 }, [
    'a',
    'c',
    'd',
    'bb',
    1,
    'e',
  ]),
  const: of({ const: { a: [false] } }, [{ a: [false] }, { a: [0] }, {}, null]),
  'const beside type and bounds': of(
    { anyOf: [{ const: 'é' }, { const: -0.5 }, { const: null }], type: ['string', 'number', 'null'] },
    ['é', -0.5, null, 'e', 0.5, ''],
  ),
  'types in a list': of({ type: ['string', 'null', 'integer'], minLength: 2, maximum: 3 }, [
    'ab',
    null,
    3,
    'a',
    4,
    true,
    1.5,
  ]),
  'minimum and maximum': of(
    { type: 'number', minimum: 1.1, maximum: 3 },
    [1, 1.1, 1.11, 2, 3, 3.0001, 0.6, -2],
  ),
  'exclusive bounds': of(
    { type: 'number', exclusiveMinimum: 1.1, exclusiveMaximum: 3 },
    [1.1, 1.2, 2, 2.999, 3, -5],
  ),
  'negative bounds': of({ type: 'integer', minimum: -20, maximum: -3 }, [-21, -20, -12, -3, -2, 0, 3]),
  'minLength and maxLength': of({ type: 'string', minLength: 2, maxLength: 3 }, [
    'f',
    'fo',
    'foo',
    'fooo',
    '日本語文',
    '',
    '日本',
    '😀😀',
    'a\n',
  ]),
  'pattern, anchored': of({ type: 'string', pattern: '^a*$' }, ['', 'aaa', 'a', 'abc', 'b', 'A']),
  'pattern, searched': of({ type: 'string', pattern: 'a+' }, ['xxaayy', 'a', 'bab', 'xyz', '', 'A']),
  'pattern with length': of({ type: 'string', pattern: '^[a-z]+$', maxLength: 3 }, [
    'abc',
    'a',
    'xy',
    'abcd',
    'a1',
    '',
  ]),
  items: of({ type: 'array', items: { type: 'integer' } }, [[], [1, 2, 3], [7], [1, 'x'], {}, [null]]),
  'minItems and maxItems': of({ type: 'array', items: { type: 'integer' }, minItems: 1, maxItems: 2 }, [
    [],
    [1],
    [1, 2],
    [9, 9],
    [1, 2, 3],
    ['a'],
  ]),
  prefixItems: of(
    { type: 'array', prefixItems: [{ type: 'integer' }, { type: 'string' }] },
    [[], [1], [1, 'a'], ['a', 1], [1, 2], {}, [1, 'a', true]],
    [[1, 'a', true]],
  ),
  'prefixItems and items': of(
    { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'integer' } },
    [[], ['a'], ['a', 1, 2], ['a', 'b'], [1], ['a', 1, null]],
  ),
  'items false': of({ type: 'array', prefixItems: [{}, {}], items: false }, [
    [],
    [1],
    ['a', {}],
    [1, 2, 3],
    {},
    [1, 2, null, null],
  ]),
  properties: of(
    { type: 'object', properties: { foo: { type: 'integer' }, bar: { type: 'string' } } },
    [{}, { foo: 1, bar: 'x' }, { bar: 'x' }, { foo: 'x' }, { foo: 1, bar: 2 }, [], { quux: [] }],
    [{ quux: [] }],
  ),
  required: of({ type: 'object', properties: { foo: {}, bar: {} }, required: ['bar'] }, [
    { bar: 1 },
    { foo: 1, bar: 2 },
    { bar: null },
    { foo: 1 },
    {},
    { foo: [], baz: 1 },
  ]),
  'required without properties': of({ type: 'object', required: ['a b', 'é'], additionalProperties: true }, [
    { 'a b': 1, é: 2 },
    { 'a b': 1, é: [], c: 0 },
    { 'a b': {}, é: '' },
    { 'a b': 1 },
    { é: 1 },
    {},
  ]),
  'additionalProperties false': of({ type: 'object', properties: { foo: {} }, additionalProperties: false }, [
    { foo: 1 },
    {},
    { foo: { x: 1 } },
    { fo: 1 },
    { foo: 1, x: 2 },
    { fooo: 1 },
  ]),
  'additionalProperties schema': of(
    { type: 'object', properties: { foo: { type: 'string' } }, additionalProperties: { type: 'boolean' } },
    [
      { foo: 'x', bar: true },
      {},
      { foo: true },
      { bar: 12 },
      { foo: 'x', bar: 'y' },
      { fo: true, fooo: false },
    ],
  ),
  patternProperties: of(
    { type: 'object', patternProperties: { '^f.*o$': { type: 'integer' } }, additionalProperties: false },
    [{ foo: 1 }, { foooo: 2, fo: 1 }, {}, { foo: 'x' }, { bar: 1 }, { foo: 1, b: 2 }],
  ),
  propertyNames: of({ type: 'object', propertyNames: { maxLength: 3 }, additionalProperties: true }, [
    {},
    { f: {}, foo: {} },
    { '': 1 },
    { foobar: {} },
    { f: 1, four: 2 },
    [],
  ]),
  'propertyNames by pattern': of(
    { type: 'object', propertyNames: { pattern: '^[a-z]+$' }, additionalProperties: { type: 'integer' } },
    [{}, { a: 1 }, { ab: 1, c: 2 }, { A: 1 }, { a1: 1 }, { a: 'x' }],
  ),
  'minProperties and maxProperties': of(
    {
      type: 'object',
      properties: { a: {}, b: {}, c: {} },
      minProperties: 1,
      maxProperties: 2,
      additionalProperties: false,
    },
    [{}, { a: 1 }, { b: 1, c: 2 }, { c: null }, { a: 1, b: 2, c: 3 }, { d: 1 }],
  ),
  anyOf: of({ anyOf: [{ type: 'integer' }, { type: 'number', minimum: 2 }] }, [1, 2.5, 3, 1.5, '1', -0.5]),
  'anyOf beside other keywords': of({ type: 'string', anyOf: [{ maxLength: 2 }, { minLength: 4 }] }, [
    'ab',
    '',
    'abcd',
    'abc',
    7,
    null,
  ]),
  allOf: of(
    {
      allOf: [
        { type: 'object', properties: { bar: { type: 'integer' } }, required: ['bar'] },
        { type: 'object', properties: { foo: { type: 'string' } }, required: ['foo'] },
      ],
    },
    [
      { bar: 2, foo: 'baz' },
      { bar: 0, foo: '' },
      { bar: -1, foo: 'é' },
      { foo: 'baz' },
      { bar: 2 },
      { bar: 'x', foo: 'baz' },
    ],
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
    [{}, { a: 1 }, { b: 1 }, { a: 1, x1: 2 }, { x1: 'a' }, { y: 1 }],
  ),
  'allOf of bounds': of(
    {
      allOf: [
        { type: 'number', maximum: 30 },
        { type: 'number', minimum: 20 },
      ],
    },
    [25, 20, 30, 35, 15, 19.999],
  ),
  oneOf: of({ oneOf: [{ type: 'integer' }, { type: 'string', minLength: 2 }] }, [
    1,
    'ab',
    'abc',
    'a',
    1.5,
    null,
  ]),
  'oneOf by a constant': of(
    {
      oneOf: [
        { type: 'object', properties: { k: { const: 'a' }, n: { type: 'integer' } }, required: ['k', 'n'] },
        { type: 'object', properties: { k: { const: 'b' } }, required: ['k'] },
      ],
    },
    [{ k: 'a', n: 1 }, { k: 'b' }, { k: 'a', n: 0 }, { k: 'a' }, { k: 'c' }, { n: 1 }],
  ),
  $ref: of({ $defs, $ref: '#/$defs/list' }, [
    { v: 1 },
    { v: 1, next: { v: 2, next: { v: 3 } } },
    { v: 1, next: { v: 2 } },
    { v: 1, next: { v: 'x' } },
    { v: 1, next: { v: 2, next: {} } },
    {},
  ]),
  '$ref to each other': of(
    {
      $defs: {
        even: { type: 'array', items: { $ref: '#/$defs/odd' }, maxItems: 2 },
        odd: { anyOf: [{ type: 'null' }, { $ref: '#/$defs/even' }] },
      },
      $ref: '#/$defs/even',
    },
    [[], [null], [[null, []], []], [[[null]]], [1], [null, null, null], [[[1]]], null],
  ),
  '$ref beside other keywords': of(
    { definitions: { short: { type: 'string', maxLength: 3 } }, $ref: '#/definitions/short', minLength: 2 },
    ['ab', 'abc', '日本', 'a', 'abcd', 2],
  ),
  '$ref to the root': of(
    { type: 'object', properties: { foo: { $ref: '#' } }, additionalProperties: false },
    [{ foo: {} }, { foo: { foo: {} } }, {}, { bar: 1 }, { foo: { bar: 1 } }, { foo: 1 }],
  ),
  '$ref with escapes': of(
    {
      $defs: { 'a/b~c%d': { type: 'integer' } },
      type: 'object',
      properties: { x: { $ref: '#/$defs/a~1b~0c%25d' } },
    },
    [{ x: 1 }, { x: 0 }, {}, { x: 'a' }, { x: 1.5 }, { x: null }],
  ),
  unevaluatedProperties: of(
    { type: 'object', allOf: [{ properties: { a: { type: 'integer' } } }], unevaluatedProperties: false },
    [{ a: 1 }, {}, { a: -1 }, { b: 1 }, { a: 'x' }, { a: 1, b: 1 }],
  ),
  unevaluatedItems: of(
    { type: 'array', allOf: [{ prefixItems: [{ type: 'integer' }] }], unevaluatedItems: false },
    [[], [1], [-5], ['a'], [1, 2], [null]],
  ),
  'names beyond ASCII': of(
    {
      type: 'object',
      properties: { größe: { type: 'integer' }, 数: { enum: ['一', '二'] }, '😀': { type: 'boolean' } },
      required: ['数'],
      additionalProperties: false,
    },
    [
      { größe: 1, 数: '一' },
      { 数: '二', '😀': true },
      { 数: '一' },
      { 数: '三' },
      { größe: 1 },
      { 数: '一', '😁': true },
    ],
  ),
  'nullable members': of(
    {
      type: 'object',
      properties: {
        a: { type: ['string', 'null'], maxLength: 2 },
        b: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
      },
      required: ['a', 'b'],
      additionalProperties: false,
    },
    [
      { a: null, b: null },
      { a: 'x', b: 1 },
      { a: '', b: null },
      { a: 'xyz', b: 1 },
      { a: 1, b: 1 },
      { a: null },
    ],
  ),
  'numbers of many digits': of(
    { type: 'number', exclusiveMinimum: -0.001, maximum: 1000000 },
    [0, 0.123456789, 1000000, -0.001, 1000000.5, -1],
  ),
  'names that need escapes': of(
    {
      type: 'object',
      properties: { 'a"b\\': { type: 'integer' } },
      additionalProperties: { type: 'string' },
    },
    [{ 'a"b\\': 1 }, { ab: 'x' }, {}, { 'a"b\\': 'x' }, { ab: 1 }, { 'a"b\\': 1, ab: 2 }],
  ),
};

/** Texts per format; ajv's own judgement of them differs between versions, so it is spelled out. */
const FORMATS: Readonly<Record<string, readonly [good: readonly string[], bad: readonly string[]]>> = {
  date: [
    ['2024-01-31', '1999-12-01', '2000-02-29'],
    ['2024-13-01', '24-01-01', '2024-1-1', '2024-01-32'],
  ],
  time: [
    ['00:00:00Z', '23:59:59.25+01:00', '12:30:00-05:30'],
    ['24:00:00Z', '12:60:00Z', 'noon'],
  ],
  'date-time': [
    ['2024-01-31T12:00:00Z', '1985-04-12T23:20:50.52Z', '1996-12-19T16:39:57-08:00'],
    ['2024-01-31', '2024-01-31 12:00', '2024-01-31T25:00:00Z'],
  ],
  duration: [
    ['P1D', 'PT1H30M', 'P3Y6M4DT12H30M5S'],
    ['1D', 'P', 'PT'],
  ],
  email: [
    ['a@b.de', 'joe.bloggs@example.com', 'x+y@mail.example.org'],
    ['a', '@b.de', 'a b@c.de'],
  ],
  hostname: [
    ['example.com', 'a-b.c', 'localhost'],
    ['-a.com', 'a..b', 'a b'],
  ],
  uuid: [
    [
      '123e4567-e89b-12d3-a456-426614174000',
      '00000000-0000-0000-0000-000000000000',
      'ABCDEF01-2345-6789-abcd-ef0123456789',
    ],
    [
      '123e4567e89b12d3a456426614174000',
      '123e4567-e89b-12d3-a456-42661417400',
      'g23e4567-e89b-12d3-a456-426614174000',
    ],
  ],
  ipv4: [
    ['0.0.0.0', '192.168.1.255', '8.8.8.8'],
    ['256.1.1.1', '1.2.3', '1.2.3.4.5'],
  ],
  ipv6: [
    ['::1', '2001:db8:0:0:0:0:0:1', 'fe80::1:2'],
    ['1.2.3.4', '12345::', ':::'],
  ],
  uri: [
    ['https://example.com/a?b=c#d', 'mailto:a@b.de', 'urn:isbn:123'],
    ['example', '//no.scheme', 'http://a b'],
  ],
};

describe.each(Object.entries(FORMATS))('the format %s', (format, [good, bad]) => {
  it('takes what has it and nothing else', async () => {
    const schema = { type: 'string', format };
    for (const text of good) expect(await accepts(schema, JSON.stringify(text)), text).toBe(true);
    for (const text of bad) expect(await accepts(schema, JSON.stringify(text)), text).toBe(false);
  });
});

describe('the grammar agrees with ajv', () => {
  it.each(Object.entries(CASES))('%s', async (_name, { schema, values, narrower = [] }) => {
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
    const excused = new Set(narrower.map((value) => JSON.stringify(value)));
    const seen = { accepted: 0, refused: 0 };
    for (const value of values) {
      const text = JSON.stringify(value);
      const isValid = validate(value) && !excused.has(text);
      expect(await accepts(schema, text), text).toBe(isValid);
      seen[isValid ? 'accepted' : 'refused'] += 1;
    }
    expect(seen.refused, 'too few refused').toBeGreaterThan(2);
    // A constant has one value only.
    expect(seen.accepted, 'too few accepted').toBeGreaterThan('const' in schema ? 0 : 2);
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
