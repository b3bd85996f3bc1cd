// What TGI's clients take for granted of the engine behind the wire: alternatives, stop strings and the queue, played
// against the step loop and its parts with a model that is a table.

import { describe, expect, it } from 'vitest';
import { createSamplerWorkspace, SequenceSampler } from '../../../src/engine/sampling/index.js';
import { StopMatcher } from '../../../src/engine/text/index.js';
import { NEUTRAL_SAMPLING } from '../../../src/protocol/index.js';
import { createFakeRunner } from '../../support/fake-runner.js';
import { type Received, TestLoop } from '../../support/loop.js';

describe('top_n_tokens', () => {
  it('lists the best with all that tie with the last, and no more than there are', () => {
    const logits = [-1, -3, -4, -2, -3];
    const sampler = new SequenceSampler(
      { ...NEUTRAL_SAMPLING, temperature: 0 },
      {
        workspace: createSamplerWorkspace(logits.length),
        seed: 0n,
        eogTokens: [],
        prompt: Int32Array.from([0]),
        tokenBytes: () => new Uint8Array(0),
        rawLogprobs: false,
      },
    );
    sampler.sample(Float32Array.from(logits), null, { banEog: false, bannedTokens: [] });
    const best = (count: number): number[] => sampler.logprobs(count, 'processed').top.map(({ id }) => id);
    expect([best(2), best(3), best(4), best(5)]).toEqual([
      [0, 3],
      [0, 3, 1, 4],
      [0, 3, 1, 4],
      [0, 3, 1, 4, 2],
    ]);
  });
});

describe('a stop string', () => {
  const fires = (stop: string, ...tokens: readonly string[]): boolean => {
    const matcher = new StopMatcher([stop], 'keep-piece');
    for (const token of tokens) matcher.push(token);
    return matcher.matched !== undefined;
  };

  it('fires when it is complete, not before', () => {
    expect(fires('/test;', '/test;')).toBe(true);
    expect(fires('/test;', '/test')).toBe(false);
    expect(fires('/test;', '/te', 'st', ';')).toBe(true);
    // TGI overlooks a stop string that does not end with a token; here it is found.
    expect(fires('/test;', '/test; ')).toBe(true);
  });

  it('is text, whatever its characters mean elsewhere', () => {
    expect(fires('<|stop|>', 'a <|stop', '|>')).toBe(true);
    expect(fires('<|stop|>', 'stop', '<')).toBe(false);
    expect(fires('a.c', 'abc')).toBe(false);
  });
});

describe('the queue', () => {
  interface Queue {
    readonly loop: TestLoop;
    readonly requests: readonly Received[];
    /** Numbers of the requests that have begun, in the order in which it was seen. */
    readonly begun: () => readonly number[];
  }

  /** Requests of a few tokens each, handed in at once. */
  function queue(runner: Parameters<typeof createFakeRunner>[0], count: number, prompt = 'ABCD'): Queue {
    const loop = new TestLoop(createFakeRunner(runner));
    const requests = Array.from({ length: count }, () =>
      loop.submit({ prompt, usePrefixCache: false, stop: { maxNewTokens: 3 } }),
    );
    const order: number[] = [];
    const begun = (): readonly number[] => {
      for (const [i, { events }] of requests.entries())
        if (events.length > 0 && !order.includes(i)) order.push(i);
      return order;
    };
    return { loop, requests, begun };
  }

  it('is served in the order of arrival, and nobody overtakes', () => {
    const { loop, begun } = queue({ maxSequences: 1 }, 5);
    while (loop.loop.hasWork) {
      loop.step();
      begun();
    }
    expect(begun()).toEqual([0, 1, 2, 3, 4]);
  });

  it('has no smallest batch: one alone begins at once, and joins those that run', () => {
    const { loop, requests } = queue({ maxSequences: 4 }, 1);
    loop.step();
    expect(requests[0]?.events[0]?.kind).toBe('started');
    const late = loop.submit({ prompt: 'EFGH', stop: { maxNewTokens: 2 } });
    loop.step();
    expect(late.events[0]?.kind).toBe('started');
    expect(requests[0]?.isDone).toBe(false);
  });

  it('has a largest batch: one more waits until somebody is done', () => {
    const { loop, requests, begun } = queue({ maxSequences: 2 }, 3);
    loop.step();
    expect([loop.loop.running.size, loop.loop.waiting.length]).toEqual([2, 1]);
    while (requests.slice(0, 2).every(({ isDone }) => !isDone)) {
      expect(begun()).toEqual([0, 1]);
      loop.step();
    }
    loop.run();
    expect(begun()).toEqual([0, 1, 2]);
  });

  it('keeps to the budget of tokens, also where there are places', () => {
    const { loop, requests } = queue({ kvLayout: 'unified', totalCells: 24, maxSequences: 4 }, 4, 'ABCDEFGH');
    loop.step();
    expect([loop.loop.running.size, loop.loop.waiting.length]).toEqual([2, 2]);
    loop.run();
    expect(requests.every(({ isDone }) => isDone)).toBe(true);
  });

  it('skips who has gone, and gives the place to the next', () => {
    const { loop, requests, begun } = queue({ maxSequences: 1 }, 4);
    loop.step();
    begun();
    for (const gone of [1, 2]) loop.loop.cancel(requests[gone]?.key ?? 0);
    while (loop.loop.hasWork) {
      loop.step();
      begun();
    }
    expect(begun()).toEqual([0, 3]);
    expect([requests[1]?.events, requests[2]?.events]).toEqual([[], []]);
  });
});
