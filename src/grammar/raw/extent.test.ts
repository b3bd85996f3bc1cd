import { describe, expect, it } from 'vitest';
import { isNarrow } from './extent.js';

const C = '[一-龥]';
const chain = (body: (next: string) => string, end: string, length = 18): string =>
  [
    'root ::= r0',
    ...Array.from({ length }, (_, i) => `r${i} ::= ${body(`r${i + 1}`)}`),
    `r${length} ::= ${end}`,
  ].join('\n');

describe('a grammar that is followed with every way open', () => {
  it.each([
    ['a class', `root ::= ${C}+`],
    ['bounded repetition', `root ::= "=" ${C}{2,300} "."`],
    ['rules', `root ::= greeting " " name "!"?\ngreeting ::= "你好" | "hello"\nname ::= ${C}{1,4} | [a-z]+`],
    ['lists', `root ::= "[" item ("," item)* "]"\nitem ::= "\\"" ${C}* "\\""`],
    ['many optional parts', `root ::= ${Array(200).fill(`${C}?`).join(' ')}`],
  ])('is narrow with %s', (_what, grammar) => {
    expect(isNarrow(grammar)).toBe(true);
  });

  it.each([
    ['recursion', `root ::= s\ns ::= ${C} s "a" | ${C} s "b" | ${C}`],
    ['recursion at the end', `root ::= ${C} root | ${C}`],
    ['ways to be empty that double', chain((next) => `${next} ${next} | ${next}`, `${C}?`)],
    ['beginnings that double', chain((next) => `${next} "a" | ${next} "b"`, C)],
    ['rules within thousands of rules', chain((next) => `"" ${next}`, C, 20_000)],
    ['parts that double', chain((next) => `${next} ${next}`, C)],
    ['repetition of what may be empty', `root ::= (${C}?)* "x"`],
    ['repetition of repetition', `root ::= ((${C}{1,300}){1,300}){1,300}`],
  ])('is not with %s', (_what, grammar) => {
    expect(isNarrow(grammar)).toBe(false);
  });
});
