// Random arrivals, cancellations, priorities, layouts and cache sizes against the scheduler: whatever happens beside
// it, a request's greedy output is what it would be alone; nothing starves; no place or cell is ever lost.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFakeRunner, type FakeRunnerOptions } from '../support/fake-runner.js';
import { TestLoop } from '../support/loop.js';

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
        const loop = new TestLoop(createFakeRunner(runnerOptions(how)), { cacheBytes: how.cacheBytes });
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
  });
});
