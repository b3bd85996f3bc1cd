import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Candidates, createCandidates } from './candidates.js';
import { keepNucleus } from './filters.js';
import { keepBest, keepMass, kthLargest, sortBest } from './select.js';
import { weigh } from './weights.js';
import { createSamplerWorkspace } from './workspace.js';

const SIZE = 400;

/** Few distinct keys, so that ties are everywhere. Weights are exact sums of powers of two. */
const keysOf = fc.array(
  fc.oneof(
    fc.integer({ min: -4, max: 0 }),
    fc.integer({ min: -40, max: 0 }).map((value) => value / 8),
  ),
  { minLength: 1, maxLength: SIZE, size: 'max' },
);

function listOf(keys: readonly number[], weight: (key: number) => number): Candidates {
  const list = createCandidates(SIZE);
  list.length = keys.length;
  for (const [id, key] of keys.entries()) {
    list.ids[id] = id;
    list.keys[id] = key;
    list.weights[id] = weight(key);
  }
  return list;
}

const entries = (list: Candidates) =>
  Array.from({ length: list.length }, (_, i) => [list.ids[i]!, list.keys[i]!, list.weights[i]!] as const);
const byId = (list: Candidates) => entries(list).sort(([a], [b]) => a - b);
const order = (keys: readonly number[]) =>
  keys.map((_, id) => id).sort((a, b) => keys[b]! - keys[a]! || a - b);

describe('kthLargest', () => {
  it('equals sorting', () => {
    fc.assert(
      fc.property(keysOf, fc.nat(SIZE), (keys, at) => {
        const rank = (at % keys.length) + 1;
        const sorted = [...keys].sort((a, b) => b - a);
        expect(kthLargest(Float64Array.from(keys), keys.length, rank)).toBe(sorted[rank - 1]);
      }),
    );
  });
});

describe('keepBest', () => {
  it('keeps the k best and ties, in the order they had', () => {
    fc.assert(
      fc.property(keysOf, fc.integer({ min: 1, max: SIZE }), (keys, k) => {
        const list = listOf(keys, (key) => key + 100);
        keepBest(list, k, new Float64Array(SIZE));
        const cut = [...keys].sort((a, b) => b - a)[Math.min(k, keys.length) - 1]!;
        expect(entries(list)).toEqual(keys.flatMap((key, id) => (key >= cut ? [[id, key, key + 100]] : [])));
      }),
    );
  });
});

describe('sortBest', () => {
  it('sorts by key, then by id, and keeps what belongs together', () => {
    fc.assert(
      fc.property(keysOf, (keys) => {
        const list = listOf(keys, (key) => key * 2);
        sortBest(list);
        expect(entries(list)).toEqual(order(keys).map((id) => [id, keys[id]!, keys[id]! * 2]));
      }),
    );
  });
});

describe('keepMass and keepNucleus', () => {
  const workspace = createSamplerWorkspace(SIZE);
  const share = fc.integer({ min: 0, max: 1000 }).map((value) => value / 1000);

  it('keep the shortest beginning of the order that has the mass', () => {
    fc.assert(
      fc.property(keysOf, share, (keys, part) => {
        // Multiples of 2 ^ -4: sums are exact in any order.
        const weight = (key: number) => 2 ** Math.round(key / 2);
        const sorted = order(keys);
        const total = keys.reduce((sum, key) => sum + weight(key), 0);
        let reached = 0;
        let count = 0;
        while (count < keys.length && (count === 0 || reached < part * total)) {
          reached += weight(keys[sorted[count++]!]!);
        }
        const right = sorted.slice(0, count).sort((a, b) => a - b);
        const selected = listOf(keys, weight);
        keepMass(selected, part * total);
        expect(byId(selected).map(([id]) => id)).toEqual(right);
        const split = listOf(keys, weight);
        keepNucleus(split, part * total, { max: Math.max(...keys), inverse: 1 }, workspace);
        expect(byId(split)).toEqual(right.map((id) => [id, keys[id], weight(keys[id]!)]));
      }),
      { numRuns: 500 },
    );
  });
});

describe('weigh', () => {
  it('is exp to eight digits, and nothing 32 units below the best', () => {
    const list = listOf(
      Array.from({ length: SIZE }, (_, i) => -i * 0.0817),
      () => 0,
    );
    weigh(list, 0, 1);
    for (const [, key, weight] of entries(list)) {
      const right = key > -32 ? Math.exp(key) : 0;
      expect(Math.abs(weight - right)).toBeLessThanOrEqual(right * 4e-9);
    }
  });
});
