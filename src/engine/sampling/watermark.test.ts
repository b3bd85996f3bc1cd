import { describe, expect, it } from 'vitest';
import { NEUTRAL_SAMPLING } from '../../protocol/index.js';
import { Random } from './random.js';
import { SequenceSampler } from './sampler.js';
import { addWatermark, detectWatermark, isGreen } from './watermark.js';
import { createSamplerWorkspace } from './workspace.js';

const VOCABULARY = 4096;

function generate(count: number, seed: bigint, watermark?: { gamma: number; delta: number }): number[] {
  const workspace = createSamplerWorkspace(VOCABULARY);
  const params = { ...NEUTRAL_SAMPLING, ...(watermark && { watermark }) };
  const sampler = new SequenceSampler(params, {
    workspace,
    seed,
    eogTokens: [],
    prompt: Int32Array.of(17),
    tokenBytes: () => new Uint8Array(0),
    rawLogprobs: false,
  });
  const logits = new Random(seed + 1n);
  return Array.from({ length: count }, () => {
    const row = Float32Array.from({ length: VOCABULARY }, () => logits.next() * 4);
    const token = sampler.sample(row, null, { banEog: false, bannedTokens: [] });
    sampler.accept(token);
    return token;
  });
}

describe('watermark', () => {
  it.each([0.25, 0.5, 0.9])('makes a share of %d green, another one for each previous token', (gamma) => {
    const greenAfter = (previous: number) =>
      Array.from({ length: 20_000 }, (_, token) => isGreen(previous, token, gamma));
    const [first, second] = [greenAfter(5), greenAfter(6)];
    const sigma = Math.sqrt(gamma * (1 - gamma) * 20_000);
    expect(Math.abs(first.filter(Boolean).length - gamma * 20_000)).toBeLessThan(4 * sigma);
    const both = first.filter((green, token) => green && second[token]).length;
    expect(Math.abs(both - gamma * gamma * 20_000)).toBeLessThan(5 * sigma);
  });

  it('adds delta to exactly the green logits', () => {
    const row = new Float32Array(1000).fill(1);
    addWatermark(row, 42, 0.5, Float64Array.of(0, 2));
    expect(Array.from(row)).toEqual(Array.from(row, (_, token) => (isGreen(42, token, 0.5) ? 3 : 1)));
  });

  it('is found in 200 generated tokens', () => {
    const { zScore, pValue, scored } = detectWatermark(generate(200, 3n, { gamma: 0.5, delta: 2 }), 0.5);
    expect(scored).toBeGreaterThan(190);
    expect(zScore).toBeGreaterThan(6);
    expect(pValue).toBeLessThan(1e-8);
  });

  it('is not found where there is none, at the rate the p-value says', () => {
    const random = new Random(8n);
    const pValues = Array.from({ length: 1000 }, () => {
      const tokens = Array.from({ length: 200 }, () => Math.floor(random.next() * VOCABULARY));
      return detectWatermark(tokens, 0.5).pValue;
    });
    const below = (limit: number) => pValues.filter((p) => p < limit).length;
    expect(below(1e-4)).toBeLessThanOrEqual(1);
    expect(below(0.05)).toBeGreaterThan(25);
    expect(below(0.05)).toBeLessThan(80);
  });

  it('scores a repeated pair once', () => {
    expect(detectWatermark([1, 2, 1, 2, 1, 2], 0.5).scored).toBe(2);
    expect(detectWatermark([1], 0.5)).toMatchObject({ scored: 0, zScore: 0 });
    expect(detectWatermark([], 0.5).pValue).toBeCloseTo(0.5, 6);
  });
});
