import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonSyntaxError, parseJson, positionOf } from './json-text.js';
import {
  defaulted,
  list,
  optional,
  type Read,
  readAny,
  readBoolean,
  readF32,
  readI32,
  readString,
  readU32,
  readU64,
  required,
  ShapeError,
  shapeMessage,
  struct,
} from './shape.js';

const inner = struct('Inner', {
  count: optional('count', readU32, ['number']),
  flag: defaulted('flag', readBoolean, false),
  seed: optional('seed', readU64),
  words: defaulted('words', list(readString), []),
});
const outer = struct('Outer', {
  inputs: required('inputs', readString),
  inner: optional('inner', inner),
  any: optional('any', readAny),
  ratio: optional('ratio', readF32),
  signed: optional('signed', readI32),
});

function message<T>(text: string, read: Read<T>): string {
  try {
    read(parseJson(text), { text, path: '' });
  } catch (error) {
    if (error instanceof ShapeError) return shapeMessage(text, error);
    if (error instanceof JsonSyntaxError) {
      const path = error.path === '' ? '' : `${error.path}: `;
      return `${path}${error.detail} at ${positionOf(text, error.offset)}`;
    }
    throw error;
  }
  return 'accepted';
}

describe('struct', () => {
  it('reads known fields, ignores others and fills defaults', () => {
    const text = '{"x":1,"inputs":"é","inner":{"number":3,"seed":18446744073709551615},"any":{"b":[1]}}';
    expect(outer(parseJson(text), { text, path: '' })).toEqual({
      inputs: 'é',
      inner: { count: 3, flag: false, seed: 18446744073709551615n, words: [] },
      any: { b: [1] },
      ratio: null,
      signed: null,
    });
  });

  it.each([
    ['{"x":1}', 'missing field `inputs` at line 1 column 7'],
    ['{"inputs":5}', 'inputs: invalid type: integer `5`, expected a string at line 1 column 11'],
    [
      '{"inputs":"a","inner":{"count":"x"}}',
      'inner.count: invalid type: string "x", expected u32 at line 1 column 34',
    ],
    ['{"inner":{"count":-1}}', 'inner.count: invalid value: integer `-1`, expected u32 at line 1 column 20'],
    [
      '{"inner":{"count":20.0}}',
      'inner.count: invalid type: floating point `20.0`, expected u32 at line 1 column 22',
    ],
    [
      '{"inner":{"count":4294967296}}',
      'inner.count: invalid value: integer `4294967296`, expected u32 at line 1 column 28',
    ],
    ['{"inner":{"flag":null}}', 'inner.flag: invalid type: null, expected a boolean at line 1 column 21'],
    [
      '{"inner":{"words":["a",true]}}',
      'inner.words[1]: invalid type: boolean `true`, expected a string at line 1 column 27',
    ],
    ['{"inner":[]}', 'inner: invalid type: sequence, expected struct Inner at line 1 column 9'],
    ['{"inputs":{}}', 'inputs: invalid type: map, expected a string at line 1 column 10'],
    ['{"inner":{"count":1,"number":2}}', 'inner: duplicate field `count` at line 1 column 28'],
    ['{"ratio":"a"}', 'ratio: invalid type: string "a", expected f32 at line 1 column 12'],
    [
      '{"signed":2147483648}',
      'signed: invalid value: integer `2147483648`, expected i32 at line 1 column 20',
    ],
    ['{"signed":1e2}', 'signed: invalid type: floating point `100.0`, expected i32 at line 1 column 13'],
    [
      '{\n "é": 1,\n "inputs": "é", "ratio": []}',
      'ratio: invalid type: sequence, expected f32 at line 3 column 26',
    ],
  ])('%s is refused', (text, expected) => {
    expect(message(text, outer)).toBe(expected);
  });
});

describe('parseJson', () => {
  it.each([
    ['', 'EOF while parsing a value at line 1 column 0'],
    ['{"inputs": }', 'inputs: expected value at line 1 column 12'],
    ['{"inputs":"a"', 'EOF while parsing an object at line 1 column 13'],
    ['{"inputs":"a",}', 'trailing comma at line 1 column 15'],
    ['{"inputs" "a"}', 'expected `:` at line 1 column 11'],
    ['{"a":[1 2]}', 'a: expected `,` or `]` at line 1 column 9'],
    ['{"a":01}', 'a: invalid number at line 1 column 7'],
    ['{"a":1e999}', 'a: number out of range at line 1 column 11'],
    ['{"a":"\\x"}', 'a: invalid escape at line 1 column 8'],
    ['{"a":"\\ud800"}', 'a: lone leading surrogate in hex escape at line 1 column 13'],
    ['{} x', 'trailing characters at line 1 column 4'],
    ['{a:1}', 'key must be a string at line 1 column 2'],
    ['nul', 'expected ident at line 1 column 1'],
  ])('%s is no JSON', (text, expected) => {
    expect(message(text, readAny)).toBe(expected);
  });

  it('stops at a depth of 128', () => {
    expect(message('['.repeat(200), readAny)).toContain('recursion limit exceeded');
  });

  it('reads what JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value, null, 1);
        expect(readAny(parseJson(text), { text, path: '' })).toEqual(JSON.parse(text));
      }),
    );
  });

  it('decodes strings as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        const text = JSON.stringify(value);
        const node = parseJson(text);
        expect(node.kind === 'string' && node.value).toBe(value);
      }),
    );
  });
});
