import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Bound, numberRange } from './numbers.js';

/** Grammar text of digits as a regular expression of this language. */
function toRegExp(text: string): RegExp {
  const source = text
    .replace(/"([^"]*)"/g, (_, plain: string) => `(?:${plain.replace(/[.+*]/g, '\\$&')})`)
    .replace(/ /g, '');
  return new RegExp(`^(?:${source})$`);
}

const value = fc.oneof(
  fc.integer({ min: -30, max: 30 }),
  fc.integer({ min: -200_000, max: 200_000 }),
  fc.integer({ min: -30_000, max: 30_000 }).map((n) => n / 1000),
);
const bound: fc.Arbitrary<Bound | undefined> = fc.option(fc.record({ value, isExclusive: fc.boolean() }), {
  nil: undefined,
});

describe('number ranges', () => {
  it('hold exactly the numbers within their bounds', () => {
    fc.assert(
      fc.property(bound, bound, fc.boolean(), fc.array(value), (low, high, isInteger, others) => {
        const text = numberRange(low, high, isInteger);
        const regex = text === undefined ? undefined : toRegExp(text);
        const near = [low, high].flatMap((one) =>
          one === undefined ? [] : [0, 0.1, -0.1, 0.001, -0.001, 1, -1, 10].map((d) => one.value + d),
        );
        for (const candidate of [...near, ...others]) {
          const number = Number(candidate.toFixed(4));
          const isAbove = low === undefined || (low.isExclusive ? number > low.value : number >= low.value);
          const isBelow =
            high === undefined || (high.isExclusive ? number < high.value : number <= high.value);
          const isInside = isAbove && isBelow && (!isInteger || Number.isInteger(number));
          if (Object.is(number, -0)) continue;
          expect(regex?.test(String(number)) ?? false, `${number} in ${text}`).toBe(isInside);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('knows when there is none', () => {
    expect(
      numberRange({ value: 2, isExclusive: false }, { value: 1, isExclusive: false }, false),
    ).toBeUndefined();
    expect(
      numberRange({ value: 1, isExclusive: true }, { value: 2, isExclusive: true }, true),
    ).toBeUndefined();
  });
});
