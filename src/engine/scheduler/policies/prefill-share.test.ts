import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sharePrefill } from './prefill-share.js';

const items = (...remaining: number[]) => remaining.map((count) => ({ remaining: count, limit: count }));

describe('shares of prefill', () => {
  it('gives all to one alone', () => {
    expect(sharePrefill(items(100), 32)).toEqual([32]);
    expect(sharePrefill(items(20), 32)).toEqual([20]);
  });

  it('gives half to the oldest and the rest to the shortest first', () => {
    expect(sharePrefill(items(1000, 40, 8), 64)).toEqual([32, 24, 8]);
  });

  it('gives the oldest what the others leave', () => {
    expect(sharePrefill(items(1000, 4), 64)).toEqual([60, 4]);
  });

  it('finishes prompts of equal length one after the other', () => {
    expect(sharePrefill(items(50, 50, 50), 64)).toEqual([50, 14, 0]);
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

  it('never gives more than the budget, never less than it could, and always something to the oldest', () => {
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
          const sum = shares.reduce((a, b) => a + b, 0);
          expect(sum).toBe(
            Math.min(
              budget,
              wanted.reduce((a, b) => a + b, 0),
            ),
          );
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
