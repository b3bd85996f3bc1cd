// The step loop and outputs that follow a rule, with rules written out by hand.

import { describe, expect, it } from 'vitest';
import { createFakeRunner, type FakeRunner, type FakeRunnerOptions } from '../../test/support/fake-runner.js';
import { type Received, TestLoop } from '../../test/support/loop.js';
import { KoineError } from '../protocol/index.js';
import type { OutputMatcher } from './sequence.js';

const start = (options: FakeRunnerOptions = {}, cacheBytes = 1 << 20) => {
  const runner = createFakeRunner(options);
  return { runner, loop: new TestLoop(runner, { cacheBytes }) };
};

const kinds = ({ events }: Received) => events.map(({ kind }) => kind);
const choices = ({ events }: Received) => events.filter((event) => event.kind === 'choice');
const failure = ({ events }: Received) => {
  const last = events.at(-1);
  return last?.kind === 'failed' ? last.failure : undefined;
};

/** A rule that allows some tokens; `state` is what its worker has come to. */
class FakeRule implements OutputMatcher {
  state: 'ready' | 'pending' | 'lost' = 'ready';
  forcedNext: readonly number[] = [];
  readonly accepted: number[] = [];
  disposals = 0;
  readonly #mask: Int32Array;

  constructor(vocabSize: number, allowed: readonly number[]) {
    this.#mask = new Int32Array(Math.ceil(vocabSize / 32));
    for (const token of allowed) this.#mask[token >> 5] = (this.#mask[token >> 5] ?? 0) | (1 << (token & 31));
  }

  mask(): Int32Array | 'pending' {
    if (this.disposals > 0) throw new Error('a rule was used after its end');
    if (this.state === 'lost') throw new KoineError('constraint', 'the rule was lost');
    return this.state === 'pending' ? 'pending' : this.#mask;
  }

  accept(tokens: readonly number[]): void {
    this.accepted.push(...tokens);
  }

  forced(): readonly number[] {
    const forced = this.forcedNext;
    this.forcedNext = [];
    return forced;
  }

  dispose(): void {
    this.disposals++;
  }
}

describe('outputs that follow a rule', () => {
  const rules = (runner: FakeRunner, count: number) =>
    Array.from(
      { length: count },
      () => new FakeRule(runner.info.vocabSize, [runner.vocabulary.id('x'), runner.vocabulary.id('y')]),
    );

  it('have only what it allows', () => {
    const { loop, runner } = start();
    const [rule] = rules(runner, 1);
    const received = loop.submit({ prompt: 'hello', stop: { maxNewTokens: 8 } }, rule && [rule]);
    loop.run();
    expect(received.texts[0]).toMatch(/^[xy]{8}$/);
    expect(rule?.accepted).toHaveLength(8);
    expect(rule?.disposals).toBe(1);
  });

  it('wait for a late rule, and others do not wait with them', () => {
    const { loop, runner } = start();
    const [rule] = rules(runner, 1);
    if (rule === undefined) throw new Error('no rule');
    const received = loop.submit({ prompt: 'hello', stop: { maxNewTokens: 4 } }, [rule]);
    const other = loop.submit({ prompt: 'other', stop: { maxNewTokens: 6 } });
    rule.state = 'pending';
    for (let i = 0; i < 7; i++) loop.step();
    expect(other.isDone).toBe(true);
    expect(received.texts).toEqual([]);
    const decoded = runner.counters.decodedTokens;
    rule.state = 'ready';
    loop.run();
    expect(received.texts[0]).toMatch(/^[xy]{4}$/);
    expect(runner.counters.decodedTokens).toBe(decoded + 3);
  });

  it('waiting for a late rule may be swapped out and come back, or be cancelled', () => {
    for (const canMoveKv of [true, false]) {
      const { loop, runner } = start({ maxSequences: 1, canMoveKv });
      const [rule] = rules(runner, 1);
      if (rule === undefined) throw new Error('no rule');
      const received = loop.submit({ prompt: 'hello', stop: { maxNewTokens: 4 } }, [rule]);
      rule.state = 'pending';
      loop.step();
      loop.submit({ prompt: 'urgent', priority: 1, stop: { maxNewTokens: 2 } });
      for (let i = 0; i < 4; i++) loop.step();
      rule.state = 'ready';
      loop.run();
      expect(received.texts[0]).toMatch(/^[xy]{4}$/);
      const cancelled = loop.submit({ prompt: 'hello' }, rules(runner, 1));
      loop.step();
      loop.loop.cancel(cancelled.key);
      expect(loop.places.audit()).toMatchObject({ running: 0 });
    }
  });

  it('that lose their rule fail once, with all choices and nobody else', () => {
    for (const when of ['at once', 'late']) {
      const { loop, runner } = start();
      const three = rules(runner, 3);
      for (const rule of three) rule.state = when === 'late' ? 'pending' : 'lost';
      const received = loop.submit({ prompt: 'hello', n: 3 }, three);
      const other = loop.submit({ prompt: 'other', stop: { maxNewTokens: 4 } });
      loop.step();
      loop.step();
      for (const rule of three) rule.state = 'lost';
      loop.run();
      expect(kinds(received)).toEqual(['started', 'failed']);
      expect(failure(received)?.code).toBe('constraint');
      expect(three.map(({ disposals }) => disposals)).toEqual([1, 1, 1]);
      expect(other.events.at(-1)?.kind).toBe('finished');
    }
  });

  it('take what is forced without a step of its own, up to their limit', () => {
    const { loop, runner } = start();
    const [rule] = rules(runner, 1);
    if (rule === undefined) throw new Error('no rule');
    const received = loop.submit({ prompt: 'hello', stop: { maxNewTokens: 6 } }, [rule]);
    loop.step();
    rule.forcedNext = [...runner.vocabulary.tokenize('ABCDEFGH', false, false)];
    loop.run();
    expect(received.texts[0]).toMatch(/^[xy]ABCDE$/);
    expect(choices(received)[0]).toMatchObject({ reason: 'length', completionTokens: 6 });
  });
});
