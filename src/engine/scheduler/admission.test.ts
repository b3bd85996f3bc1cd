import { describe, expect, it } from 'vitest';
import { createFakeRunner } from '../../../test/support/fake-runner.js';
import { TestLoop } from '../../../test/support/loop.js';

const PREFIX = 'a system prompt that eight requests have in common, forty eight!';
const ends = ['1', '22', '333', '4444', 'five', 'Sixes', 'seven!', 'eight??'];

function stateOf(loop: TestLoop): { running: number; waiting: number } {
  return { running: loop.loop.running.size, waiting: loop.loop.waiting.length };
}

describe('requests that share a prefix', () => {
  it('compute it once, also when they arrive together', () => {
    const runner = createFakeRunner({ maxSequences: 8, contextPerSequence: 128 });
    const loop = new TestLoop(runner);
    const requests = ends.map((end) => loop.submit({ prompt: PREFIX + end, stop: { maxNewTokens: 4 } }));
    loop.run();
    const prefix = runner.tokenize(PREFIX, false, true).length;
    const own = ends.reduce((sum, end) => sum + runner.tokenize(end, false, true).length, 0);
    // All prefix tokens once, each own end, and every output token but the last.
    expect(runner.counters.decodedTokens).toBe(prefix + own + 8 * 3);
    expect(loop.loop.hits).toEqual({ hitTokens: 7 * prefix, missTokens: prefix + own });
    for (const [i, { texts }] of requests.entries()) {
      const expected = runner.expectGreedy(runner.tokenize(PREFIX + ends[i], false, true), 4);
      expect(texts[0]).toBe(runner.vocabulary.text(expected));
    }
  });

  it('compute it once also when each ends with its first token', () => {
    const runner = createFakeRunner({ maxSequences: 8, contextPerSequence: 128 });
    const loop = new TestLoop(runner);
    for (const end of ends) loop.submit({ prompt: PREFIX + end, stop: { maxNewTokens: 1 } });
    loop.run();
    const length = (text: string): number => runner.tokenize(text, false, true).length;
    expect(runner.counters.decodedTokens).toBe(
      length(PREFIX) + ends.reduce((sum, end) => sum + length(end), 0),
    );
  });

  it('tell how much of each prompt was taken from another', () => {
    const loop = new TestLoop(createFakeRunner({ contextPerSequence: 128 }));
    const requests = ends.slice(0, 3).map((end) => loop.submit({ prompt: PREFIX + end }));
    loop.run();
    const cached = requests.map(
      ({ events }) => events.find((event) => event.kind === 'started')?.cachedTokens,
    );
    const prefix = loop.runner.tokenize(PREFIX, false, true).length;
    expect(cached).toEqual([0, prefix, prefix]);
  });

  it('each compute their own when the cache is off, or when they opt out', () => {
    for (const [options, usePrefixCache] of [
      [{ cacheBytes: 0 }, true],
      [{}, false],
    ] as const) {
      const runner = createFakeRunner({ contextPerSequence: 128 });
      const loop = new TestLoop(runner, options);
      for (const end of ends.slice(0, 4)) loop.submit({ prompt: PREFIX + end, usePrefixCache });
      loop.run();
      expect(loop.loop.hits.hitTokens).toBe(0);
    }
  });

  it('share it also when the cache has no room to keep it', () => {
    const runner = createFakeRunner({ contextPerSequence: 128 });
    const loop = new TestLoop(runner, { cacheBytes: 100 });
    for (const end of ends.slice(0, 4)) loop.submit({ prompt: PREFIX + end });
    loop.run();
    expect(loop.loop.hits.hitTokens).toBe(3 * runner.tokenize(PREFIX, false, true).length);
  });

  it('go on by themselves when the one they wait for is cancelled', () => {
    const runner = createFakeRunner({ contextPerSequence: 128, batchTokens: 8 });
    const loop = new TestLoop(runner);
    const leader = loop.submit({ prompt: `${PREFIX}1` });
    const follower = loop.submit({ prompt: `${PREFIX}22`, stop: { maxNewTokens: 4 } });
    loop.step();
    loop.step();
    expect(stateOf(loop)).toEqual({ running: 1, waiting: 1 });
    loop.loop.cancel(leader.key);
    loop.run();
    const expected = runner.expectGreedy(runner.tokenize(`${PREFIX}22`, false, true), 4);
    expect(follower.texts[0]).toBe(runner.vocabulary.text(expected));
  });

  it('choices of one request share their prompt even without a cache', () => {
    const runner = createFakeRunner({ contextPerSequence: 128 });
    const loop = new TestLoop(runner, { cacheBytes: 0 });
    loop.submit({ prompt: PREFIX, n: 4, stop: { maxNewTokens: 2 }, usePrefixCache: false });
    loop.run();
    const prompt = runner.tokenize(PREFIX, false, true).length;
    // The last token of the prompt gives each choice its first scores.
    expect(runner.counters.decodedTokens).toBe(prompt + 3 + 4);
  });

  it('choices compute their prompts where KV cannot be moved', () => {
    const runner = createFakeRunner({ contextPerSequence: 128, canMoveKv: false });
    const loop = new TestLoop(runner);
    const { texts } = loop.submit({ prompt: PREFIX, n: 2, stop: { maxNewTokens: 3 } });
    loop.run();
    expect(texts[0]).toBe(texts[1]);
    expect(runner.counters.exports).toBe(0);
  });
});

describe('priority', () => {
  it('takes the place of the youngest of lower priority, who comes back with the same output', () => {
    const runner = createFakeRunner({ maxSequences: 2 });
    const loop = new TestLoop(runner);
    const older = loop.submit({ prompt: 'the older one', stop: { maxNewTokens: 20 } });
    const younger = loop.submit({ prompt: 'the younger one', stop: { maxNewTokens: 20 } });
    for (let i = 0; i < 5; i++) loop.step();
    const urgent = loop.submit({ prompt: 'urgent', priority: 1, stop: { maxNewTokens: 3 } });
    loop.step();
    const swapped = loop.loop.waiting.snapshot();
    expect(swapped.map(({ phase, group }) => [phase, group.key])).toEqual([['swapped', younger.key]]);
    for (let i = 0; i < 4; i++) loop.step();
    expect(urgent.isDone).toBe(true);
    expect([older.isDone, younger.isDone]).toEqual([false, false]);
    loop.run();
    for (const [{ texts }, prompt] of [
      [older, 'the older one'],
      [younger, 'the younger one'],
    ] as const) {
      const expected = runner.expectGreedy(runner.tokenize(prompt, false, true), 20);
      expect(texts[0]).toBe(runner.vocabulary.text(expected));
    }
  });

  it('computes again what could not be taken out, or not brought back', () => {
    for (const canMoveKv of [true, false]) {
      const runner = createFakeRunner({ maxSequences: 1, canMoveKv });
      const loop = new TestLoop(runner, { cacheBytes: 0 });
      const patient = loop.submit({ prompt: 'the patient one', stop: { maxNewTokens: 12 } });
      for (let i = 0; i < 4; i++) loop.step();
      const urgent = loop.submit({ prompt: 'urgent', priority: 1, stop: { maxNewTokens: 2 } });
      while (!urgent.isDone) loop.step();
      if (canMoveKv) runner.failNextImport();
      loop.run();
      const expected = runner.expectGreedy(runner.tokenize('the patient one', false, true), 12);
      expect(patient.texts[0]).toBe(runner.vocabulary.text(expected));
      expect(patient.events.filter(({ kind }) => kind === 'started')).toHaveLength(1);
    }
  });

  it('of the same height waits for its turn', () => {
    const loop = new TestLoop(createFakeRunner({ maxSequences: 1 }));
    const first = loop.submit({ prompt: 'first', priority: 1 });
    const second = loop.submit({ prompt: 'second', priority: 1 });
    loop.step();
    expect(stateOf(loop)).toEqual({ running: 1, waiting: 1 });
    while (!first.isDone) loop.step();
    expect(second.events).toEqual([]);
    loop.run();
    expect(second.isDone).toBe(true);
  });

  it('serves who waits in order of priority, then of arrival', () => {
    const loop = new TestLoop(createFakeRunner({ maxSequences: 1 }));
    const order: string[] = [];
    const submit = (name: string, priority: number) => ({
      name,
      request: loop.submit({ prompt: name, priority, stop: { maxNewTokens: 2 } }),
    });
    const all = [submit('a', 0), submit('b', 0), submit('c', 2), submit('d', 1), submit('e', 2)];
    while (loop.loop.hasWork) {
      loop.step();
      for (const { name, request } of all) if (request.isDone && !order.includes(name)) order.push(name);
    }
    expect(order).toEqual(['c', 'e', 'd', 'a', 'b']);
  });

  it('counts a prompt once, however often its request gives way', () => {
    const loop = new TestLoop(createFakeRunner({ maxSequences: 1, batchTokens: 8 }));
    const patient = loop.submit({ prompt: 'a prompt of more than one chunk', stop: { maxNewTokens: 4 } });
    loop.step();
    loop.submit({ prompt: 'urgent', priority: 1, stop: { maxNewTokens: 1 } });
    loop.run();
    const { hitTokens, missTokens } = loop.loop.hits;
    const length = (text: string): number => loop.runner.tokenize(text, false, true).length;
    expect(hitTokens + missTokens).toBe(length('a prompt of more than one chunk') + length('urgent'));
    expect(patient.events.at(-1)).toMatchObject({ kind: 'finished', usage: { cachedTokens: 0 } });
  });
});

describe('one pool of cells', () => {
  const pool = (totalCells: number, maxSequences = 4) =>
    createFakeRunner({ kvLayout: 'unified', totalCells, maxSequences });

  it('lets in only what it has cells for, and the rest in turn', () => {
    const loop = new TestLoop(pool(48));
    const prompt = 'ABCDEFGHIJKLMNOPQRST';
    const requests = [1, 2, 3].map(() =>
      loop.submit({ prompt, usePrefixCache: false, stop: { maxNewTokens: 2 } }),
    );
    loop.step();
    expect(stateOf(loop)).toEqual({ running: 2, waiting: 1 });
    loop.run();
    expect(requests.every(({ isDone }) => isDone)).toBe(true);
  });

  it('that runs out while decoding swaps the youngest out, and all end as if alone', () => {
    const runner = pool(60);
    const loop = new TestLoop(runner);
    const prompts = ['the first prompt', 'second prompt', 'a third'];
    const requests = prompts.map((prompt) => loop.submit({ prompt, stop: { maxNewTokens: 24 } }));
    let swaps = 0;
    while (loop.loop.hasWork) {
      loop.step();
      if (loop.loop.waiting.snapshot().some(({ phase }) => phase === 'swapped')) swaps++;
      expect(loop.places.audit().cells.free).toBeGreaterThanOrEqual(0);
    }
    expect(swaps).toBeGreaterThan(0);
    expect(runner.steps.every(({ outcome }) => outcome === 'ok')).toBe(true);
    for (const [i, { texts }] of requests.entries()) {
      const expected = runner.expectGreedy(runner.tokenize(prompts[i] ?? '', false, true), 24);
      expect(texts[0]).toBe(runner.vocabulary.text(expected));
    }
  });

  it('gives a request all of it', () => {
    const runner = pool(40);
    const loop = new TestLoop(runner);
    const { events } = loop.submit({ prompt: 'ABCDEFGHIJ', stop: { maxNewTokens: 100 } });
    loop.run();
    expect(events.at(-2)).toMatchObject({ kind: 'choice', reason: 'length', completionTokens: 30 });
  });

  it('makes room for a higher priority by more than places', () => {
    const loop = new TestLoop(pool(60));
    loop.submit({ prompt: 'abcdefghijklmnopqrstuvwxyzabcdefghij', stop: { maxNewTokens: 20 } });
    loop.step();
    loop.step();
    const urgent = loop.submit({
      prompt: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ',
      priority: 1,
      stop: { maxNewTokens: 2 },
    });
    loop.step();
    expect(urgent.events[0]?.kind).toBe('started');
    loop.run();
  });

  it('gives up residents before it swaps anybody out', () => {
    const loop = new TestLoop(pool(50));
    loop.text({ prompt: 'abcdefghijklmnopqrst', stop: { maxNewTokens: 5 } });
    expect(loop.places.audit().cells.cached).toBeGreaterThan(20);
    loop.submit({ prompt: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', stop: { maxNewTokens: 15 } });
    while (loop.loop.hasWork) {
      loop.step();
      expect(loop.loop.waiting.length).toBe(0);
    }
  });
});
