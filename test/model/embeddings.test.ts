// Embeddings of the demo model and of models that declare a pooling: batches equal single inputs, poolings agree.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LlamaRunner } from '../../src/native/index.js';
import { writeRandomModel } from '../support/random-model.js';
import { BEGINNINGS, DEMO, openModel } from './demo.js';

/**
 * Largest difference of a number in vectors of length 1. The demo model's activations are quantized, which a batch of
 * other inputs turns another way here and there; models of plain floats are held to 1e-4 below.
 */
const NOISE = { mean: 4e-3, cls: 1e-4, last: 5e-3, none: 2e-2 } as const;

let runner: LlamaRunner;
let folder: string;
beforeAll(() => {
  runner = openModel();
  folder = mkdtempSync(join(tmpdir(), 'koine-embed-'));
});
afterAll(() => {
  runner.dispose();
  rmSync(folder, { recursive: true });
});

const tokens = (text: string, of = runner): Int32Array => of.tokenize(text, true, false);
const difference = (a: Float32Array | undefined, b: Float32Array | undefined): number =>
  a === undefined || b === undefined || a.length !== b.length
    ? Number.POSITIVE_INFINITY
    : a.reduce((most, value, i) => Math.max(most, Math.abs(value - (b[i] ?? 0))), 0);
const unit = (row: Float32Array | undefined): Float32Array | undefined => {
  const length = Math.hypot(...(row ?? []));
  return row?.map((value) => value / length);
};

describe('embeddings', () => {
  it.each(['mean', 'cls', 'last', 'none'] as const)(
    'with pooling %s of a batch equal those of single inputs',
    (pooling) => {
      const inputs = BEGINNINGS.map((text) => tokens(text));
      const together = runner.embed(inputs, pooling);
      expect(together).toHaveLength(inputs.length);
      for (const [i, input] of inputs.entries()) {
        const [single] = runner.embed([input], pooling);
        expect(together[i]).toHaveLength(pooling === 'none' ? input.length : 1);
        for (const [row, vector] of (single ?? []).entries()) {
          expect(vector).toHaveLength(256);
          expect(difference(unit(together[i]?.[row]), unit(vector))).toBeLessThan(NOISE[pooling]);
        }
      }
    },
  );

  it('with pooling mean are the mean over the tokens, cls the first, last the last', () => {
    const input = tokens(BEGINNINGS[2] ?? '');
    const [rows = []] = runner.embed([input], 'none');
    const mean = rows[0]?.map((_, i) => rows.reduce((sum, row) => sum + (row[i] ?? 0), 0) / rows.length);
    expect(difference(runner.embed([input], 'mean')[0]?.[0], mean)).toBeLessThan(1e-4);
    expect(difference(runner.embed([input], 'cls')[0]?.[0], rows[0])).toBeLessThan(1e-4);
    expect(difference(runner.embed([input], 'last')[0]?.[0], rows.at(-1))).toBeLessThan(1e-4);
  });

  it('tell like texts from unlike ones', () => {
    const [a, b, c] = runner
      .embed(
        [
          'The dog ran into the garden.',
          'A dog ran in the garden.',
          'import numpy as np\nx = np.zeros(3)',
        ].map((text) => tokens(text)),
        'mean',
      )
      .map(([row]) => unit(row) ?? new Float32Array());
    const cosine = (x: Float32Array = new Float32Array(), y: Float32Array = new Float32Array()): number =>
      x.reduce((sum, value, i) => sum + value * (y[i] ?? 0), 0);
    expect(cosine(a, b)).toBeGreaterThan(cosine(a, c));
  });

  it('leave generation alone', () => {
    const { batch } = runner;
    const decode = (): Float32Array => {
      runner.removeKv(0, 0, -1);
      batch.length = 0;
      for (const [position, token] of tokens('Once upon a time').entries())
        batch.push(token, position, 0, true);
      expect(runner.decode()).toBe('ok');
      return runner.logits(0).slice();
    };
    const before = decode();
    runner.embed([tokens('something else')], 'mean');
    expect(difference(decode(), before)).toBe(0);
  });

  it('take more inputs than fit into one pass', () => {
    const inputs = Array.from({ length: 40 }, (_, i) => tokens(BEGINNINGS[i % BEGINNINGS.length] ?? ''));
    const vectors = runner.embed(inputs, 'mean');
    expect(vectors).toHaveLength(40);
    expect(difference(unit(vectors[0]?.[0]), unit(vectors[32]?.[0]))).toBeLessThan(NOISE.mean);
  });

  it('of an input as long as is allowed work', () => {
    const input = new Int32Array(runner.maxEmbedTokens).fill(40);
    expect(runner.embed([input], 'mean')[0]?.[0]).toHaveLength(256);
  });
});

describe('a model that declares its pooling', () => {
  it.each(['mean', 'cls', 'last'] as const)('says %s', (pooling) => {
    const path = join(folder, `${pooling}.gguf`);
    writeRandomModel(path, {
      layers: 1,
      embedding: 64,
      heads: 2,
      kvHeads: 1,
      ffn: 64,
      context: 128,
      weights: 'f32',
      vocabulary: { from: DEMO },
      pooling,
    });
    const model = openModel({ modelPath: path, contextTokens: 128 });
    expect(model.facts.declaredPooling).toBe(pooling);
    const inputs = BEGINNINGS.slice(0, 3).map((text) => tokens(text, model));
    const together = model.embed(inputs, pooling);
    for (const [i, input] of inputs.entries()) {
      expect(difference(together[i]?.[0], model.embed([input], pooling)[0]?.[0])).toBeLessThan(1e-4);
    }
    model.dispose();
  });
});
