// Random JSON schemas of the supported kind: every keyword a grammar can hold, nested, combined and referred to.

import fc from 'fast-check';
import type { JsonSchema } from '../../src/protocol/index.js';

type Schema = Record<string, unknown>;

const name = fc.oneof(
  fc.constantFrom('name', 'age', 'a', 'ab', 'abc', 'tags', 'x-y', 'größe', '城市', 'with "quote"', 'a b'),
  fc.string({ minLength: 1, maxLength: 6 }),
);

const range = (low: string, high: string, arbitrary: fc.Arbitrary<number>): fc.Arbitrary<Schema> =>
  fc.tuple(fc.option(arbitrary), fc.option(arbitrary)).map(([a, b]) => {
    const [from, to] = a !== null && b !== null && a > b ? [b, a] : [a, b];
    return { ...(from === null ? {} : { [low]: from }), ...(to === null ? {} : { [high]: to }) };
  });

const count = fc.nat({ max: 6 });
const patterns = [
  '^[a-z]+$',
  '^[A-Z]{2}[0-9]{1,3}$',
  'ab',
  '^(yes|no)$',
  '^[^"x]{2,4}$',
  '^\\d{4}-\\d{2}$',
  'z$',
  '^"\\\\?$',
];

const string = fc.oneof(
  fc.constant({}),
  range('minLength', 'maxLength', fc.nat({ max: 12 })),
  fc.constantFrom(...patterns).map((pattern) => ({ pattern })),
  fc
    .constantFrom('date', 'date-time', 'time', 'uuid', 'ipv4', 'email', 'unheard-of')
    .map((format) => ({ format })),
);

const decimal = fc.oneof(
  fc.integer({ min: -1000, max: 1000 }),
  fc.integer({ min: -99999, max: 99999 }).map((n) => n / 1000),
);

const scalar: fc.Arbitrary<Schema> = fc.oneof(
  string.map((rest) => ({ type: 'string', ...rest })),
  range('minimum', 'maximum', decimal).map((rest) => ({ type: 'number', ...rest })),
  range('exclusiveMinimum', 'exclusiveMaximum', decimal).map((rest) => ({ type: 'number', ...rest })),
  range('minimum', 'maximum', fc.integer({ min: -2000, max: 2000 })).map((rest) => ({
    type: 'integer',
    ...rest,
  })),
  fc.constantFrom({ type: 'boolean' }, { type: 'null' }, { type: ['string', 'null'], maxLength: 5 }),
  fc.array(fc.jsonValue({ maxDepth: 1 }), { minLength: 1, maxLength: 4 }).map((values) => ({ enum: values })),
  fc.jsonValue({ maxDepth: 2 }).map((value) => ({ const: value })),
);

const { schema } = fc.letrec<{ schema: Schema; object: Schema; array: Schema; combined: Schema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    tie('object'),
    tie('array'),
    tie('combined'),
  ),
  object: fc
    .tuple(
      fc.dictionary(name, tie('schema'), { maxKeys: 5 }),
      fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
      fc.constantFrom(undefined, false, true, { type: 'integer' }, { type: 'string', maxLength: 4 }),
      fc.constantFrom(undefined, 0, 1, 2),
    )
    .map(([properties, coins, additional, spare]) => ({
      type: 'object',
      properties,
      required: Object.keys(properties).filter((_, index) => coins[index]),
      ...(additional === undefined ? {} : { additionalProperties: additional }),
      ...(spare === undefined ? {} : { maxProperties: Object.keys(properties).length + spare }),
    })),
  array: fc
    .tuple(
      tie('schema'),
      fc.array(tie('schema'), { maxLength: 3 }),
      range('minItems', 'maxItems', count),
      fc.constantFrom('items', 'prefix', 'both'),
    )
    .map(([items, prefixItems, rest, mode]) => ({
      type: 'array',
      ...(mode === 'prefix' ? {} : { items }),
      ...(mode === 'items' || prefixItems.length === 0 ? {} : { prefixItems }),
      ...rest,
    })),
  combined: fc.oneof(
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
    fc.tuple(tie('object'), tie('object')).map((allOf) => ({ allOf })),
    fc.constant({ $ref: '#/$defs/tree' }),
    fc.constant({ $ref: '#/$defs/short' }),
    fc.dictionary(fc.constantFrom('p', 'q'), tie('schema'), { minKeys: 1, maxKeys: 2 }).map((properties) => ({
      oneOf: [
        { type: 'object', properties: { kind: { const: 'a' }, ...properties }, required: ['kind'] },
        { type: 'object', properties: { kind: { const: 'b' }, n: { type: 'integer' } }, required: ['kind'] },
      ],
    })),
  ),
}));

const $defs = {
  short: { type: 'string', minLength: 1, maxLength: 3 },
  tree: {
    type: 'object',
    properties: { value: { type: 'integer' }, next: { $ref: '#/$defs/tree' } },
    required: ['value'],
    additionalProperties: false,
  },
};

/** A random schema with definitions it may refer to. */
export const randomSchema: fc.Arbitrary<JsonSchema> = schema.map((root) => ({ ...root, $defs }));
