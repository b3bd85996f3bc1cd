import { describe, expect, it } from 'vitest';
import { choiceSeed, Random } from './random.js';

const draws = (seed: bigint, count: number) => {
  const random = new Random(seed);
  return Array.from({ length: count }, () => random.next());
};

describe('Random', () => {
  it('is uniform in [0, 1)', () => {
    const values = draws(0n, 100_000);
    expect(values.every((value) => value >= 0 && value < 1)).toBe(true);
    const counts = new Array<number>(20).fill(0);
    for (const value of values) counts[Math.floor(value * 20)]!++;
    const chiSquare = counts.reduce((sum, count) => sum + (count - 5000) ** 2 / 5000, 0);
    // 19 degrees of freedom: above 43.8 for one seed in a thousand, and this one is fixed.
    expect(chiSquare).toBeLessThan(43.8);
    const mean = (list: readonly number[]) => list.reduce((a, b) => a + b, 0) / list.length;
    const products = values.slice(1).map((value, i) => (value - 0.5) * (values[i]! - 0.5));
    expect(Math.abs(mean(products))).toBeLessThan(0.0015);
  });

  it('repeats with its seed and differs for neighbours and for high bits', () => {
    expect(draws(5n, 10)).toEqual(draws(5n, 10));
    const firsts = [0n, 1n, 2n, 1n << 32n, 1n << 63n, (1n << 64n) - 1n].map((seed) => draws(seed, 1)[0]);
    expect(new Set(firsts).size).toBe(firsts.length);
  });

  it('keeps giving the numbers it gave in earlier versions', () => {
    expect(draws(42n, 3)).toMatchInlineSnapshot(`
      [
        0.4137016681565887,
        0.003983993377814743,
        0.6500837027638867,
      ]
    `);
  });
});

describe('choiceSeed', () => {
  it("leaves the first choice the request's own seed and draws others apart, within 64 bits", () => {
    expect(choiceSeed(9n, 0)).toBe(9n);
    const seeds = Array.from({ length: 50 }, (_, choice) => choiceSeed((1n << 64n) - 1n, choice));
    expect(new Set(seeds).size).toBe(50);
    expect(seeds.every((seed) => seed >= 0n && seed < 1n << 64n)).toBe(true);
    expect(choiceSeed(1n, 1)).not.toBe(choiceSeed(2n, 1));
  });
});
