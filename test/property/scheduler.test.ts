// Random arrivals, cancellations, priorities, layouts and cache sizes against the scheduler: whatever happens beside
// it, a request's greedy output is what it would be alone; nothing starves; no place or cell is ever lost.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFakeRunner, type FakeRunner, type FakeRunnerOptions } from '../support/fake-runner.js';
import { type Received, TestLoop } from '../support/loop.js';

const PREFIXES = [
  '',
  'the quick brown fox jumps over the lazy dog again and again ',
  'the quick brown fox jumps over the lazy dog and then it sleeps all day ',
  'a completely different beginning of some length, shared by several ',
];

const request = fc.record({
  prefix: fc.integer({ min: 0, max: PREFIXES.length - 1 }),
  suffix: fc.string({ unit: fc.constantFrom(...'abcdefgh '), minLength: 1, maxLength: 40 }),
  maxNewTokens: fc.integer({ min: 1, max: 24 }),
  priority: fc.integer({ min: 0, max: 2 }),
  n: fc.constantFrom(1, 1, 1, 2, 3),
  usePrefixCache: fc.boolean(),
  delay: fc.integer({ min: 0, max: 12 }),
  cancelAfter: fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined, freq: 4 }),
});

const setup = fc.record({
  layout: fc.constantFrom('streams' as const, 'unified' as const),
  places: fc.integer({ min: 1, max: 5 }),
  cacheBytes: fc.constantFrom(0, 900, 1 << 20),
  canMoveKv: fc.constantFrom(true, true, true, false),
  batchTokens: fc.constantFrom(8, 32),
  promptLookup: fc.constantFrom(0, 0, 6),
});

type Request = typeof request extends fc.Arbitrary<infer T> ? T : never;
type Setup = typeof setup extends fc.Arbitrary<infer T> ? T : never;

function runnerOptions({ layout, places, canMoveKv, batchTokens }: Setup): FakeRunnerOptions {
  return {
    kvLayout: layout,
    maxSequences: places,
    contextPerSequence: 160,
    totalCells: 170,
    canMoveKv,
    batchTokens: Math.max(batchTokens, places + 1),
    recordSteps: false,
  };
}

function promptOf(item: Request): string {
  return PREFIXES[item.prefix] + item.suffix;
}

/** The output of a request that has the machine to itself. */
function alone(item: Request): string {
  const loop = new TestLoop(
    createFakeRunner({ maxSequences: 1, contextPerSequence: 160, recordSteps: false }),
    {
      cacheBytes: 0,
    },
  );
  return loop.text({ prompt: promptOf(item), stop: { maxNewTokens: item.maxNewTokens } });
}

function checkConservation(loop: TestLoop): void {
  const audit = loop.places.audit();
  expect(audit.empty + audit.resident + audit.running).toBe(audit.total);
  expect(audit.cells.running + audit.cells.cached + audit.cells.free).toBe(audit.cells.total);
  expect(audit.cells.free).toBeGreaterThanOrEqual(0);
  expect(audit.running).toBe(loop.loop.running.size);
}

describe('scheduler', () => {
  it('gives every request the output it has alone, and loses nothing', () => {
    fc.assert(
      fc.property(setup, fc.array(request, { minLength: 1, maxLength: 14 }), (how, requests) => {
        const { cacheBytes, promptLookup } = how;
        const loop = new TestLoop(createFakeRunner(runnerOptions(how)), { cacheBytes, promptLookup });
        const pending = requests.map((item) => ({
          item,
          received: undefined as ReturnType<TestLoop['submit']> | undefined,
        }));
        const cancelled = new Set<number>();
        for (let step = 0; step < 4000; step++) {
          for (const entry of pending) {
            if (entry.received === undefined && entry.item.delay <= step) {
              const { priority, n, usePrefixCache, maxNewTokens } = entry.item;
              entry.received = loop.submit({
                prompt: promptOf(entry.item),
                stop: { maxNewTokens },
                priority,
                n,
                usePrefixCache,
              });
            }
            const { received, item } = entry;
            if (
              received !== undefined &&
              !received.isDone &&
              item.cancelAfter !== undefined &&
              item.delay + item.cancelAfter === step
            ) {
              loop.loop.cancel(received.key);
              cancelled.add(received.key);
            }
          }
          loop.step();
          checkConservation(loop);
          if (!loop.loop.hasWork && pending.every(({ received }) => received !== undefined)) break;
        }
        expect(loop.loop.hasWork).toBe(false);
        expect(loop.loop.groups).toBe(0);
        for (const { item, received } of pending) {
          if (received === undefined || cancelled.has(received.key)) continue;
          expect(received.events.at(-1)?.kind).toBe('finished');
          const expected = alone(item);
          for (let choice = 0; choice < item.n; choice++) expect(received.texts[choice] ?? '').toBe(expected);
        }
      }),
      { numRuns: 600 },
    );
  }, 300_000);
});

/** Uniform numbers in [0, 1), the same for the same seed (a linear congruential generator of 2^32). */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const ADAPTERS = [undefined, undefined, undefined, 'red'] as const;

/** One loop over its whole life: requests come, are cancelled, fail and end, thousands of them. */
class LongLife {
  readonly runner: FakeRunner;
  readonly loop: TestLoop;
  readonly inFlight = new Set<Received>();
  readonly counts = { submitted: 0, cancelled: 0, failed: 0, finished: 0, compared: 0 };
  readonly #expected = new Map<Received, string>();
  readonly #random: () => number;

  constructor(layout: 'streams' | 'unified', seed: number) {
    this.#random = randomNumbers(seed);
    const size = { maxSequences: 8, contextPerSequence: 128, totalCells: 300 };
    this.runner = createFakeRunner({ ...size, kvLayout: layout, adapters: ['red'], recordSteps: false });
    this.loop = new TestLoop(this.runner, { cacheBytes: 20_000 });
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  submit(): void {
    const text = Array.from({ length: 1 + this.#below(12) }, () => 'abcdefgh '[this.#below(9)]).join('');
    const prompt = (PREFIXES[this.#below(PREFIXES.length)] ?? '') + text;
    const adapter = ADAPTERS[this.#below(ADAPTERS.length)];
    const n = this.#below(8) === 0 ? 1 + this.#below(3) : 1;
    const maxNewTokens = this.#below(12);
    const received = this.loop.submit({
      prompt,
      n,
      bestOf: n + (this.#below(10) === 0 ? this.#below(3) : 0),
      priority: this.#below(10) === 0 ? this.#below(3) : 0,
      usePrefixCache: this.#below(10) !== 0,
      stop: { maxNewTokens },
      output: this.#below(20) === 0 ? { promptLogprobs: 1, tokens: true } : {},
      ...(adapter === undefined ? {} : { adapter }),
    });
    this.inFlight.add(received);
    this.counts.submitted++;
    if (this.#below(10) === 0) {
      const tokens = this.runner.expectGreedy(
        this.runner.tokenize(prompt, false, true),
        maxNewTokens,
        adapter,
      );
      this.#expected.set(received, this.runner.vocabulary.text(tokens));
    }
  }

  /** Some arrive, some are cancelled, now and then a decode fails; then a step, and nothing may be lost. */
  turn(arrivals: number): void {
    for (let i = this.#below(arrivals + 1); i > 0 && this.inFlight.size < 40; i--) this.submit();
    if (this.#below(4) === 0) this.cancelOne();
    if (this.#below(400) === 0) this.runner.failNext(this.#below(2) === 0 ? 'failed' : 'no-space');
    this.loop.step();
    for (const received of this.inFlight) if (received.isDone) this.#end(received);
    checkConservation(this.loop);
    const { cells } = this.loop.places.audit();
    if (this.runner.usedCells() !== cells.running + cells.cached) throw new Error('cells were lost');
  }

  cancelOne(): void {
    const received = [...this.inFlight][this.#below(this.inFlight.size)];
    if (received === undefined) return;
    this.loop.loop.cancel(received.key);
    this.#forget(received);
    this.counts.cancelled++;
  }

  #end(received: Received): void {
    const expected = this.#expected.get(received);
    const last = received.events.at(-1);
    this.#forget(received);
    if (last?.kind === 'failed') {
      this.counts.failed++;
      return;
    }
    this.counts.finished++;
    if (
      expected === undefined ||
      received.events.some((event) => event.kind === 'choice' && event.reason !== 'length')
    )
      return;
    this.counts.compared++;
    for (const text of received.texts) expect(expected.startsWith(text)).toBe(true);
  }

  #forget(received: Received): void {
    this.inFlight.delete(received);
    this.#expected.delete(received);
    this.loop.received.delete(received.key);
  }
}

describe('ten thousand requests in one life', () => {
  it.each(['streams', 'unified'] as const)(
    'with random aborts and failures lose no place, cell or event: %s',
    (layout) => {
      const life = new LongLife(layout, layout === 'streams' ? 1 : 2);
      while (life.counts.submitted < 10_000) life.turn(3);
      for (let steps = 0; life.loop.loop.hasWork; steps++) {
        if (steps > 5000) throw new Error('some requests never end');
        life.turn(0);
      }
      const { submitted, cancelled, failed, finished, compared } = life.counts;
      expect(life.inFlight.size).toBe(0);
      expect(cancelled + failed + finished).toBe(submitted);
      expect(finished).toBeGreaterThan(5000);
      expect(cancelled).toBeGreaterThan(1000);
      expect(compared).toBeGreaterThan(100);
      expect(life.loop.loop.groups).toBe(0);
      expect(life.loop.places.audit()).toMatchObject({ running: 0, cells: { running: 0 } });
      life.loop.places.clear();
      expect(life.runner.usedCells()).toBe(0);
    },
    300_000,
  );
});
