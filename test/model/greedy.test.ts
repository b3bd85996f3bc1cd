// Greedy output is a function of the prompt alone: not of the batch, the chunks, the cache, the layout or a swap.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LlamaRunner, RunnerOptions } from '../../src/native/index.js';
import type { TokenInfo } from '../../src/protocol/index.js';
import { type LoopOptions, type Received, TestLoop } from '../support/loop.js';
import { BEGINNINGS, expectSame, greedy, openModel, type Shape, tokensOf } from './demo.js';

const TOKENS = 40;
/** Prompts whose continuation repeats what stands in them. */
const REPETITIVE = [
  'one, two, three, four, one, two, three, four, one, two,',
  'The cat sat on the mat. The dog sat on the mat. The cat sat on the',
  'red green blue red green blue red green blue red',
];
const runners = new Map<string, LlamaRunner>();
let alone: readonly (readonly TokenInfo[])[];

/** A runner of these options, opened once: a loop leaves KV behind, so each gets a clean start by `loopOn`. */
function runnerOf(options: Partial<RunnerOptions>): LlamaRunner {
  const key = JSON.stringify(options);
  const runner = runners.get(key) ?? openModel(options);
  runners.set(key, runner);
  return runner;
}

function loopOn(options: Partial<RunnerOptions>, loop: LoopOptions = { cacheBytes: 0 }): TestLoop {
  const runner = runnerOf(options);
  for (let place = 0; place < runner.info.maxSequences; place++) runner.removeKv(place, 0, -1);
  return new TestLoop(runner, loop);
}

const submitAll = (loop: TestLoop, texts = BEGINNINGS): Received[] =>
  texts.map((text) => loop.submit(greedy(text, TOKENS)));

/** Every run must equal its lone run; on the whole only few places may be near-ties. */
function expectAllSame(received: readonly Received[], shape: Shape = 'sameShape'): void {
  const equal = received.map((one, i) => expectSame(alone[i] ?? [], tokensOf(one), shape));
  expect(equal.reduce((a, b) => a + b)).toBeGreaterThan(0.5 * TOKENS * received.length);
}

beforeAll(() => {
  alone = BEGINNINGS.map((text) => {
    const loop = loopOn({ parallel: 1 });
    const received = loop.submit(greedy(text, TOKENS));
    loop.run();
    return tokensOf(received);
  });
});
afterAll(() => {
  for (const runner of runners.values()) runner.dispose();
});

const layouts = [
  ['streams', 'sameShape', { kvLayout: 'streams', contextTokens: 256, parallel: 8 }],
  ['unified', 'otherShape', { kvLayout: 'unified', contextTokens: 1024, parallel: 8 }],
] as const;

describe.each(layouts)('greedy output with %s', (_layout, shape, options) => {
  it('is the same alone and beside seven others', () => {
    const loop = loopOn(options);
    const received = submitAll(loop);
    loop.run();
    expectAllSame(received, shape);
  });

  it('is the same with prompts computed in small chunks', () => {
    const loop = loopOn({ ...options, batchTokens: 16 });
    const received = submitAll(loop);
    loop.run();
    expectAllSame(received, 'otherShape');
  });

  it('is the same when others come and go', () => {
    const loop = loopOn(options);
    const received: Received[] = [];
    for (const text of BEGINNINGS) {
      received.push(loop.submit(greedy(text, TOKENS)));
      const passing = loop.submit(greedy('Nobody will ever read', 6));
      for (let i = 0; i < 3; i++) loop.step();
      loop.loop.cancel(passing.key);
    }
    loop.run();
    expectAllSame(received, shape);
  });

  it('is the same from a known prefix, whether it lies in a place or in the cache', () => {
    const loop = loopOn({ ...options, parallel: 4 }, { cacheBytes: 64 << 20 });
    submitAll(loop);
    loop.run();
    const again = submitAll(loop);
    loop.run();
    expectAllSame(again, shape);
    const cached = again.map(({ events }) => (events[0]?.kind === 'started' ? events[0].cachedTokens : 0));
    // Prompts of 16 tokens and more are taken but for their last token.
    expect(cached.filter((tokens) => tokens >= 16).length).toBeGreaterThan(1);
    const whole = again.map(({ events }) => (events[0]?.kind === 'started' ? events[0].promptTokens : 0));
    cached.forEach((tokens, i) => {
      if (tokens > 0) expect(tokens).toBe((whole[i] ?? 0) - 1);
    });
  });

  it('is the same from a prefix that another is computing, which is computed once', () => {
    const shared = BEGINNINGS.slice(0, 5).join('. ');
    const prompts = BEGINNINGS.map((text) => `${shared}. ${text}`);
    const lone = prompts.map((prompt) => {
      const loop = loopOn({ parallel: 1 });
      const received = loop.submit(greedy(prompt, 12));
      loop.run();
      return tokensOf(received);
    });
    const loop = loopOn(
      { ...options, contextTokens: options.kvLayout === 'unified' ? 2048 : 256 },
      { cacheBytes: 64 << 20 },
    );
    const received = prompts.map((prompt) => loop.submit(greedy(prompt, 12)));
    loop.run();
    for (const [i, one] of received.entries()) expectSame(lone[i] ?? [], tokensOf(one), 'otherShape');
    const prefix = loop.runner.tokenize(`${shared}.`, false, false).length;
    expect(loop.loop.hits.hitTokens).toBeGreaterThanOrEqual(7 * prefix);
  });

  it('is the same after giving way to a higher priority', () => {
    const loop = loopOn({ ...options, parallel: 2 });
    const received = submitAll(loop, BEGINNINGS.slice(0, 2));
    for (let i = 0; i < 10; i++) loop.step();
    const urgent = loop.submit(greedy('Quickly', 8, { priority: 1 }));
    loop.step();
    expect(loop.loop.waiting.snapshot().map(({ phase }) => phase)).toEqual(['swapped']);
    loop.run();
    expect(urgent.events.at(-1)?.kind).toBe('finished');
    expectAllSame(received, shape);
  });

  it('is the same for all choices of a request', () => {
    const loop = loopOn(options);
    const received = loop.submit(greedy(BEGINNINGS[2] ?? '', TOKENS, { n: 4 }));
    loop.run();
    for (let choice = 0; choice < 4; choice++) expectSame(alone[2] ?? [], tokensOf(received, choice), shape);
  });
});

describe('greedy output', () => {
  it('is the same when the pool runs out and the youngest are swapped out and back', () => {
    const loop = loopOn({ kvLayout: 'unified', contextTokens: 256, parallel: 8 }, { cacheBytes: 64 << 20 });
    const received = submitAll(loop);
    let swapped = 0;
    while (loop.loop.hasWork) {
      loop.step();
      swapped += loop.loop.waiting.snapshot().filter(({ phase }) => phase === 'swapped').length;
      expect(loop.places.audit().cells.free).toBeGreaterThanOrEqual(0);
    }
    expect(swapped).toBeGreaterThan(0);
    expectAllSame(received, 'otherShape');
  });

  it('is the same after places have been moved together', () => {
    const loop = loopOn({ parallel: 8 });
    const received = submitAll(loop);
    for (let i = 0; i < 4; i++) loop.step();
    for (const i of [1, 4, 6]) loop.loop.cancel(received[i]?.key ?? 0);
    for (let i = 0; i < 24; i++) loop.step();
    const places = loop.loop.running.all().map(({ place }) => place);
    expect(places).toEqual(places.map((_, i) => (places[0] ?? 0) + i));
    loop.run();
    for (const [i, one] of received.entries()) {
      if (![1, 4, 6].includes(i)) expectSame(alone[i] ?? [], tokensOf(one));
    }
  });
});

describe('greedy output with prompt lookup', () => {
  it('is the same, and proposals are found right', () => {
    const options = { parallel: 1, contextTokens: 256 };
    let proposed = 0;
    let accepted = 0;
    let ms = 0;
    for (const text of REPETITIVE) {
      const plain = loopOn(options);
      const expected = plain.submit(greedy(text, TOKENS));
      plain.run();
      // Every step takes as long as any other, so whatever can be proposed pays.
      const drafted = loopOn(options, { cacheBytes: 0, promptLookup: 7, now: () => ms++ });
      const received = drafted.submit(greedy(text, TOKENS));
      drafted.run();
      expectSame(tokensOf(expected), tokensOf(received), 'otherShape');
      proposed += drafted.loop.lookupFigures.proposed;
      accepted += drafted.loop.lookupFigures.accepted;
    }
    expect(accepted).toBeGreaterThan(8);
    expect(proposed).toBeGreaterThan(accepted);
  });
});

describe('a seed', () => {
  const sampling = { temperature: 0.9, topP: 0.95, seed: '1234' } as const;

  it('gives the same tokens again, and another seed others', () => {
    const ask = (seed: string): string => {
      const loop = loopOn({ parallel: 1 });
      return loop.text({
        prompt: BEGINNINGS[0] ?? '',
        sampling: { ...sampling, seed },
        stop: { maxNewTokens: 30 },
      });
    };
    expect(ask('1234')).toBe(ask('1234'));
    expect(ask('1234')).not.toBe(ask('1235'));
  });
});
