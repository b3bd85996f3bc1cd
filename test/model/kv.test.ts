// KV out of llama.cpp, cut and joined at random places, put back: the bytes and the scores must be the same.

import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { KvBlock, KvType } from '../../src/engine/model-runner.js';
import type { LlamaRunner } from '../../src/native/index.js';
import { BEGINNINGS, openModel } from './demo.js';

const TEXT = BEGINNINGS.join('. ');
const LENGTH = 96;

/** The rows behind a block: opaque to the engine, but what is compared here. */
const dataOf = (block: KvBlock): Uint8Array => (block as unknown as { readonly data: Uint8Array }).data;

/** Decodes tokens at positions from `from` on; returns a copy of the last one's scores. */
function decode(runner: LlamaRunner, place: number, tokens: Iterable<number>, from: number): Float32Array {
  runner.batch.length = 0;
  let position = from;
  for (const token of tokens) runner.batch.push(token, position++, place, false);
  runner.batch.wantsLogits[runner.batch.length - 1] = 1;
  expect(runner.decode()).toBe('ok');
  return runner.logits(0).slice();
}

const difference = (a: Float32Array, b: Float32Array): number =>
  a.reduce((most, value, i) => Math.max(most, Math.abs(value - (b[i] ?? 0))), 0);

function cut(runner: LlamaRunner, block: KvBlock, cuts: readonly number[]): KvBlock[] {
  let blocks: KvBlock[] = [block];
  for (const at of cuts) {
    const index = at % blocks.length;
    const chosen = blocks[index];
    if (chosen === undefined || chosen.length < 2) continue;
    blocks = blocks.toSpliced(index, 1, ...runner.splitKv(chosen, 1 + (at % (chosen.length - 1))));
  }
  return blocks;
}

const setups = (['streams', 'unified'] as const).flatMap((kvLayout) =>
  (['f16', 'q8_0', 'q4_0'] as const).map((kvType) => ({ kvLayout, kvType })),
);

describe.each(setups)('KV in $kvLayout as $kvType', ({ kvLayout, kvType }) => {
  const runner = openModel({ kvLayout, kvType, contextTokens: kvLayout === 'unified' ? 1024 : 256 });
  const tokens = runner.tokenize(TEXT, true, false).slice(0, LENGTH);
  const next = runner.tokenize(' and then', false, false).slice(0, 1);
  // A neighbour before and after, so that in one pool the cells are not the first ones.
  decode(runner, 3, tokens.slice(0, 17), 0);
  decode(runner, 0, tokens, 0);
  decode(runner, 2, tokens.slice(5, 40), 0);
  const whole = runner.exportKv(0, 0, LENGTH);
  const expected = decode(runner, 0, next, LENGTH);
  runner.removeKv(0, LENGTH, -1);
  afterAll(() => runner.dispose());

  it('is as large as it is said to be', () => {
    expect(whole).toMatchObject({ length: LENGTH, bytes: LENGTH * runner.info.kvBytesPerToken });
    expect(dataOf(whole)).toHaveLength(whole.bytes);
  });

  it('comes back the same however it was cut, into any place', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1000), { maxLength: 5 }), fc.integer({ min: 0, max: 1 }), (cuts, place) => {
        const blocks = cut(runner, runner.exportKv(0, 0, LENGTH), cuts);
        expect(runner.importKv(place, blocks)).toBe(true);
        expect(Buffer.compare(dataOf(runner.exportKv(place, 0, LENGTH)), dataOf(whole))).toBe(0);
        const scores = decode(runner, place, next, LENGTH);
        runner.removeKv(place, LENGTH, -1);
        // In one pool attention adds up in the order of cells, which may be another now.
        expect(difference(scores, expected)).toBeLessThan(kvLayout === 'streams' ? 1e-6 : 0.5);
      }),
      { numRuns: 15 },
    );
  });

  it('can be joined from parts taken at different times', () => {
    const parts = [runner.exportKv(0, 0, 30), runner.exportKv(0, 30, 31), runner.exportKv(0, 31, LENGTH)];
    expect(runner.importKv(1, parts)).toBe(true);
    expect(Buffer.compare(dataOf(runner.exportKv(1, 0, LENGTH)), dataOf(whole))).toBe(0);
    runner.removeKv(1, 0, -1);
  });

  it('can be used in part, and continued', () => {
    const [head] = runner.splitKv(runner.exportKv(0, 0, LENGTH), 50);
    expect(runner.importKv(1, [head])).toBe(true);
    const scores = decode(runner, 1, [...tokens.slice(50), ...next], 50);
    runner.removeKv(1, 0, -1);
    expect(difference(scores, expected)).toBeLessThan(kvType === 'q4_0' ? 1.5 : 0.5);
  });

  it('cut back and computed again is what it was', () => {
    runner.removeKv(0, 40, -1);
    const scores = decode(runner, 0, [...tokens.slice(40), ...next], 40);
    runner.removeKv(0, LENGTH, -1);
    expect(difference(scores, expected)).toBeLessThan(kvType === 'q4_0' ? 1.5 : 0.5);
  });
});

describe('KV', () => {
  it('that does not fit is refused, and the place is empty then', () => {
    const runner = openModel({ kvLayout: 'unified', contextTokens: 256 });
    const tokens = runner.tokenize(TEXT, true, false).slice(0, LENGTH);
    decode(runner, 0, tokens, 0);
    const block = runner.exportKv(0, 0, LENGTH);
    expect(runner.importKv(1, [block])).toBe(true);
    expect(runner.importKv(2, [block])).toBe(false);
    // Twice 96 of 256 cells are taken; 64 are free, whatever the failed import did.
    decode(runner, 2, tokens.slice(0, 64), 0);
    runner.dispose();
  });

  it.each(['f32', 'f16', 'bf16', 'q8_0', 'q5_1', 'q5_0', 'q4_1', 'q4_0'] satisfies KvType[])(
    'of type %s loads, computes and moves',
    (kvType) => {
      const runner = openModel({ kvType, parallel: 2 });
      expect(runner.info.canMoveKv).toBe(true);
      const tokens = runner.tokenize('Once upon a time there was', true, false);
      const scores = decode(runner, 0, tokens, 0);
      expect(scores.every(Number.isFinite)).toBe(true);
      expect(runner.importKv(1, [runner.exportKv(0, 0, tokens.length - 1)])).toBe(true);
      const again = decode(runner, 1, tokens.slice(-1), tokens.length - 1);
      expect(difference(scores, again)).toBeLessThan(1.5);
      const best = (row: Float32Array): number => row.indexOf(row.reduce((a, b) => Math.max(a, b)));
      expect(best(again)).toBe(best(scores));
      runner.dispose();
    },
  );

  it('takes less memory the smaller its type', () => {
    const bytes = (['f32', 'f16', 'q8_0', 'q4_0'] as const).map((kvType) => {
      const runner = openModel({ kvType, parallel: 1 });
      const { kvBytesPerToken } = runner.info;
      runner.dispose();
      return kvBytesPerToken;
    });
    expect(bytes).toEqual([...bytes].sort((a, b) => b - a));
    expect(bytes[0]).toBe(2 * (bytes[1] ?? 0));
  });
});
