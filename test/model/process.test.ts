// The engine in its own process: what it does when that process is killed, never starts, or is sent nonsense.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ManagedEngine } from '../../src/engine/index.js';
import type { EmbedRequest, GenerateEvent } from '../../src/protocol/index.js';
import {
  type EngineRequest,
  engineRequest,
  runRequest,
  startTestEngine,
  type TestEngine,
} from '../support/engine.js';

// Processes are started and compute here: on a machine with other work that takes its time.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let shared: TestEngine;
/** How long a start takes on this machine now: what limits of time are measured by when it is slow. Milliseconds. */
let startMs: number;
beforeAll(async () => {
  const begun = performance.now();
  shared = startTestEngine();
  await shared.engine.ready;
  startMs = performance.now() - begun;
});
afterAll(() => shared.engine.close());

/** Polls until the condition holds; fails after `limitMs`. */
async function until(isReached: () => boolean, limitMs = 60_000): Promise<number> {
  const begun = performance.now();
  while (!isReached()) {
    if (performance.now() - begun > limitMs) throw new Error(`it did not come within ${limitMs} ms`);
    await pause(5);
  }
  return performance.now() - begun;
}

const codeOf = (event: GenerateEvent | undefined): string =>
  event?.kind === 'failed' ? event.failure.code : `${event?.kind}`;
const never = (): AbortSignal => new AbortController().signal;

/** Starts requests and waits until each has its first text. */
async function startStreams(engine: ManagedEngine, count: number, maxNewTokens = 400) {
  let begun = 0;
  const streams = Array.from({ length: count }, (_, i) => {
    let isFirst = true;
    return runRequest(
      engine,
      { input: `Story number ${i}:`, stop: { maxNewTokens } },
      never(),
      ({ kind }) => {
        if (kind === 'delta' && isFirst) begun++;
        if (kind === 'delta') isFirst = false;
      },
    );
  });
  await until(() => begun === count);
  return streams;
}

describe('an engine whose process is killed amid eight streams', () => {
  it('ends each with an error, is back in time, serves what waited and what comes, and stays the same server', async () => {
    const { engine, log } = startTestEngine({ parallel: 8 });
    await engine.ready;
    const streams = await startStreams(engine, 8);
    const waiting = [1, 2, 3].map(() => runRequest(engine, { input: 'Waiting', stop: { maxNewTokens: 4 } }));
    await until(() => engine.status().waiting === 3);
    const pid = engine.pid ?? 0;
    const query = engine.tokenize({ model: 'demo', text: 'x', addSpecial: false, parseSpecial: false });
    await query;
    process.kill(pid, 'SIGKILL');
    const begun = performance.now();
    for (const { last } of await Promise.all(streams)) expect(codeOf(last)).toBe('engine_lost');
    expect(engine.status().state).toBe('restarting');
    for (const { last, text } of await Promise.all(waiting)) {
      expect(last?.kind).toBe('finished');
      expect(text).not.toBe('');
    }
    expect((await runRequest(engine)).last?.kind).toBe('finished');
    // A start takes a third of a second on an idle machine; a busy one gets more time, but as many starts.
    expect(performance.now() - begun).toBeLessThan(Math.max(5000, 6 * startMs));
    expect(engine.pid).not.toBe(pid);
    expect(engine.status()).toMatchObject({ state: 'ready', restarts: 1 });
    expect(log.some(({ level, text }) => level === 'error' && text.includes('SIGKILL'))).toBe(true);
    await engine.close();
  });

  it('fails questions in flight and refuses new ones until it is back', async () => {
    const { engine } = startTestEngine();
    await engine.ready;
    process.kill(engine.pid ?? 0, 'SIGSTOP');
    const question = engine.detokenize([1, 2], false);
    const embedding = engine.embed(
      { id: 'e', model: 'demo', inputs: ['a'], normalize: true, truncate: false },
      never(),
    );
    process.kill(engine.pid ?? 0, 'SIGKILL');
    await expect(question).rejects.toMatchObject({ code: 'engine_lost' });
    await expect(embedding).rejects.toMatchObject({ code: 'engine_lost' });
    await expect(engine.detokenize([1, 2], false)).rejects.toMatchObject({ code: 'unavailable' });
    await until(() => engine.status().state === 'ready');
    expect(await engine.detokenize([100], false)).not.toBe('');
    await engine.close();
  });

  it('comes back again and again', async () => {
    const { engine } = startTestEngine();
    await engine.ready;
    for (let i = 1; i <= 3; i++) {
      process.kill(engine.pid ?? 0, 'SIGKILL');
      await until(() => engine.status().restarts === i);
      await until(() => engine.status().state === 'ready');
      expect((await runRequest(engine, { stop: { maxNewTokens: 2 } })).last?.kind).toBe('finished');
    }
    await engine.close();
  });
});

describe('an engine that cannot load its model', () => {
  const folder = mkdtempSync(join(tmpdir(), 'koine-bad-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    ['is missing', 'missing.gguf', undefined],
    ['is no GGUF', 'text.gguf', Buffer.from('this is not a model, whatever its name says\n')],
    ['is empty', 'empty.gguf', Buffer.alloc(0)],
    [
      'ends after its header',
      'short.gguf',
      Buffer.from('GGUF\x03\0\0\0\x05\0\0\0\0\0\0\0\x05\0\0\0\0\0\0\0', 'latin1'),
    ],
  ])('because the file %s says so in one line, with its name', async (_what, name, content) => {
    const path = join(folder, name);
    if (content !== undefined) writeFileSync(path, content);
    const { engine } = startTestEngine({ modelPath: path });
    const error = await engine.ready.catch((thrown: Error) => thrown);
    expect(error).toBeInstanceOf(Error);
    const { message } = error as Error;
    expect(message).toContain(path);
    expect(message).not.toContain('\n');
    expect(engine.status().state).toBe('stopped');
    expect(codeOf((await runRequest(engine)).last)).toBe('unavailable');
    await expect(engine.describe()).rejects.toMatchObject({ code: 'unavailable' });
    await engine.close();
  });

  it('nor even start a process is stopped, and says so', async () => {
    const { execPath } = process;
    process.execPath = '/nowhere/node';
    const { engine, log } = startTestEngine();
    process.execPath = execPath;
    await expect(engine.ready).rejects.toThrow('spawn /nowhere/node ENOENT');
    expect(engine.status().state).toBe('stopped');
    expect(log.map(({ text }) => text)).toContain('engine process: spawn /nowhere/node ENOENT');
    await engine.close();
  });

  it('nor its libraries says so too', async () => {
    const { engine } = startTestEngine({ libraryDir: folder });
    await expect(engine.ready).rejects.toThrow(`KOINE_LLAMA_LIB_DIR: no llama.cpp library in ${folder}`);
    await engine.close();
  });
});

describe('an engine', () => {
  it('describes its model', async () => {
    expect(await shared.engine.describe()).toMatchObject({
      id: 'demo',
      architecture: 'llama',
      contextTokens: 512,
      maxSequences: 4,
      vocabSize: 4608,
      pooling: 'mean',
      canInfill: true,
    });
  });

  it('refuses while it is loading', async () => {
    const { engine } = startTestEngine();
    expect(codeOf((await runRequest(engine)).last)).toBe('unavailable');
    await expect(
      engine.tokenize({ model: 'demo', text: '', addSpecial: false, parseSpecial: false }),
    ).rejects.toMatchObject({ code: 'unavailable' });
    await engine.ready;
    expect((await runRequest(engine)).last?.kind).toBe('finished');
    await engine.close();
  });

  it('is idle soon after its clients have gone', async () => {
    const { engine } = shared;
    const aborts = Array.from({ length: 6 }, () => new AbortController());
    const streams = aborts.map(({ signal }) => runRequest(engine, { stop: { maxNewTokens: 450 } }, signal));
    await until(() => engine.status().running === 4);
    for (const abort of aborts) abort.abort();
    for (const { last } of await Promise.all(streams))
      expect(['started', 'delta', 'undefined']).toContain(codeOf(last));
    expect(await until(() => engine.status().running === 0 && engine.status().waiting === 0)).toBeLessThan(
      500,
    );
    expect(engine.inFlight).toBe(0);
  });

  it('is idle soon after a consumer has stopped reading', async () => {
    const { engine } = shared;
    for await (const event of engine.generate(engineRequest({ stop: { maxNewTokens: 450 } }), never())) {
      if (event.kind === 'delta') break;
    }
    await until(() => engine.status().running === 0);
    expect(engine.inFlight).toBe(0);
  });

  it('refuses what is over its limit and takes more when there is room', async () => {
    const { engine } = startTestEngine({ parallel: 1, maxWaiting: 1 });
    await engine.ready;
    const two = [1, 2].map(() => runRequest(engine, { stop: { maxNewTokens: 8 } }));
    const third = await runRequest(engine);
    expect(third.last).toMatchObject({
      kind: 'failed',
      failure: { code: 'overloaded', details: { retryAfterSeconds: 1 } },
    });
    await Promise.all(two);
    expect((await runRequest(engine)).last?.kind).toBe('finished');
    await engine.close();
  });

  it('drains: lets what runs finish, takes nothing more, and then ends its process', async () => {
    const { engine } = startTestEngine();
    await engine.ready;
    const running = runRequest(engine, { stop: { maxNewTokens: 100 } });
    const drained = engine.drain(10_000);
    expect(engine.status().state).toBe('draining');
    expect(codeOf((await runRequest(engine)).last)).toBe('unavailable');
    await drained;
    expect((await running).last).toMatchObject({ kind: 'finished', usage: { completionTokens: 100 } });
    const { pid = 0 } = engine;
    await engine.close();
    expect(() => process.kill(pid, 0)).toThrow();
    expect(engine.status().state).toBe('stopped');
  });

  it('closed at once fails what still runs', async () => {
    const { engine } = startTestEngine();
    await engine.ready;
    const [running] = await startStreams(engine, 1);
    await engine.close();
    expect(codeOf((await running)?.last)).toBe('unavailable');
    await engine.close();
  });

  it('does not wait longer for what runs than it is told', async () => {
    const { engine } = startTestEngine();
    await engine.ready;
    process.kill(engine.pid ?? 0, 'SIGSTOP');
    const running = runRequest(engine, { stop: { maxNewTokens: 450 } });
    const begun = performance.now();
    await engine.drain(100);
    expect(performance.now() - begun).toBeLessThan(Math.max(1000, startMs));
    await engine.close();
    expect(codeOf((await running).last)).toBe('unavailable');
  });

  it('keeps its seeds, biases and scores across the process border', async () => {
    const { engine } = shared;
    const seed = 2n ** 64n - 1n;
    const sampled = await runRequest(engine, { sampling: { temperature: 1, seed } });
    expect(sampled.events.find(({ kind }) => kind === 'choice')).toMatchObject({ seed });
    const again = await runRequest(engine, { sampling: { temperature: 1, seed } });
    expect(again.text).toBe(sampled.text);
    const plain = await runRequest(engine, { output: { tokens: true } });
    const ids = plain.events
      .flatMap((event) => (event.kind === 'delta' ? (event.tokens ?? []) : []))
      .map(({ id }) => id);
    const logitBias = [[ids[0] ?? 0, Number.NEGATIVE_INFINITY]] as const;
    const banned = await runRequest(engine, { sampling: { logitBias }, output: { tokens: true } });
    const others = banned.events.flatMap((event) => (event.kind === 'delta' ? (event.tokens ?? []) : []));
    expect(others).toHaveLength(16);
    expect(others.map(({ id }) => id)).not.toContain(ids[0]);
  });

  it('logs prompts when it is told to, as they reach the model, and never otherwise', async () => {
    const { engine, log } = startTestEngine({ logPrompts: true });
    await engine.ready;
    await runRequest(engine, { id: 'r-1', input: 'a secret' });
    await engine.close();
    expect(log).toContainEqual({
      level: 'debug',
      text: 'prompt of request r-1: {"text":"a secret","addSpecial":true,"parseSpecial":false}',
    });
    await runRequest(shared.engine, { input: 'a secret' });
    expect(JSON.stringify(shared.log)).not.toContain('secret');
  });

  it('logs what llama.cpp says, and only from the level asked for', async () => {
    const { engine, log } = startTestEngine({ logLevel: 'debug' });
    await engine.ready;
    expect(log.filter(({ level }) => level === 'debug').length).toBeGreaterThan(10);
    await engine.close();
    expect(shared.log.filter(({ level }) => level === 'debug')).toEqual([]);
  });
});

describe('nonsense never brings the process down', () => {
  const requests: readonly (readonly [string, EngineRequest, string])[] = [
    ['tokens that do not exist', { input: { kind: 'tokens', tokens: [1, 99_999] } }, 'invalid_request'],
    ['negative tokens', { input: { kind: 'tokens', tokens: [-1] } }, 'invalid_request'],
    ['broken tokens', { input: { kind: 'tokens', tokens: [0.5] } }, 'invalid_request'],
    ['no tokens', { input: { kind: 'tokens', tokens: [] } }, 'invalid_request'],
    ['an empty text', { input: '' }, 'invalid_request'],
    ['a text too long', { input: 'word '.repeat(600) }, 'too_long'],
    ['an adapter it does not have', { adapter: 'nobody' }, 'adapter_not_found'],
    ['a truncation to nothing', { truncateTo: 0 }, 'invalid_request'],
    [
      'a ban of everything',
      {
        n: 3,
        sampling: {
          logitBias: Array.from({ length: 4608 }, (_, id) => [id, Number.NEGATIVE_INFINITY] as const),
        },
      },
      'constraint',
    ],
    [
      'biases of tokens that do not exist',
      {
        sampling: {
          logitBias: [
            [-5, 1],
            [1e9, 1],
          ],
        },
      },
      'finished',
    ],
    ['a broken character', { input: '\ud800 half a pair' }, 'finished'],
    ['a nul in the text', { input: 'a\0b' }, 'finished'],
    ['stop tokens that do not exist', { stop: { stopTokens: [-1, 1e9] } }, 'finished'],
    ['no new tokens', { stop: { maxNewTokens: 0 } }, 'finished'],
    ['more choices than places', { n: 9, stop: { maxNewTokens: 3 } }, 'finished'],
    [
      'more scores than there are tokens',
      { output: { logprobs: 10_000 }, stop: { maxNewTokens: 2 } },
      'finished',
    ],
    [
      'extreme sampling',
      { sampling: { temperature: 1e30, topP: 1e-30, minP: 1, typicalP: 1e-30, topK: 1e9 } },
      'finished',
    ],
  ];

  it.each(requests)('%s', async (_what, request, expected) => {
    const { engine } = shared;
    const { pid } = engine;
    expect(codeOf((await runRequest(engine, request)).last)).toBe(expected);
    expect((await runRequest(engine, { stop: { maxNewTokens: 2 } })).last?.kind).toBe('finished');
    expect(engine.pid).toBe(pid);
  });

  const embeds: readonly (readonly [string, Partial<EmbedRequest>, string | undefined])[] = [
    ['an empty input', { inputs: [[]] }, 'invalid_request'],
    ['tokens that do not exist', { inputs: [[1, 1e9]] }, 'invalid_request'],
    ['an input too long', { inputs: ['word '.repeat(3000)] }, 'too_long'],
    ['a model’s adapter', { adapter: 'nobody' }, 'adapter_not_found'],
    ['a rank of a model that has none', { pooling: 'rank' }, 'unsupported'],
    ['nothing', { inputs: [] }, undefined],
    ['an input to be cut', { inputs: ['word '.repeat(3000)], truncate: true }, undefined],
  ];

  it.each(embeds)('embeddings of %s', async (_what, changes, expected) => {
    const { engine } = shared;
    const { pid } = engine;
    const request = { id: 'e', model: 'demo', inputs: ['a'], normalize: true, truncate: false, ...changes };
    const result = await engine.embed(request, never()).catch((error: { code: string }) => error.code);
    if (expected === undefined) expect(result).toHaveProperty('vectors');
    else expect(result).toBe(expected);
    expect((await runRequest(engine, { stop: { maxNewTokens: 2 } })).last?.kind).toBe('finished');
    expect(engine.pid).toBe(pid);
  });

  it('questions about tokens that do not exist', async () => {
    await expect(shared.engine.detokenize([1e9], true)).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(shared.engine.detokenize([-1], true)).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

describe('embeddings', () => {
  it('come back as they were computed, beside running streams', async () => {
    const { engine } = shared;
    const streams = await startStreams(engine, 4, 60);
    const inputs = ['The dog ran.', 'A cat sat.', [10, 20, 30]];
    const ask = (given: EmbedRequest['inputs'], normalize = true) =>
      engine.embed({ id: 'e', model: 'demo', inputs: given, normalize, truncate: false }, never());
    const { vectors, usage } = await ask(inputs);
    expect(vectors).toHaveLength(3);
    expect(usage.promptTokens).toBeGreaterThan(8);
    for (const [row] of vectors) expect(Math.hypot(...(row ?? []))).toBeCloseTo(1, 4);
    const [[plain] = []] = (await ask(['The dog ran.'], false)).vectors;
    expect(plain).toHaveLength(256);
    expect(Math.abs(Math.hypot(...(plain ?? [])) - 1)).toBeGreaterThan(0.01);
    for (const { last } of await Promise.all(streams)) expect(last?.kind).toBe('finished');
  });

  it('can be given up', async () => {
    const { engine } = shared;
    const abort = new AbortController();
    const inputs = Array.from({ length: 200 }, () => 'word '.repeat(200));
    const result = engine.embed(
      { id: 'e', model: 'demo', inputs, normalize: true, truncate: false },
      abort.signal,
    );
    abort.abort();
    await expect(result).rejects.toMatchObject({ code: 'cancelled' });
    const begun = performance.now();
    expect((await runRequest(engine, { stop: { maxNewTokens: 2 } })).last?.kind).toBe('finished');
    expect(performance.now() - begun).toBeLessThan(Math.max(2000, 3 * startMs));
  });
});
