// Two hundred streams at once through one engine of eight places: every one finishes, with every token, in order.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runRequest, startTestEngine, type TestEngine } from '../support/engine.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let shared: TestEngine;
beforeAll(async () => {
  shared = startTestEngine({ parallel: 8, contextTokens: 256 });
  await shared.engine.ready;
});
afterAll(() => shared.engine.close());

describe('two hundred streams at once', () => {
  it('all finish, with every token and in order, and leave nothing behind', async () => {
    const { engine } = shared;
    const ask = (i: number) => ({
      id: `stream-${i}`,
      input: `The story number ${i % 50} is about`,
      stop: { maxNewTokens: 12 + (i % 5) },
      output: { tokens: i % 2 === 0 },
    });
    const replies = await Promise.all(Array.from({ length: 200 }, (_, i) => runRequest(engine, ask(i))));
    for (const [i, { events, last, text }] of replies.entries()) {
      expect(events[0]?.kind).toBe('started');
      expect(events.filter(({ kind }) => kind === 'choice')).toHaveLength(1);
      expect(last).toMatchObject({ kind: 'finished', usage: { completionTokens: 12 + (i % 5) } });
      const tokens = events.flatMap((event) => (event.kind === 'delta' ? (event.tokens ?? []) : []));
      expect(tokens).toHaveLength(i % 2 === 0 ? 12 + (i % 5) : 0);
      // Equal prompts give equal texts, as far as the shorter one goes.
      const twin = replies[(i + 50) % 200]?.text ?? '';
      expect(twin.startsWith(text) || text.startsWith(twin)).toBe(true);
    }
    expect(engine.inFlight).toBe(0);
    await vi.waitFor(
      () => expect(engine.status()).toMatchObject({ running: 0, waiting: 0, swapped: 0 }),
      10_000,
    );
  });

  it('half of them aborted at any time, the others finish', async () => {
    const { engine } = shared;
    const replies = await Promise.all(
      Array.from({ length: 100 }, (_, i) => {
        const abort = new AbortController();
        let deltas = 0;
        return runRequest(
          engine,
          { input: `Tale ${i}`, stop: { maxNewTokens: 16 } },
          abort.signal,
          ({ kind }) => {
            if (kind === 'delta' && ++deltas === i % 10 && i % 2 === 1) abort.abort();
          },
        );
      }),
    );
    const finished = replies.filter(({ last }) => last?.kind === 'finished').length;
    expect(finished).toBeGreaterThanOrEqual(50);
    expect(replies.filter((_, i) => i % 2 === 0).every(({ last }) => last?.kind === 'finished')).toBe(true);
    expect(engine.inFlight).toBe(0);
    await vi.waitFor(() => expect(engine.status()).toMatchObject({ running: 0, waiting: 0 }), 10_000);
  });
});
