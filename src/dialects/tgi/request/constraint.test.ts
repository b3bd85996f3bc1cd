import { describe, expect, it } from 'vitest';
import { closeSchema, GRAMMAR_V1, GRAMMAR_V3, toConstraint } from './constraint.js';

const schema = {
  type: 'object',
  properties: { b: { type: 'object', properties: { y: {}, x: {} } }, a: { enum: [{ properties: 1 }] } },
};

describe('toConstraint', () => {
  it('closes objects at every depth and keeps the order of properties', () => {
    const constraint = toConstraint({ kind: 'json', schema }, GRAMMAR_V3, true);
    expect(JSON.stringify(constraint)).toBe(
      JSON.stringify({
        kind: 'json-schema',
        schema: {
          type: 'object',
          properties: {
            b: { type: 'object', properties: { y: {}, x: {} }, additionalProperties: false },
            a: { enum: [{ properties: 1 }] },
          },
          additionalProperties: false,
        },
        strict: false,
        whitespace: 'single',
      }),
    );
  });

  it('sorts properties for 1.4.2', () => {
    const constraint = toConstraint({ kind: 'json', schema }, GRAMMAR_V1, true);
    if (constraint.kind !== 'json-schema' || typeof constraint.schema === 'boolean')
      throw new Error('no schema');
    expect(Object.keys(constraint.schema['properties'] as object)).toEqual(['a', 'b']);
    expect(constraint.whitespace).toBe('any');
  });

  it('reads a schema given as text', () => {
    const text = JSON.stringify({ properties: {} });
    expect(toConstraint({ kind: 'json', schema: text }, GRAMMAR_V3, true)).toMatchObject({
      schema: { properties: {}, additionalProperties: false },
    });
  });

  it.each([
    [5, 'grammar is not supported'],
    [[], 'grammar is not supported'],
    ['{"a":', 'grammar is not valid: EOF while parsing a value at line 1 column 5'],
    ['[]', 'grammar is not valid: the schema is not an object'],
    [{ type: 'object' }, "grammar is not valid: Grammar must have a 'properties' field"],
    [{ type: 5, properties: {} }, 'grammar is not valid: schema/type'],
  ])('%j is refused', (value, why) => {
    expect(() => toConstraint({ kind: 'json', schema: value }, GRAMMAR_V3, true)).toThrow(
      `Input validation error: ${why}`,
    );
  });

  it('is refused where grammars are switched off', () => {
    expect(() => toConstraint({ kind: 'regex', pattern: 'a' }, GRAMMAR_V3, false)).toThrow(
      'Input validation error: grammar is not supported',
    );
  });

  it('lets the same $id come twice', () => {
    const named = { $id: 'urn:x', properties: {} };
    toConstraint({ kind: 'json', schema: named }, GRAMMAR_V3, true);
    expect(() => toConstraint({ kind: 'json', schema: named }, GRAMMAR_V3, true)).not.toThrow();
  });
});

describe('closeSchema', () => {
  it('overrules open objects and leaves other schemas alone', () => {
    expect(closeSchema({ properties: {}, additionalProperties: true }, 'schema')).toEqual({
      properties: {},
      additionalProperties: false,
    });
    expect(closeSchema({ type: 'string', minLength: 2 }, 'schema')).toEqual({ type: 'string', minLength: 2 });
  });
});
