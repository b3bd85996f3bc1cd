import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sharePrefill, wholePrompts } from './prefill-share.js';

const items = (...remaining: number[]) => remaining.map((count) => ({ remaining: count, limit: count }));

describe('shares of prefill', () => {
  it('gives all to one alone', () => {
    expect(sharePrefill(items(100), 32)).toEqual([32]);
    expect(sharePrefill(items(20), 32)).toEqual([20]);
  });

  it('gives half to the oldest and the rest to the shortest first', () => {
    expect(sharePrefill(items(1000, 20, 8), 64)).toEqual([36, 20, 8]);
    expect(sharePrefill(items(1000, 20, 8, 4), 64)).toEqual([32, 20, 8, 4]);
  });

  it('gives the oldest what the others leave', () => {
    expect(sharePrefill(items(1000, 4), 64)).toEqual([60, 4]);
  });

  it('finishes prompts of equal length one after the other', () => {
    expect(sharePrefill(items(50, 50, 50), 64)).toEqual([50, 0, 0]);
    expect(sharePrefill(items(30, 30, 30), 64)).toEqual([30, 30, 0]);
  });

  it('cuts the shortest only beside an oldest that is cut too, lest it wait for all of that', () => {
    expect(sharePrefill(items(1000, 200, 40), 64)).toEqual([32, 0, 32]);
    expect(sharePrefill(items(1000, 40, 8), 64)).toEqual([56, 0, 8]);
    expect(sharePrefill(items(1000, 1000), 64)).toEqual([64, 0]);
  });

  it('keeps to the limit of each', () => {
    expect(
      sharePrefill(
        [
          { remaining: 100, limit: 10 },
          { remaining: 100, limit: 30 },
        ],
        64,
      ),
    ).toEqual([10, 30]);
  });

  it('never gives more than the budget, whole prompts only beside a whole one, always something to the oldest', () => {
    const item = fc.record({
      remaining: fc.integer({ min: 1, max: 300 }),
      limit: fc.integer({ min: 1, max: 300 }),
    });
    fc.assert(
      fc.property(
        fc.array(item, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 512 }),
        (list, budget) => {
          const shares = sharePrefill(list, budget);
          const wanted = list.map(({ remaining, limit }) => Math.min(remaining, limit));
          expect(shares.reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(budget);
          if (shares[0] === wanted[0]) {
            expect(shares.every((share, i) => share === 0 || share === wanted[i])).toBe(true);
          } else expect(shares.reduce((a, b) => a + b, 0)).toBe(budget);
          shares.forEach((share, i) => {
            expect(share).toBeGreaterThanOrEqual(0);
            expect(share).toBeLessThanOrEqual(wanted[i] ?? 0);
          });
          expect(shares[0]).toBeGreaterThan(0);
        },
      ),
    );
  });
});

describe('whole prompts', () => {
  it('are added up until there are enough, or no more fit', () => {
    expect(wholePrompts(items(64, 64, 64, 64), 128, 512)).toBe(128);
    expect(wholePrompts(items(64, 64, 64, 64), 129, 512)).toBe(192);
    expect(wholePrompts(items(64, 64, 64, 64), 512, 200)).toBe(192);
    expect(wholePrompts(items(64, 300, 10), 128, 512)).toBe(374);
    expect(wholePrompts(items(64, 300, 10), 128, 200)).toBe(74);
    expect(wholePrompts(items(900, 10), 128, 512)).toBe(512);
  });
});
