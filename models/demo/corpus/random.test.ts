import { describe, expect, it } from 'vitest';
import { createRandom } from './random.js';

describe('createRandom', () => {
  it('repeats its stream for a seed', () => {
    const draw = (seed: number): number[] => {
      const random = createRandom(seed);
      return Array.from({ length: 50 }, () => random.next());
    };
    expect(draw(5)).toEqual(draw(5));
    expect(draw(5)).not.toEqual(draw(6));
    expect(draw(5 + 4294967296)).not.toEqual(draw(5));
  });

  it('keeps to its bounds', () => {
    const random = createRandom(1);
    const drawn = new Set(Array.from({ length: 500 }, () => random.between(3, 6)));
    expect([...drawn].sort()).toEqual([3, 4, 5, 6]);
  });

  it('samples without repeats', () => {
    const sample = createRandom(2).sample([1, 2, 3, 4, 5], 4);
    expect(new Set(sample).size).toBe(4);
    expect(createRandom(2).sample([1, 2], 9)).toHaveLength(2);
  });

  it('weighs', () => {
    const random = createRandom(3);
    const heavy = Array.from({ length: 2000 }, () =>
      random.weighted([
        ['a', 9],
        ['b', 1],
      ] as const),
    ).filter((item) => item === 'a').length;
    expect(heavy).toBeGreaterThan(1700);
    expect(heavy).toBeLessThan(1900);
  });
});
