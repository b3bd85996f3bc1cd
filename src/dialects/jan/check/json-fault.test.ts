import { describe, expect, it } from 'vitest';
import { findJsonFault } from './json-fault.js';

describe('the fault in a JSON text', () => {
  it.each([
    ['', 0, 'Expecting value'],
    ['  ', 2, 'Expecting value'],
    ['nope', 0, 'Expecting value'],
    ['{"a": tru}', 6, 'Expecting value'],
    ['{"a": 01}', 7, "Expecting ',' delimiter"],
    ['{a: 1}', 1, 'Expecting property name enclosed in double quotes'],
    ["{'a': 1}", 1, 'Expecting property name enclosed in double quotes'],
    ['{"a": 1,}', 8, 'Expecting property name enclosed in double quotes'],
    ['{"a" 1}', 5, "Expecting ':' delimiter"],
    ['{"a": 1 "b": 2}', 8, "Expecting ',' delimiter"],
    ['[1, 2', 5, "Expecting ',' delimiter"],
    ['[1,]', 3, 'Expecting value'],
    ['[1}', 2, "Expecting ',' delimiter"],
    ['[]]', 2, 'Extra data'],
    ['1 2', 2, 'Extra data'],
    ['{"a": "bc', 6, 'Unterminated string'],
    ['["a\nb"]', 3, 'Invalid control character'],
    ['["a\\x"]', 3, 'Invalid escape'],
    ['["é😀", x]', 7, 'Expecting value'],
    ['NaN', 0, 'Expecting value'],
  ])('of %j is at %i: %s', (text, offset, error) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(findJsonFault(text)).toEqual({ offset, error });
  });

  it.each(['{}', ' [1, -2.5e3, "a\\u0041\\n", null, true, {"a": [[]]}] ', '"x"', '0'])(
    'is not in %j',
    (text) => {
      expect(JSON.parse(text)).toBeDefined();
      expect(findJsonFault(text)).toBeUndefined();
    },
  );

  it('is found however deep it lies', () => {
    expect(findJsonFault('['.repeat(200_000))).toEqual({ offset: 200_000, error: 'Expecting value' });
  });
});
