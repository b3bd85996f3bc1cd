import { describe, expect, it } from 'vitest';
import type { Constraint, JsonSchema } from '../protocol/index.js';
import { KoineError } from '../protocol/index.js';
import { toGrammar } from './constraint.js';

const HERMES = {
  opening: '',
  begin: '<tool_call>\n{"name": "',
  middle: '", "arguments": ',
  end: '}\n</tool_call>',
  separator: '\n',
  closing: '',
  arguments: 'json',
} as const;

function schema(value: unknown, strict = true): Constraint {
  return { kind: 'json-schema', schema: value as JsonSchema, strict, whitespace: 'none' };
}

function refusal(constraint: Constraint): string {
  try {
    toGrammar(constraint, HERMES);
  } catch (thrown) {
    if (thrown instanceof KoineError && thrown.code === 'constraint') return thrown.message;
    throw thrown;
  }
  throw new Error('nothing was refused');
}

describe('faults in schemas', () => {
  const inObject = (value: unknown): unknown => ({
    type: 'object',
    properties: { x: value },
    required: ['x'],
  });

  it.each([
    [{ type: 5 }, '/type: it must be one of'],
    [inObject({ type: 'strang' }), '/properties/x/type: it must be one of'],
    [inObject({ not: {} }), '/properties/x/not: it is not supported'],
    [inObject({ type: 'array', uniqueItems: true }), '/properties/x/uniqueItems: it is not supported'],
    [inObject({ type: 'number', multipleOf: 3 }), '/properties/x/multipleOf'],
    [{ if: {} }, '/if: it is not supported'],
    [inObject({ type: 'string', minLength: -1 }), '/properties/x/minLength: it must be a whole number'],
    [inObject({ type: 'string', pattern: '(' }), '/properties/x/pattern: a group is not closed'],
    [inObject({ $ref: '#/$defs/none' }), '/properties/x/$ref: "#/$defs/none" points at nothing'],
    [inObject({ $ref: 'http://x/y' }), 'only references into the same schema'],
    [{ $ref: '#' }, 'in a circle'],
    [{ anyOf: [{ $ref: '#' }, { type: 'null' }] }, 'it refers to itself'],
    [{ anyOf: [] }, '/anyOf: it must be a list'],
    [{ enum: 'a' }, '/enum: it must be a list'],
    [{ properties: [] }, '/properties: it must be an object'],
    [{ type: 'object', required: 'a' }, '/required: it must be a list of strings'],
    [
      { oneOf: [{ type: 'string' }, { type: 'string', maxLength: 3 }] },
      '/oneOf: its alternatives may overlap',
    ],
    [false, 'no value can match'],
    [inObject(false), 'no value can match'],
    [{ type: 'integer', minimum: 3, maximum: 2 }, 'no value can match'],
    [{ allOf: [{ type: 'string' }, { type: 'null' }] }, 'no value can match'],
    [7, 'it is not a schema'],
    [
      { enum: [{ valueOf: 1 }, { valueOf: 2 }], const: { valueOf: 1 } },
      'valueOf or toString cannot be compared',
    ],
  ])('%j: %s', (value, why) => {
    expect(refusal(schema(value))).toContain(why);
  });

  it('are refused by size and depth', () => {
    expect(refusal(schema({ enum: ['x'.repeat(300_000)] }))).toContain('larger than');
    let deep: unknown = { type: 'string' };
    for (let level = 0; level < 80; level += 1) deep = { type: 'array', items: deep };
    expect(refusal(schema(deep))).toContain('nested deeper than 64');
    expect(refusal(schema({ enum: Array.from({ length: 20_000 }, (_, n) => n) }))).toContain(
      'more than 10000',
    );
  });

  it('are ignored by requests that are not strict, where they only narrow', () => {
    const loose = { type: 'array', items: { type: 'integer', multipleOf: 3 }, uniqueItems: true };
    expect(toGrammar(schema(loose, false)).text).toContain('root ::=');
  });
});

describe('grammars of schemas', () => {
  it('keep string lengths beside the grammar, unless alternatives make it unclear whose they are', () => {
    const bounded = { type: 'string', maxLength: 5 };
    const clear = toGrammar(schema({ type: 'object', properties: { a: bounded } }));
    expect(clear.guards).toHaveLength(1);
    expect(clear.text).not.toContain('{0,5}');
    const nullable = toGrammar(schema({ anyOf: [bounded, { type: 'null' }] }));
    expect(nullable.guards).toHaveLength(1);
    const unclear = toGrammar(schema({ anyOf: [bounded, { enum: ['longer than five'] }] }));
    expect(unclear.guards).toHaveLength(0);
    expect(unclear.text).toContain('{0,5}');
  });

  it('have no rule that matches the empty text', () => {
    const { text } = toGrammar(
      schema({
        type: 'object',
        properties: { a: {}, b: { type: 'array' } },
        additionalProperties: { type: 'string' },
      }),
    );
    for (const line of text.split('\n')) expect(line).not.toMatch(/::= ("" |\([^()]*\)[?*]$)/);
  });
});

describe('other constraints', () => {
  it.each<[Constraint, string]>([
    [{ kind: 'choice', choices: [] }, 'choice: there is nothing to choose from'],
    [{ kind: 'choice', choices: ['a', ''] }, 'choice: an empty text'],
    [{ kind: 'regex', pattern: '(' }, 'regex: a group is not closed at position 0'],
    [{ kind: 'grammar', grammar: 'x', syntax: 'gbnf' }, 'grammar: line 1, column 1'],
    [{ kind: 'tool-call', tools: [], mode: 'call', parallel: false }, 'tools: a call is demanded'],
    [
      {
        kind: 'tool-call',
        tools: [{ name: 'f', parameters: { type: 'object', properties: { a: { type: 'x' } } } }],
        mode: 'call',
        parallel: false,
      },
      'tools/f/parameters/properties/a/type: it must be one of',
    ],
  ])('%j: %s', (constraint, why) => {
    expect(refusal(constraint)).toContain(why);
  });

  it('write the name of a tool as the format can hold it, or refuse it', () => {
    const call = (name: string): Constraint => ({
      kind: 'tool-call',
      tools: [{ name }],
      mode: 'call',
      parallel: false,
    });
    const tagged = { ...HERMES, begin: '<function=', middle: '>', end: '</function>' };
    expect(toGrammar(call('say "hi"\n'), HERMES).text).toContain(String.raw`say \\\"hi\\\"\\n`);
    expect(toGrammar(call('größe.1'), tagged).text).toContain('<function=größe.1>');
    expect(() => toGrammar(call('a>b'), tagged)).toThrow('the name "a>b" cannot be written');
    expect(() => toGrammar(call(''), HERMES)).toThrow('tools: a name is empty');
  });

  it('cannot enforce calls where the syntax is not known', () => {
    const call: Constraint = { kind: 'tool-call', tools: [{ name: 'f' }], mode: 'call', parallel: false };
    expect(() => toGrammar(call)).toThrow(/how this model writes them is not known/);
  });

  it('write a choice as literals', () => {
    expect(toGrammar({ kind: 'choice', choices: ['yes', 'no "x"'] }).text).toBe(
      'root ::= "yes" | "no \\"x\\""\n',
    );
  });
});
