import { describe, expect, it } from 'vitest';
import type { JsonSchema } from './message.js';
import { isPlainText, parameterTypes, typeOfValue } from './schema-types.js';

const allowed = (schema: unknown, more: Record<string, unknown> = {}): readonly string[] | undefined => {
  const parameters = { type: 'object', properties: { x: schema }, ...more } as JsonSchema;
  const types = parameterTypes(parameters, 'x');
  return types && [...types].sort();
};

describe('kinds of value a parameter may have', () => {
  it.each([
    [{ type: 'string' }, ['string']],
    [{ type: 'integer' }, ['number']],
    [{ type: ['string', 'null'] }, ['null', 'string']],
    [{ enum: ['a', 1] }, ['number', 'string']],
    [{ enum: ['a', 1], type: 'string' }, ['string']],
    [{ const: [1] }, ['array']],
    [{ anyOf: [{ type: 'boolean' }, { type: 'null' }] }, ['boolean', 'null']],
    [{ oneOf: [{ type: 'boolean' }, {}] }, undefined],
    [{ allOf: [{ type: ['string', 'number'] }, { type: 'number' }] }, ['number']],
    [{ $ref: '#/$defs/n' }, ['number']],
    [{ $ref: '#/$defs/none' }, undefined],
    [{ $ref: '#/properties/x' }, undefined],
    [{}, undefined],
    [true, undefined],
    [{ type: 'strang' }, undefined],
  ])('%j: %j', (schema, types) => {
    expect(allowed(schema, { $defs: { n: { type: 'integer' } } })).toEqual(types);
  });

  it('are found behind references and compositions of the whole', () => {
    const $defs = { 'a/b': { properties: { x: { type: 'integer' } } } };
    expect(parameterTypes({ $defs, $ref: '#/$defs/a~1b' }, 'x')).toEqual(new Set(['number']));
    const allOf = [{ $ref: '#/$defs/a~1b' }, { properties: { x: { type: ['number', 'null'] } } }];
    expect(parameterTypes({ $defs, allOf }, 'x')).toEqual(new Set(['number']));
    expect(parameterTypes({ $defs, allOf }, 'y')).toBeUndefined();
    expect(parameterTypes(undefined, 'x')).toBeUndefined();
  });

  it('tell plain text from JSON', () => {
    expect(isPlainText(undefined)).toBe(true);
    expect(isPlainText(new Set(['string']))).toBe(true);
    expect(isPlainText(new Set(['string', 'null']))).toBe(false);
    expect([null, [], {}, 'a', 1, true].map(typeOfValue)).toEqual([
      'null',
      'array',
      'object',
      'string',
      'number',
      'boolean',
    ]);
  });
});
