// LoRA adapters made of noise on the demo model: they change the output, and requests with different adapters, taking
// turns, get what each gets alone.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gguf } from '@huggingface/gguf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LlamaRunner } from '../../src/native/index.js';
import { TestLoop } from '../support/loop.js';
import { writeRandomLora } from '../support/random-lora.js';
import { BEGINNINGS, DEMO, expectSame, greedy, openModel, tokensOf } from './demo.js';

let folder: string;
let runner: LlamaRunner;
const NAMES = [undefined, 'red', 'blue', 'nothing'] as const;

/** The demo model's shape. */
async function shape() {
  const { metadata } = await gguf(DEMO, { allowLocalFile: true });
  const of = (name: string): number => Number((metadata as Record<string, unknown>)[`llama.${name}`]);
  return {
    layers: of('block_count'),
    embedding: of('embedding_length'),
    heads: of('attention.head_count'),
    kvHeads: of('attention.head_count_kv'),
    ffn: of('feed_forward_length'),
  };
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'koine-lora-'));
  const base = await shape();
  writeRandomLora(join(folder, 'red.gguf'), { base, seed: 1, strength: 2 });
  writeRandomLora(join(folder, 'blue.gguf'), { base, seed: 2, strength: 2 });
  writeRandomLora(join(folder, 'nothing.gguf'), { base, seed: 3, strength: 0 });
  const adapters = ['red', 'blue', 'nothing'].map((name) => ({ name, path: join(folder, `${name}.gguf`) }));
  runner = openModel({ adapters, parallel: 8 });
});
afterAll(() => {
  runner.dispose();
  rmSync(folder, { recursive: true });
});

function fresh(cacheBytes = 0): TestLoop {
  for (let place = 0; place < runner.info.maxSequences; place++) runner.removeKv(place, 0, -1);
  runner.setAdapter(null);
  return new TestLoop(runner, { cacheBytes });
}

const ask = (adapter: string | undefined, text = BEGINNINGS[0] ?? '') =>
  greedy(text, 16, adapter === undefined ? {} : { adapter });

function alone(adapter: string | undefined, text?: string) {
  const loop = fresh();
  const received = loop.submit(ask(adapter, text));
  loop.run();
  return tokensOf(received);
}

describe('an adapter', () => {
  it('changes the output, and another one changes it otherwise', () => {
    const [plain, red, blue] = [undefined, 'red', 'blue'].map((name) =>
      alone(name)
        .map(({ id }) => id)
        .join(),
    );
    expect(new Set([plain, red, blue]).size).toBe(3);
  });

  it('without weight changes nothing', () => {
    expect(alone('nothing').map(({ id }) => id)).toEqual(alone(undefined).map(({ id }) => id));
  });

  it('is told among the facts', () => {
    expect(runner.facts.adapters).toEqual(['red', 'blue', 'nothing']);
  });
});

describe('requests with different adapters', () => {
  it('taking turns get what each gets alone, with and without a prefix cache', () => {
    const lone = NAMES.map((name) => alone(name));
    for (const cacheBytes of [0, 64 << 20]) {
      const loop = fresh(cacheBytes);
      const received = [...NAMES, ...NAMES].map((name) => loop.submit(ask(name)));
      loop.run();
      for (const [i, one] of received.entries()) expectSame(lone[i % NAMES.length] ?? [], tokensOf(one));
    }
  });

  it('never continue each other’s prefixes', () => {
    const text = BEGINNINGS.join('. ').slice(0, 400);
    const lone = NAMES.map((name) => alone(name, text));
    const loop = fresh(64 << 20);
    for (const [i, name] of NAMES.entries()) {
      const received = loop.submit(ask(name, text));
      loop.run();
      expectSame(lone[i] ?? [], tokensOf(received));
      expect(received.events.at(-1)).toMatchObject({ usage: { cachedTokens: 0 } });
    }
    const again = loop.submit(ask('red', text));
    loop.run();
    expectSame(lone[1] ?? [], tokensOf(again), 'otherShape');
    const last = again.events.at(-1);
    expect(last?.kind === 'finished' ? last.usage.cachedTokens : 0).toBeGreaterThan(50);
  });
});

describe('a file that is no adapter of this model', () => {
  it('is refused by its name', async () => {
    const base = await shape();
    writeRandomLora(join(folder, 'wide.gguf'), {
      base: { ...base, embedding: base.embedding * 2, heads: base.heads * 2 },
    });
    for (const path of [join(folder, 'wide.gguf'), DEMO, join(folder, 'missing.gguf')]) {
      expect(() => openModel({ adapters: [{ name: 'bad', path }] })).toThrow(
        new RegExp(`cannot load the adapter bad from ${path.replaceAll('.', '\\.')}: .+`),
      );
    }
  });
});
