import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { FAKE_ENGINE_OPTIONS } from '../../../test/support/engine-options.js';
import { createFakeRunner, type FakeRunnerOptions } from '../../../test/support/fake-runner.js';
import { NEUTRAL_OUTPUT, NEUTRAL_SAMPLING, NEUTRAL_STOP } from '../../protocol/index.js';
import type { EngineOptions } from '../options.js';
import { EngineHost } from './host.js';
import type { FromEngine, PromptInput, Submission, WireEvent } from './messages.js';

const { seed: _, ...SAMPLING } = NEUTRAL_SAMPLING;

function submission(
  key: number,
  prompt: string | PromptInput,
  changes: Partial<Submission> = {},
): Submission {
  return {
    key,
    id: `r${key}`,
    prompt:
      typeof prompt === 'string'
        ? { kind: 'text', text: prompt, addSpecial: false, parseSpecial: false }
        : prompt,
    sampling: { ...SAMPLING, temperature: 0 },
    stop: { ...NEUTRAL_STOP, maxNewTokens: 4 },
    output: { ...NEUTRAL_OUTPUT, stream: true },
    n: 1,
    bestOf: 1,
    priority: 0,
    usePrefixCache: true,
    markers: [],
    ...changes,
  };
}

/** A host whose messages are kept; what crosses the channel is what JSON leaves of it. */
class TestHost {
  readonly messages: FromEngine[] = [];
  readonly host: EngineHost;
  readonly runner;

  constructor(runnerOptions: FakeRunnerOptions = {}, options: Partial<EngineOptions> = {}) {
    this.runner = createFakeRunner(runnerOptions);
    this.host = new EngineHost({
      runner: this.runner,
      facts: this.runner.facts,
      options: { ...FAKE_ENGINE_OPTIONS, ...options },
      maxEmbedTokens: 32,
      librarySource: 'a table',
      send: (message) => this.messages.push(JSON.parse(JSON.stringify(message))),
    });
    this.host.start();
  }

  eventsOf(key: number): WireEvent[] {
    return this.messages.flatMap((message) =>
      message.kind === 'step'
        ? [
            ...message.texts
              .filter(([of]) => of === key)
              .map(([, choice, text]): WireEvent => ({ kind: 'delta', choice, text })),
            ...message.events.filter(([of]) => of === key).map(([, event]) => event),
          ]
        : [],
    );
  }

  /** Lets turns pass until the condition holds. */
  async until(isReached: () => boolean): Promise<void> {
    for (let turn = 0; !isReached(); turn++) {
      if (turn === 2000) throw new Error('it did not come');
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  isDone(key: number): boolean {
    return this.eventsOf(key).some(({ kind }) => kind === 'finished' || kind === 'failed');
  }
}

describe('the host of a model', () => {
  it('announces the model and that nothing runs', () => {
    const { messages } = new TestHost();
    expect(messages[1]).toMatchObject({
      kind: 'ready',
      runner: { contextTokens: 64, maxSequences: 4, maxEmbedTokens: 32 },
    });
    expect(messages[0]).toMatchObject({ kind: 'status', status: { running: 0, kvCells: { total: 256 } } });
  });

  it('runs what is submitted, and then tells that it is idle', async () => {
    const it = new TestHost();
    it.host.receive({ kind: 'submit', submission: submission(1, 'hello') });
    it.host.receive({ kind: 'submit', submission: submission(2, 'world') });
    await it.until(() => it.isDone(1) && it.isDone(2));
    for (const key of [1, 2]) {
      const kinds = it.eventsOf(key).map(({ kind }) => kind);
      expect(kinds[0]).toBe('started');
      expect(kinds.slice(-2)).toEqual(['choice', 'finished']);
      expect(new Set(kinds.slice(1, -2))).toEqual(new Set(['delta']));
    }
    const steps = it.messages.filter(({ kind }) => kind === 'step');
    expect(steps.at(-1)).toMatchObject({ status: { running: 0, waiting: 0, steps: 4 } });
  });

  it('sends first tokens and ends at once, and what comes between together', async () => {
    // Time stands still: nothing becomes due by itself.
    vi.useFakeTimers({ toFake: ['performance'] }).advanceTimersByTime(1000);
    onTestFinished(() => void vi.useRealTimers());
    const it = new TestHost();
    const stop = { ...NEUTRAL_STOP, maxNewTokens: 40, ignoreEos: true };
    it.host.receive({ kind: 'submit', submission: submission(1, 'hello', { stop }) });
    await it.until(() => it.isDone(1));
    const kinds = it.messages.map((message) =>
      message.kind === 'step' ? [...message.texts, ...message.events].length : 0,
    );
    expect(it.eventsOf(1).map(({ kind }) => kind)).toEqual([
      'started',
      'delta',
      'delta',
      'choice',
      'finished',
    ]);
    expect(kinds.filter((events) => events > 0)).toEqual([2, 3]);
    expect(it.runner.counters.decodes).toBe(40);
  });

  it('sends what runs on as time passes', async () => {
    vi.useFakeTimers({ toFake: ['performance'] }).advanceTimersByTime(1000);
    onTestFinished(() => void vi.useRealTimers());
    const it = new TestHost({ onDecode: () => void vi.advanceTimersByTime(5) });
    const stop = { ...NEUTRAL_STOP, maxNewTokens: 40, ignoreEos: true };
    it.host.receive({ kind: 'submit', submission: submission(1, 'hello', { stop }) });
    await it.until(() => it.isDone(1));
    const deltas = it.eventsOf(1).filter(({ kind }) => kind === 'delta');
    // One for the first token, then one for every four steps of 5 ms.
    expect(deltas).toHaveLength(1 + 39 / 4 + 0.25);
  });

  it('refuses bad submissions one by one and goes on', async () => {
    const it = new TestHost();
    const bad: (string | PromptInput)[] = [
      '',
      'x'.repeat(64),
      { kind: 'tokens', tokens: [1, 1e9] },
      { kind: 'tokens', tokens: [] },
      { kind: 'infill', prefix: 'a', suffix: 'b' },
    ];
    for (const [key, prompt] of bad.entries())
      it.host.receive({ kind: 'submit', submission: submission(key, prompt) });
    it.host.receive({ kind: 'submit', submission: submission(99, 'fine') });
    await it.until(() => it.isDone(99));
    const codes = bad
      .map((_prompt, key) => it.eventsOf(key))
      .map(([event]) => event?.kind === 'failed' && event.failure.code);
    expect(codes).toEqual([
      'invalid_request',
      'too_long',
      'invalid_request',
      'invalid_request',
      'unsupported',
    ]);
    expect(it.eventsOf(99).at(-1)?.kind).toBe('finished');
  });

  it('generates nothing with a model that cannot', async () => {
    const it = new TestHost({ facts: { canGenerate: false } });
    it.host.receive({ kind: 'submit', submission: submission(1, 'hello') });
    await it.until(() => it.isDone(1));
    expect(it.eventsOf(1)).toMatchObject([{ kind: 'failed', failure: { code: 'unsupported' } }]);
  });

  it('stops what is cancelled before the next step', async () => {
    const it = new TestHost();
    it.host.receive({
      kind: 'submit',
      submission: submission(1, 'hello', { stop: { ...NEUTRAL_STOP, maxNewTokens: 50 } }),
    });
    await it.until(() => it.eventsOf(1).length > 0);
    it.host.receive({ kind: 'cancel', key: 1 });
    const decodes = it.runner.counters.decodes;
    await it.until(
      () =>
        it.messages.at(-1)?.kind === 'step' &&
        (it.messages.at(-1) as { status?: { running: number } }).status?.running === 0,
    );
    expect(it.runner.counters.decodes).toBe(decodes);
    expect(it.isDone(1)).toBe(false);
  });

  it('answers questions at once and embeddings beside the steps', async () => {
    const it = new TestHost();
    it.host.receive({
      kind: 'submit',
      submission: submission(1, 'hello', { stop: { ...NEUTRAL_STOP, maxNewTokens: 20 } }),
    });
    it.host.receive({
      kind: 'query',
      key: 2,
      query: { kind: 'tokenize', text: 'hi', addSpecial: true, parseSpecial: false },
    });
    expect(it.messages.at(-1)).toMatchObject({
      kind: 'answer',
      key: 2,
      result: { spans: [{ id: 1 }, {}, {}] },
    });
    it.host.receive({
      kind: 'query',
      key: 3,
      query: { kind: 'detokenize', tokens: [-4], showSpecial: false },
    });
    expect(it.messages.at(-1)).toMatchObject({
      kind: 'refused',
      key: 3,
      failure: { code: 'invalid_request' },
    });
    const embed = { kind: 'embed', inputs: ['a'], normalize: true, truncate: false } as const;
    it.host.receive({ kind: 'query', key: 4, query: embed });
    it.host.receive({ kind: 'query', key: 5, query: { ...embed, inputs: ['x'.repeat(99)] } });
    expect(it.messages.at(-1)).toMatchObject({ kind: 'refused', key: 5, failure: { code: 'too_long' } });
    it.host.receive({ kind: 'query', key: 6, query: embed });
    it.host.receive({ kind: 'cancel-query', key: 6 });
    await it.until(() => it.isDone(1));
    expect(it.messages.some((message) => message.kind === 'answer' && message.key === 4)).toBe(true);
    expect(it.messages.some((message) => message.kind === 'answer' && message.key === 6)).toBe(false);
  });

  it('without a budget keeps no prefixes', async () => {
    const it = new TestHost({}, { prefixCacheBytes: 0 });
    it.host.receive({ kind: 'submit', submission: submission(1, 'hello') });
    await it.until(() => it.isDone(1));
    const last = it.messages.findLast(({ kind }) => kind === 'step');
    expect(last).toMatchObject({ status: { prefixCache: { budgetBytes: 0, usedBytes: 0 } } });
  });

  it('ends its model', () => {
    const it = new TestHost();
    it.host.dispose();
    expect(it.runner.isDisposed).toBe(true);
  });
});
