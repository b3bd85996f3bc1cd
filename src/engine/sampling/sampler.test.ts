import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NEUTRAL_SAMPLING, type SamplingParams } from '../../protocol/index.js';
import { createSamplerWorkspace, rowLogprobs, SequenceSampler, type StepRules } from './index.js';

const FREE: StepRules = { banEog: false, bannedTokens: [] };

interface Setup {
  readonly params?: Partial<SamplingParams>;
  readonly vocabSize: number;
  readonly seed?: bigint;
  readonly prompt?: readonly number[];
  readonly eogTokens?: readonly number[];
  readonly rawLogprobs?: boolean;
}

function createSampler(setup: Setup, workspace = createSamplerWorkspace(setup.vocabSize)): SequenceSampler {
  return new SequenceSampler(
    { ...NEUTRAL_SAMPLING, ...setup.params },
    {
      workspace,
      seed: setup.seed ?? 7n,
      eogTokens: setup.eogTokens ?? [],
      prompt: Int32Array.from(setup.prompt ?? [0]),
      tokenBytes: () => new Uint8Array(0),
      rawLogprobs: setup.rawLogprobs ?? false,
    },
  );
}

function softmax(logits: readonly number[], temperature = 1): number[] {
  const max = Math.max(...logits);
  const weights = logits.map((logit) => Math.exp((logit - max) / temperature));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

/** Samples once and returns the distribution the token was drawn from, as probabilities by token. */
function processed(
  logits: readonly number[],
  params: Partial<SamplingParams>,
  seed = 1n,
): Map<number, number> {
  const sampler = createSampler({ params, vocabSize: logits.length, seed });
  const token = sampler.sample(Float32Array.from(logits), null, FREE);
  const { logprob, top } = sampler.logprobs(logits.length, 'processed');
  const found = new Map(top.map(({ id, logprob: value }) => [id, Math.exp(value)]));
  expect(found.get(token)).toBeCloseTo(Math.exp(logprob), 6);
  return found;
}

function maskOf(allowed: ReadonlySet<number>, vocabSize: number): Int32Array {
  const mask = new Int32Array(Math.ceil(vocabSize / 32));
  for (const id of allowed) mask[id >>> 5]! |= 1 << (id & 31);
  return mask;
}

/** Logits that 32-bit floats hold exactly. */
const logitsOf = (minLength: number, maxLength: number) =>
  fc.array(fc.float({ min: -12, max: 12, noNaN: true }), { minLength, maxLength });

/** Long rows take the paths over samples and histograms; reproducible, with a few good tokens. */
function longRow(length: number, seed: number): number[] {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 0) / 2 ** 32;
  };
  return Array.from({ length }, () => Math.fround(next() + next() + next() - 1.5 + (next() < 0.002 ? 6 : 0)));
}

const sum = (values: Iterable<number>) => [...values].reduce((a, b) => a + b, 0);

describe('greedy', () => {
  it('takes the best, the first of equals, and treats NaN as impossible', () => {
    fc.assert(
      fc.property(fc.array(fc.float(), { minLength: 1, maxLength: 70 }), (logits) => {
        const usable = logits.map((logit) => (Number.isNaN(logit) ? Number.NEGATIVE_INFINITY : logit));
        const max = Math.max(...usable);
        const best = max === Number.NEGATIVE_INFINITY ? -1 : usable.indexOf(max);
        const sampler = createSampler({ params: { temperature: 0 }, vocabSize: logits.length });
        expect(sampler.sample(Float32Array.from(logits), null, FREE)).toBe(best);
      }),
    );
  });
});

describe('filters', () => {
  it('temperature: the softmax of logits / T', () => {
    fc.assert(
      fc.property(logitsOf(1, 60), fc.double({ min: 0.3, max: 5, noNaN: true }), (logits, temperature) => {
        const found = processed(logits, { temperature });
        for (const [id, p] of softmax(logits, temperature).entries()) expect(found.get(id)).toBeCloseTo(p, 6);
      }),
    );
  });

  it('top_k keeps the k best and ties with the k-th', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 1, max: 70 }),
        (logits, topK) => {
          const cut = [...logits].sort((a, b) => b - a)[Math.min(topK, logits.length) - 1]!;
          const kept = logits.flatMap((logit, id) => (logit >= cut ? [id] : []));
          const found = processed(logits, { topK });
          expect([...found.keys()].sort((a, b) => a - b)).toEqual(kept);
          expect(sum(found.values())).toBeCloseTo(1, 6);
        },
      ),
    );
  });

  it('top_k finds the best of a long row wherever they lie', () => {
    for (const topK of [1, 40, 700, 5000]) {
      const logits = longRow(20_000, topK);
      // The regular sample the search starts from sees none of these.
      for (let i = 0; i < 50; i++) logits[i * 90 + 5] = Math.fround(9 + i / 100);
      const cut = [...logits].sort((a, b) => b - a)[topK - 1]!;
      const kept = logits.flatMap((logit, id) => (logit >= cut ? [id] : []));
      expect([...processed(logits, { topK }).keys()].sort((a, b) => a - b)).toEqual(kept);
    }
  });

  it('top_k finds all of the best when the sample sees nothing else', () => {
    const logits = longRow(20_000, 2);
    const stride = Math.floor(20_000 / 2048);
    const best = Array.from({ length: 60 }, (_, i) => i * 20 * stride);
    for (const id of best) logits[id] = Math.fround(9 + id / 1e6);
    expect([...processed(logits, { topK: 60 }).keys()].sort((a, b) => a - b)).toEqual(best);
  });

  const isNucleus = (logits: readonly number[], topP: number, temperature: number) => {
    const p = softmax(logits, temperature);
    const found = processed(logits, { topP, temperature });
    const order = p.map((_, id) => id).sort((a, b) => logits[b]! - logits[a]! || a - b);
    // The best tokens, no gaps, lower ids first among equals.
    expect([...found.keys()].sort((a, b) => a - b)).toEqual(order.slice(0, found.size).sort((a, b) => a - b));
    const kept = order.slice(0, found.size).map((id) => p[id]!);
    expect(sum(kept)).toBeGreaterThan(topP - 1e-6);
    if (kept.length > 1) expect(sum(kept.slice(0, -1))).toBeLessThan(topP + 1e-6);
    expect(sum(found.values())).toBeCloseTo(1, 5);
  };

  it('top_p keeps the smallest set of best tokens with the mass', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          logitsOf(1, 150),
          fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 150 }),
        ),
        fc.double({ min: 0.01, max: 0.999, noNaN: true }),
        fc.double({ min: 0.3, max: 4, noNaN: true }),
        isNucleus,
      ),
      { numRuns: 300 },
    );
  });

  it('top_p holds for long and for flat rows', () => {
    isNucleus(longRow(20_000, 3), 0.9, 1);
    isNucleus(longRow(20_000, 4), 0.3, 0.4);
    isNucleus(new Array<number>(3000).fill(0.25), 0.5, 1);
  });

  it('min_p keeps tokens at least that share as likely as the best', () => {
    fc.assert(
      fc.property(logitsOf(1, 100), fc.double({ min: 0.01, max: 1, noNaN: true }), (logits, minP) => {
        const p = softmax(logits);
        const found = processed(logits, { minP });
        const best = Math.max(...p);
        p.forEach((value, id) => {
          if (value > best * minP * (1 + 1e-6)) expect(found.has(id)).toBe(true);
          if (value < best * minP * (1 - 1e-6)) expect(found.has(id)).toBe(false);
        });
      }),
    );
  });

  it('filters after top_k see only what it left', () => {
    fc.assert(
      fc.property(logitsOf(12, 40), fc.constantFrom('minP', 'topP', 'typicalP'), (logits, filter) => {
        const cut = [...logits].sort((a, b) => b - a)[9]!;
        const left = logits.map((logit) => (logit >= cut ? logit : Number.NEGATIVE_INFINITY));
        const found = processed(logits, { topK: 10, [filter]: 0.4 });
        const right = processed(left, { [filter]: 0.4 });
        expect(new Set(found.keys())).toEqual(new Set(right.keys()));
        for (const [id, p] of right) expect(found.get(id)).toBeCloseTo(p, 6);
      }),
    );
  });

  it('typical_p keeps those nearest to the entropy until they have the mass', () => {
    fc.assert(
      fc.property(logitsOf(2, 150), fc.double({ min: 0.05, max: 0.99, noNaN: true }), (logits, typicalP) => {
        const p = softmax(logits);
        const entropy = sum(p.map((value) => (value > 0 ? -value * Math.log(value) : 0)));
        const distance = p.map((value) => Math.abs(-Math.log(value) - entropy));
        const found = processed(logits, { typicalP });
        const kept = [...found.keys()];
        const furthest = Math.max(...kept.map((id) => distance[id]!));
        distance.forEach((value, id) => {
          if (value < furthest - 1e-5) expect(found.has(id)).toBe(true);
        });
        expect(sum(kept.map((id) => p[id]!))).toBeGreaterThan(typicalP - 1e-5);
        const without = kept.filter((id) => distance[id]! < furthest - 1e-9);
        if (without.length < kept.length - 1) return;
        if (without.length > 0) expect(sum(without.map((id) => p[id]!))).toBeLessThan(typicalP + 1e-5);
      }),
      { numRuns: 300 },
    );
  });

  it('XTC drops all tokens above the threshold but the least likely of them', () => {
    const logits = [4, 3.5, 3, 0, -1].map(Math.fround);
    const p = softmax(logits);
    expect(p[2]).toBeGreaterThan(0.1);
    const found = processed(logits, { xtc: { probability: 1, threshold: 0.1 } });
    expect([...found.keys()].sort()).toEqual([2, 3, 4]);
    expect(found.get(2)).toBeCloseTo(p[2]! / (p[2]! + p[3]! + p[4]!), 6);
    // One token alone above the threshold stays.
    expect(processed(logits, { xtc: { probability: 1, threshold: 0.45 } }).size).toBe(5);
    expect(processed(logits, { xtc: { probability: 0, threshold: 0.1 } }).size).toBe(5);
  });

  it('temperature last: filters see the model as it is, the draw is heated', () => {
    const logits = [3, 2, 1, 0];
    const found = processed(logits, { topP: 0.9, temperature: 10, temperatureLast: true });
    expect([...found.keys()].sort()).toEqual([0, 1, 2]);
    for (const [id, p] of softmax(logits.slice(0, 3), 10).entries()) expect(found.get(id)).toBeCloseTo(p, 6);
    expect(processed(logits, { topP: 0.9, temperature: 10 }).size).toBe(4);
  });
});

describe('mirostat', () => {
  const ordered = (logits: readonly number[]) =>
    logits.map((_, id) => id).sort((a, b) => logits[b]! - logits[a]! || a - b);

  it('2 keeps tokens whose surprise is at most the bound, over the row and under a mask', () => {
    const logits = longRow(3000, 5);
    for (const tau of [0.1, 2, 4, 6]) {
      const params = { mirostat: { mode: 2 as const, tau, eta: 0.1 }, temperature: 1.5 };
      const kept = (allowed: ReadonlySet<number> | null) => {
        const sampler = createSampler({ params, vocabSize: 3000 });
        sampler.sample(Float32Array.from(logits), allowed && maskOf(allowed, 3000), FREE);
        return new Set(sampler.logprobs(3000, 'processed').top.map(({ id }) => id));
      };
      const right = (ids: readonly number[]) => {
        const p = softmax(
          ids.map((id) => logits[id]!),
          1.5,
        );
        const best = ordered(ids.map((id) => logits[id]!))[0]!;
        return new Set(ids.filter((_, i) => i === best || -Math.log2(p[i]!) <= 2 * tau));
      };
      const some = Array.from({ length: 500 }, (_, i) => i * 6);
      expect(kept(null)).toEqual(right(logits.map((_, id) => id)));
      expect(kept(new Set(some))).toEqual(right(some));
    }
  });

  it('1 keeps as many as the fitted exponent says', () => {
    const logits = longRow(3000, 6);
    for (const tau of [1, 3, 5, 8]) {
      const sorted = ordered(logits);
      const p = softmax(logits);
      let product = 0;
      let square = 0;
      for (let i = 1; i < 100; i++) {
        const step = Math.log((i + 1) / i);
        product += step * Math.log(p[sorted[i - 1]!]! / p[sorted[i]!]!);
        square += step * step;
      }
      const s = product / square;
      const k = (((s - 1) * 4 ** tau) / (1 - 3000 ** -(s - 1))) ** (1 / s);
      const found = processed(logits, { mirostat: { mode: 1, tau, eta: 0.1 } });
      expect(new Set(found.keys())).toEqual(new Set(sorted.slice(0, Math.max(1, Math.floor(k)))));
      if (tau === 8) expect(found.size).toBeGreaterThan(700);
    }
  });
});

describe('the draw', () => {
  const params: readonly Partial<SamplingParams>[] = [
    {},
    { temperature: 0.7 },
    { topK: 3 },
    { topP: 0.8 },
    { topK: 5, topP: 0.9, temperature: 1.5 },
    { minP: 0.1 },
    { mirostat: { mode: 2, tau: 3, eta: 0 } },
    { mirostat: { mode: 1, tau: 3, eta: 0 } },
  ];

  it.each(params)('has the frequencies it claims: %j', (some) => {
    const logits = [1, 0.5, 2, -1, 1.75, 0, -0.5, 1.25];
    const claimed = processed(logits, some);
    const sampler = createSampler({ params: some, vocabSize: logits.length, seed: 99n });
    const draws = 20_000;
    const counts = new Map<number, number>();
    for (let i = 0; i < draws; i++) {
      const token = sampler.sample(Float32Array.from(logits), null, FREE);
      sampler.accept(token);
      counts.set(token, (counts.get(token) ?? 0) + 1);
    }
    let chiSquare = 0;
    for (const [id, p] of claimed) chiSquare += ((counts.get(id) ?? 0) - draws * p) ** 2 / (draws * p);
    expect([...counts.keys()].every((id) => claimed.has(id))).toBe(true);
    // 7 degrees of freedom at most: above 24.3 in one of a thousand seeds, and this seed is fixed.
    expect(chiSquare).toBeLessThan(24.3);
  });

  it('reaches every part of a long row by its mass', () => {
    const logits = longRow(4000, 11);
    const p = softmax(logits);
    const sampler = createSampler({ vocabSize: logits.length, seed: 5n });
    const counts = new Array<number>(8).fill(0);
    const draws = 8000;
    for (let i = 0; i < draws; i++) {
      const token = sampler.sample(Float32Array.from(logits), null, FREE);
      counts[Math.floor(token / 500)]!++;
    }
    counts.forEach((count, part) => {
      const expected = draws * sum(p.slice(part * 500, part * 500 + 500));
      expect(Math.abs(count - expected)).toBeLessThan(4.5 * Math.sqrt(expected));
    });
  });

  it('repeats with the seed whatever other sequences do in between', () => {
    const workspace = createSamplerWorkspace(3000);
    const some = { topP: 0.95, temperature: 1.3, repetitionPenalty: 1.2 };
    const draw = (seed: bigint, others: readonly SequenceSampler[]) => {
      const sampler = createSampler({ params: some, vocabSize: 3000, seed }, workspace);
      return Array.from({ length: 30 }, (_, step) => {
        for (const other of others)
          other.accept(other.sample(Float32Array.from(longRow(3000, step)), null, FREE));
        const token = sampler.sample(Float32Array.from(longRow(3000, step + 50)), null, FREE);
        sampler.accept(token);
        return token;
      });
    };
    const alone = draw(12345678901234567890n, []);
    const crowd = [
      { topK: 9 },
      { typicalP: 0.5 },
      { temperature: 0, watermark: { gamma: 0.5, delta: 2 } },
    ].map((other) => createSampler({ params: other, vocabSize: 3000 }, workspace));
    expect(draw(12345678901234567890n, crowd)).toEqual(alone);
    expect(draw(12345678901234567891n, [])).not.toEqual(alone);
  });
});

describe('broken and boundless logits', () => {
  const everything: readonly Partial<SamplingParams>[] = [
    { temperature: 0 },
    {},
    { topK: 2 },
    { topP: 0.5 },
    { minP: 0.2 },
    { typicalP: 0.5 },
    { xtc: { probability: 1, threshold: 0.1 } },
    { mirostat: { mode: 1, tau: 5, eta: 0.1 } },
    { mirostat: { mode: 2, tau: 5, eta: 0.1 } },
    { temperature: 1e-320 },
  ];

  it.each(everything)('never picks what is impossible, never hangs: %j', (params) => {
    const value = fc.oneof(
      fc.constantFrom(Number.NaN, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, 0, 3e38, -3e38),
      fc.float(),
    );
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 80 }), (logits) => {
        const sampler = createSampler({ params, vocabSize: logits.length });
        const row = Float32Array.from(logits);
        const token = sampler.sample(row, null, FREE);
        const possible = logits.some((logit) => logit > Number.NEGATIVE_INFINITY);
        if (!possible) {
          expect(token).toBe(-1);
          return;
        }
        expect(logits[token]).toBeGreaterThan(Number.NEGATIVE_INFINITY);
        expect(sampler.logprobs(3, 'processed').logprob).toBeLessThanOrEqual(0);
      }),
      { numRuns: 300 },
    );
  });

  it.each(everything)('keeps to the mask: %j', (params) => {
    const vocabSize = 150;
    const ids = fc.uniqueArray(fc.nat(vocabSize - 1), { maxLength: vocabSize });
    fc.assert(
      fc.property(logitsOf(vocabSize, vocabSize), ids, fc.boolean(), (logits, chosen, invert) => {
        const set = new Set(chosen);
        const allowed = new Set(logits.map((_, id) => id).filter((id) => set.has(id) !== invert));
        const sampler = createSampler({ params, vocabSize });
        const token = sampler.sample(Float32Array.from(logits), maskOf(allowed, vocabSize), FREE);
        if (allowed.size === 0) {
          expect(token).toBe(-1);
          return;
        }
        expect(allowed.has(token)).toBe(true);
        const { top } = sampler.logprobs(vocabSize, 'processed');
        expect(top.every(({ id }) => allowed.has(id))).toBe(true);
        if (params.temperature === 0) {
          const best = Math.max(...[...allowed].map((id) => logits[id]!));
          expect(logits[token]).toBe(best);
        }
      }),
    );
  });
});

describe('rules', () => {
  it('bans tokens and, below the minimum, the end', () => {
    const sampler = createSampler({ params: { temperature: 0 }, vocabSize: 5, eogTokens: [4] });
    const logits = [1, 2, 3, 4, 5];
    const pick = (mask: Int32Array | null, rules: StepRules) =>
      sampler.sample(Float32Array.from(logits), mask, rules);
    expect(pick(null, FREE)).toBe(4);
    expect(pick(null, { banEog: true, bannedTokens: [3] })).toBe(2);
    expect(pick(null, { banEog: false, bannedTokens: [4, 3, 2, 1, 0] })).toBe(-1);
    expect(pick(maskOf(new Set([0, 4]), 5), { banEog: true, bannedTokens: [] })).toBe(0);
    // The grammar is finished: the end is all that is left.
    expect(pick(maskOf(new Set([4]), 5), { banEog: true, bannedTokens: [] })).toBe(4);
  });

  it('allows nothing beyond the end of a short mask', () => {
    const sampler = createSampler({ params: { temperature: 0 }, vocabSize: 100 });
    const logits = Float32Array.from({ length: 100 }, (_, id) => id);
    expect(sampler.sample(logits, new Int32Array(2).fill(-1), FREE)).toBe(63);
  });

  it('adds the bias before all else; -Infinity bans', () => {
    const logitBias = [
      [0, 10],
      [1, Number.NEGATIVE_INFINITY],
      [99, 5],
    ] as const;
    const found = processed([1, 9, 2], { logitBias });
    expect(found.has(1)).toBe(false);
    expect(found.get(0)).toBeCloseTo(softmax([11, 2])[0]!, 6);
  });

  it('tells parameters apart for the mirostat bound: it moves with the surprise', () => {
    const logits = longRow(2000, 21);
    const surpriseAt = (tau: number) => {
      const params = { mirostat: { mode: 2 as const, tau, eta: 0.1 } };
      const sampler = createSampler({ params, vocabSize: 2000 });
      let bits = 0;
      for (let i = 0; i < 600; i++) {
        const token = sampler.sample(Float32Array.from(logits), null, FREE);
        if (i >= 200) bits -= sampler.logprobs(0, 'processed').logprob / Math.LN2;
        sampler.accept(token);
      }
      return bits / 400;
    };
    expect(Math.abs(surpriseAt(3) - 3)).toBeLessThan(0.3);
    expect(Math.abs(surpriseAt(6) - 6)).toBeLessThan(0.4);
  });
});

describe('log-probabilities', () => {
  it('raw: the model as it was before anything changed', () => {
    fc.assert(
      fc.property(logitsOf(3, 60), fc.nat(1000), (logits, seed) => {
        const params = { repetitionPenalty: 1.5, logitBias: [[1, 3]] as const, topK: 2, temperature: 0.5 };
        const sampler = createSampler({
          params: { ...params, penaltyScope: 'all' },
          vocabSize: logits.length,
          prompt: [0, 2],
          seed: BigInt(seed),
          rawLogprobs: true,
        });
        const token = sampler.sample(Float32Array.from(logits), null, FREE);
        const p = softmax(logits);
        const { logprob, top } = sampler.logprobs(3, 'raw');
        expect(logprob).toBeCloseTo(Math.log(p[token]!), 5);
        const order = p.map((_, id) => id).sort((a, b) => logits[b]! - logits[a]! || a - b);
        expect(top.map(({ id }) => id)).toEqual(order.slice(0, 3));
        for (const { id, logprob: value } of top) expect(value).toBeCloseTo(Math.log(p[id]!), 5);
      }),
    );
  });

  const changers: readonly (readonly [string, Partial<SamplingParams>, StepRules, Int32Array | null])[] = [
    ['bias', { logitBias: [[2, 9]] }, FREE, null],
    ['watermark', { watermark: { gamma: 0.5, delta: 3 } }, FREE, null],
    ['penalty', { presencePenalty: 2, penaltyScope: 'all' }, FREE, null],
    ['DRY', { dry: { ...NEUTRAL_SAMPLING.dry, multiplier: 3, allowedLength: 1 } }, FREE, null],
    ['ban', {}, { banEog: false, bannedTokens: [0] }, null],
    ['ban of the end', {}, { banEog: true, bannedTokens: [] }, null],
    ['mask', {}, FREE, Int32Array.of(0b01110)],
  ];

  it.each(changers)('raw ones do not show a %s', (_, params, rules, mask) => {
    const logits = [3, 1, 0, 2, 1.5];
    const sampler = createSampler({
      params,
      vocabSize: 5,
      prompt: [0, 1, 2, 0, 1],
      eogTokens: [0],
      rawLogprobs: true,
    });
    const row = Float32Array.from(logits);
    sampler.sample(row, mask, rules);
    expect(Array.from(row)).not.toEqual(logits);
    const found = new Map(sampler.logprobs(5, 'raw').top.map(({ id, logprob }) => [id, logprob]));
    for (const [id, p] of softmax(logits).entries()) expect(found.get(id)).toBeCloseTo(Math.log(p), 6);
  });

  it('processed: ties at the last place are all listed, filtered tokens never', () => {
    const sampler = createSampler({ params: { topK: 4, temperature: 0.5 }, vocabSize: 6 });
    sampler.sample(Float32Array.from([1, 3, 2, 2, 2, 0]), null, FREE);
    expect(sampler.logprobs(2, 'processed').top.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
    expect(sampler.logprobs(1, 'processed').top.map(({ id }) => id)).toEqual([1]);
    expect(sampler.logprobs(6, 'processed').top).toHaveLength(4);
    expect(sampler.logprobs(0, 'processed').top).toEqual([]);
  });

  it('processed, greedy: the log-softmax after penalties and mask', () => {
    const params = { temperature: 0, presencePenalty: 1, penaltyScope: 'all' } as const;
    const sampler = createSampler({ params, vocabSize: 3, prompt: [2] });
    expect(sampler.sample(Float32Array.from([1, 2, 2.5]), null, FREE)).toBe(1);
    expect(sampler.logprobs(0, 'processed').logprob).toBeCloseTo(Math.log(softmax([1, 2, 1.5])[1]!), 6);
  });

  it('of a prompt row, and of a token that is impossible', () => {
    const workspace = createSamplerWorkspace(3);
    const row = Float32Array.from([0, 1, Number.NEGATIVE_INFINITY]);
    const { logprob, top } = rowLogprobs(row, 0, 5, workspace);
    expect(logprob).toBeCloseTo(Math.log(softmax([0, 1])[0]!), 6);
    expect(top.map(({ id }) => id)).toEqual([1, 0]);
    expect(rowLogprobs(row, 2, 0, workspace).logprob).toBe(Number.NEGATIVE_INFINITY);
    expect(Array.from(row)).toEqual([0, 1, Number.NEGATIVE_INFINITY]);
  });

  it('are refused once the token was accepted', () => {
    const sampler = createSampler({ vocabSize: 3 });
    sampler.accept(sampler.sample(new Float32Array(3), null, FREE));
    expect(() => sampler.logprobs(1, 'processed')).toThrow(/are gone/);
  });

  it('are refused once another row was sampled', () => {
    const workspace = createSamplerWorkspace(3);
    const first = createSampler({ vocabSize: 3 }, workspace);
    first.sample(new Float32Array(3), null, FREE);
    createSampler({ vocabSize: 3 }, workspace).sample(new Float32Array(3), null, FREE);
    expect(() => first.logprobs(1, 'processed')).toThrow(/another row/);
  });
});

describe('the score of a token that has been decided', () => {
  const logits = [0.5, 2, -1, 0, 1, 1.5];
  const row = () => Float32Array.from(logits);
  const ways: Partial<SamplingParams>[] = [
    { temperature: 0 },
    { temperature: 0.7 },
    { temperature: 0.7, topK: 3 },
    { temperature: 1.3, mirostat: { mode: 2, tau: 2, eta: 0.3 } },
  ];

  it('is the one it would have had when sampled', () => {
    for (const params of ways.slice(0, 3)) {
      const drawn = createSampler({ params, vocabSize: 6, rawLogprobs: true });
      const token = drawn.sample(row(), null, FREE);
      const decided = createSampler({ params, vocabSize: 6, rawLogprobs: true });
      expect(decided.score(row(), null, token)).toBe(token);
      for (const kind of ['raw', 'processed'] as const)
        expect(decided.logprobs(2, kind)).toEqual(drawn.logprobs(2, kind));
    }
  });

  it('leaves what is sampled later as it was', () => {
    for (const params of ways) {
      const pick = (wantsScore: boolean): number[] => {
        const sampler = createSampler({ params, vocabSize: 6 });
        return Array.from({ length: 30 }, () => {
          if (wantsScore) sampler.score(row(), null, 3);
          sampler.accept(3);
          const token = sampler.sample(row(), null, FREE);
          sampler.accept(token);
          return token;
        });
      };
      expect(pick(true)).toEqual(pick(false));
    }
  });
});
