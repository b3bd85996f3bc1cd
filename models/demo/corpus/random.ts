// The one source of chance in the corpus: a seeded sfc32 generator, so that a seed names a corpus exactly.
// Pure state machine; no clock and no Math.random anywhere in this folder.

/** Seeded draws. Every method advances the same stream. */
export interface Random {
  /** A number in [0, 1). */
  next(): number;
  /** An integer in [low, high], both ends included. */
  between(low: number, high: number): number;
  /** True with the given probability. */
  chance(probability: number): boolean;
  /** One element, all equally likely. */
  pick<T>(items: readonly T[]): T;
  /** `count` different elements in random order (all of them if there are fewer). */
  sample<T>(items: readonly T[], count: number): T[];
  /** One element, drawn in proportion to its weight. */
  weighted<T>(items: readonly (readonly [item: T, weight: number])[]): T;
}

const TWO_TO_32 = 4294967296;

/** Starts an sfc32 stream; the first draws are thrown away so that near seeds part ways. */
export function createRandom(seed: number): Random {
  let a = seed >>> 0;
  let b = Math.floor(seed / TWO_TO_32) >>> 0;
  let c = 0x9e3779b9;
  let counter = 1;

  const next = (): number => {
    const sum = (((a + b) >>> 0) + counter) >>> 0;
    counter = (counter + 1) >>> 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) >>> 0;
    c = ((((c << 21) | (c >>> 11)) >>> 0) + sum) >>> 0;
    return sum / TWO_TO_32;
  };
  for (let i = 0; i < 15; i += 1) next();

  const pick = <T>(items: readonly T[]): T => {
    const item = items[Math.floor(next() * items.length)];
    if (item === undefined) throw new Error('pick from an empty list');
    return item;
  };

  return {
    next,
    pick,
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    chance: (probability) => next() < probability,
    sample: (items, count) => sampleWith(next, items, count),
    weighted: (items) => weightedWith(next, items),
  };
}

function sampleWith<T>(next: () => number, items: readonly T[], count: number): T[] {
  const pool = [...items];
  const size = Math.min(count, pool.length);
  for (let i = 0; i < size; i += 1) {
    const j = i + Math.floor(next() * (pool.length - i));
    const chosen = pool[j] as T;
    pool[j] = pool[i] as T;
    pool[i] = chosen;
  }
  return pool.slice(0, size);
}

function weightedWith<T>(next: () => number, items: readonly (readonly [item: T, weight: number])[]): T {
  const total = items.reduce((sum, [, weight]) => sum + weight, 0);
  let left = next() * total;
  for (const [item, weight] of items) {
    left -= weight;
    if (left < 0) return item;
  }
  const last = items[items.length - 1];
  if (last === undefined) throw new Error('weighted draw from an empty list');
  return last[0];
}
