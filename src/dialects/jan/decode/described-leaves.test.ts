import { describe, expect, it } from 'vitest';
import { withTextArguments, withTextLeaves } from './described-leaves.js';

const bare = { description: 'd' };
const text = { description: 'd', type: 'string' };

describe('a leaf that is only described', () => {
  it('is a string, wherever values are described', () => {
    expect(
      withTextLeaves({
        type: 'object',
        properties: { a: bare, b: { ...bare, title: 't', default: 'x' }, __proto: bare },
        patternProperties: { '^x': bare },
        items: bare,
        prefixItems: [bare, true],
        $defs: { c: { type: 'object', properties: { d: bare } } },
        anyOf: [{ properties: { e: { type: 'array', items: bare } } }],
        additionalProperties: { properties: { f: bare } },
      }),
    ).toEqual({
      type: 'object',
      properties: { a: text, b: { ...text, title: 't', default: 'x' }, __proto: text },
      patternProperties: { '^x': text },
      items: text,
      prefixItems: [text, true],
      $defs: { c: { type: 'object', properties: { d: text } } },
      anyOf: [{ properties: { e: { type: 'array', items: text } } }],
      additionalProperties: { properties: { f: text } },
    });
  });

  it.each([
    [{ properties: { a: {} } }],
    [{ properties: { a: { title: 't' } } }],
    [{ properties: { a: { ...bare, enum: [1, 2] } } }],
    [{ properties: { a: { ...bare, $ref: '#/$defs/x' } } }],
    [{ properties: { a: { ...bare, default: 5 } } }],
    [{ properties: { a: true, b: { ...bare, type: 'integer' } } }],
    [{ anyOf: [bare, { type: 'null' }] }],
    [{ $defs: { x: bare } }],
    [{ properties: 'no schema', items: [1], anyOf: {} }],
    [bare],
    [true],
  ])('is not what %j has', (schema) => {
    expect(withTextLeaves(schema)).toEqual(schema);
  });

  it('is not looked for at any depth', () => {
    let deep: object = bare;
    for (let i = 0; i < 100_000; i += 1) deep = { items: deep };
    expect(withTextLeaves(deep as Record<string, unknown>)).toHaveProperty('items');
  });

  it('counts in arguments of tools, and tools without any stay as they are', () => {
    const tools = [{ name: 'f' }, { name: 'g', parameters: { properties: { a: bare } } }];
    expect(withTextArguments(tools)).toEqual([
      { name: 'f' },
      { name: 'g', parameters: { properties: { a: text } } },
    ]);
  });
});
