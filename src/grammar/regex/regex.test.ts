import { describe, expect, it } from 'vitest';
import { matched, regexLength, regexText } from './emit.js';
import { parseRegex } from './parse.js';

const whole = (pattern: string): string | undefined =>
  regexText(matched(parseRegex(pattern, 'regex'), false, 'regex'), 'raw', 'regex');
const inJson = (pattern: string): string | undefined =>
  regexText(matched(parseRegex(pattern, 'regex'), true, 'regex'), 'json-string', 'regex');

describe('regular expressions', () => {
  it.each([
    ['call me [A-Za-z]{1,10}', '"call me " [A-Za-z]{1,10}'],
    ['^a$', '[a]'],
    ['a|bc', '([a] | "bc")'],
    ['(ab)+x', '("ab")+ "x"'],
    ['(?:a|b)?c', '(([a] | [b]))? "c"'],
    ['(?<year>\\d{4})', '[0-9]{4,4}'],
    ['\\.', '[\\u002e]'],
    ['[^a]', '[^a]'],
    ['[\\d_-]', '[\\u002d0-9\\u005f]'],
    ['[àé]', '("à" | "é")'],
    ['a{0}b', '"" "b"'],
  ])('%s', (pattern, expected) => {
    expect(whole(pattern)).toBe(expected);
  });

  it('escapes inside JSON strings what must be escaped, and searches', () => {
    expect(inJson('^["\\\\]$')).toBe('("\\\\\\"" | "\\\\\\\\")');
    expect(inJson('^a"b$')).toBe('"a\\\\\\"b"');
    expect(inJson('ab')).toMatch(/^\[\^.*\]\* "ab" \[\^.*\]\*$/);
    expect(inJson('^.$')).not.toContain('"\\\\n"');
  });

  it.each([
    ['(?=a)', 'look-around is not supported at position 0'],
    ['a(?<!b)', 'look-around is not supported at position 1'],
    ['(a)\\1', 'back-references are not supported at position 3'],
    ['\\bword', 'word boundaries are not supported'],
    ['\\p{L}', 'Unicode properties are not supported'],
    ['(a', 'a group is not closed at position 0'],
    ['a)', 'unexpected ")" at position 1'],
    ['[a', 'a character class is not closed'],
    ['*a', 'nothing to repeat at position 0'],
    ['a**', 'a repetition of a repetition'],
    ['a{3,1}', 'the numbers of a repetition are out of order'],
    ['a^b', 'an anchor in the middle, at position 1'],
    ['[b-a]', 'out of order'],
    ['[一-鿿]', 'a class may hold all characters beyond ASCII'],
    ['((a{100}){100}){100}', 'unfold to more than'],
    ['('.repeat(200), 'too many nested groups'],
    [`a{1,9}${'b'.repeat(9000)}`, 'longer than'],
  ])('refuses %s', (pattern, why) => {
    expect(() => whole(pattern)).toThrow(why);
  });

  it('knows how long a match can be', () => {
    expect(regexLength(parseRegex('a{2,3}(b|cd)', 'x'))).toEqual({ min: 3, max: 5 });
    expect(regexLength(parseRegex('a+', 'x'))).toEqual({ min: 1, max: undefined });
  });
});
