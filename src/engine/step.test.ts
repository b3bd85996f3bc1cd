import { describe, expect, it } from 'vitest';
import { createFakeRunner, type FakeRunnerOptions } from '../../test/support/fake-runner.js';
import { type LoopRequest, type Received, TestLoop } from '../../test/support/loop.js';
import { TextMatcher } from '../../test/support/text-matcher.js';

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

/** Runs one request alone on a model that follows a script. */
function say(text: string, request: Partial<LoopRequest> = {}, then: 'end' | 'table' = 'end') {
  const { loop } = start({ script: [{ after: 'Q', say: text, then }], contextPerSequence: 96 });
  const received = loop.submit({ prompt: 'Q', ...request, stop: { maxNewTokens: 40, ...request.stop } });
  loop.run();
  return { text: received.texts[0] ?? '', choice: choices(received)[0], received };
}

describe('the end of a sequence', () => {
  it('is the model’s own end', () => {
    expect(say('Hello')).toMatchObject({ text: 'Hello', choice: { reason: 'eos', completionTokens: 2 } });
  });

  it('shows the token that ends it only when special tokens are asked for', () => {
    expect(say('Hello', { output: { specialTokens: true } }).text).toBe('Hello<eos>');
  });

  it('is a limit of new tokens', () => {
    expect(say('Hello wor', { stop: { maxNewTokens: 2 } })).toMatchObject({
      text: 'Hello wor',
      choice: { reason: 'length', completionTokens: 2 },
    });
  });

  it('comes at once when no new tokens are wanted', () => {
    const { text, choice, received } = say('Hello', { stop: { maxNewTokens: 0 } });
    expect([text, choice]).toMatchObject(['', { reason: 'length', completionTokens: 0 }]);
    expect(kinds(received)).toEqual(['started', 'choice', 'finished']);
  });

  it('is the context: a prompt that leaves one token gets one', () => {
    const { loop } = start({ contextPerSequence: 16 });
    const received = loop.submit({ prompt: 'ABCDEFGHIJKLMNO', stop: { maxNewTokens: 9 } });
    loop.run();
    expect(choices(received)[0]).toMatchObject({ reason: 'length', completionTokens: 1 });
    expect(() => loop.submit({ prompt: 'ABCDEFGHIJKLMNOP' })).toThrow('the prompt has 16 tokens');
  });

  it('is a stop token, which is no part of the text', () => {
    const { loop, runner } = start({ script: [{ after: 'Q', say: 'Hello world' }] });
    const received = loop.submit({ prompt: 'Q', stop: { stopTokens: [runner.vocabulary.id(' wor')] } });
    loop.run();
    expect(received.texts[0]).toBe('Hello');
    expect(choices(received)[0]).toMatchObject({ reason: 'stop_sequence', completionTokens: 2 });
    expect(choices(received)[0]).not.toHaveProperty('stopText');
  });

  it('is a stop string, also across tokens, and nothing of it is ever shown', () => {
    const { text, choice, received } = say('Hello worldly', { stop: { stopStrings: ['o world'] } });
    expect(text).toBe('Hell');
    expect(choice).toMatchObject({ reason: 'stop_sequence', stopText: 'o world', completionTokens: 3 });
    const shown = received.events.flatMap((event) => (event.kind === 'delta' ? [event.text] : []));
    expect(shown).toEqual(['Hell']);
  });

  it('keeps the stop string when that is asked for', () => {
    expect(say('Hello worldly', { stop: { stopStrings: ['o wo'], keepStopText: true } }).text).toBe(
      'Hello wor',
    );
  });

  it('releases what was held back when the stop string does not come', () => {
    expect(say('stop the', { stop: { stopStrings: ['the end'] } })).toMatchObject({
      text: 'stop the',
      choice: { reason: 'eos' },
    });
    expect(say('stop the', { stop: { stopStrings: ['the end'], maxNewTokens: 2 } }).choice).toMatchObject({
      reason: 'length',
    });
  });

  it('is not the model’s own when that is ignored', () => {
    const { text, choice } = say('Hello', { stop: { ignoreEos: true, maxNewTokens: 12 } });
    expect(choice).toMatchObject({ reason: 'length', completionTokens: 12 });
    expect(text.startsWith('Hello')).toBe(true);
    expect(text).not.toContain('<eos>');
  });

  it('does not come before the least number of tokens, except by a stop string', () => {
    const { choice } = say('Hi', { stop: { minNewTokens: 10 } });
    expect(choice?.completionTokens).toBeGreaterThanOrEqual(10);
    expect(say('Hi', { stop: { minNewTokens: 10, stopStrings: ['i'] } })).toMatchObject({
      text: 'H',
      choice: { reason: 'stop_sequence', completionTokens: 2 },
    });
  });

  it('holds stop tokens off too before the least number of tokens', () => {
    const { loop, runner } = start({ script: [{ after: 'Q', say: 'abthe' }] });
    const stop = { stopTokens: [runner.vocabulary.id('ab')], minNewTokens: 3 };
    const received = loop.submit({ prompt: 'Q', stop });
    loop.run();
    expect(choices(received)[0]?.completionTokens).toBeGreaterThanOrEqual(3);
  });
});

describe('events', () => {
  it('of a request begin with its start and end once', () => {
    const { loop } = start();
    const received = loop.submit({ prompt: 'hello', stop: { maxNewTokens: 3 } });
    loop.run();
    expect(kinds(received)).toEqual(['started', 'delta', 'delta', 'delta', 'choice', 'finished']);
    expect(received.events.at(-1)).toMatchObject({
      usage: { promptTokens: 5, cachedTokens: 0, completionTokens: 3 },
    });
  });

  it('carry all text at the end when nobody watches', () => {
    const { loop } = start();
    const watched = loop.text({ prompt: 'hello', stop: { maxNewTokens: 8 } });
    const received = loop.submit({ prompt: 'hello', output: { stream: false }, stop: { maxNewTokens: 8 } });
    loop.run();
    expect(kinds(received)).toEqual(['started', 'delta', 'choice', 'finished']);
    expect(received.texts[0]).toBe(watched);
  });

  it('count all choices of a request', () => {
    const { loop } = start();
    const received = loop.submit({ prompt: 'hello', n: 3, stop: { maxNewTokens: 4 } });
    loop.run();
    expect(choices(received).map(({ choice }) => choice)).toEqual([0, 1, 2]);
    expect(received.events.at(-1)).toMatchObject({ usage: { promptTokens: 5, completionTokens: 12 } });
  });

  it('tell times that add up', () => {
    const { loop } = start({ maxSequences: 1 });
    loop.submit({ prompt: 'hello' });
    const received = loop.submit({ prompt: 'hello' });
    loop.run();
    const last = received.events.at(-1);
    if (last?.kind !== 'finished') throw new Error('it did not finish');
    for (const ms of Object.values(last.timings)) expect(ms).toBeGreaterThanOrEqual(0);
    expect(last.timings.queueMs).toBeGreaterThan(0);
  });
});

describe('a prompt', () => {
  it('longer than a step is computed in chunks, while others go on', () => {
    const { loop, runner } = start({ batchTokens: 8, contextPerSequence: 64 });
    const first = loop.submit({ prompt: 'AB', stop: { maxNewTokens: 30 } });
    loop.step();
    const long = 'ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQRSTUVWXYZ';
    const second = loop.submit({ prompt: long, stop: { maxNewTokens: 4 } });
    for (let i = 0; i < 6; i++) {
      const before = first.texts[0]?.length ?? 0;
      // The two kinds of steps take turns.
      loop.step();
      loop.step();
      expect(first.texts[0]?.length).toBeGreaterThan(before);
    }
    loop.run();
    const expected = runner.expectGreedy(runner.tokenize(long, false, true), 4);
    expect(second.texts[0]).toBe(runner.vocabulary.text(expected));
    expect(Math.max(...runner.steps.map(({ tokens }) => tokens))).toBe(8);
  });

  it('asks for scores only where a token will be picked', () => {
    const { loop, runner } = start();
    loop.text({ prompt: 'ABCDEFGH', stop: { maxNewTokens: 3 } });
    expect(runner.steps.map(({ parts }) => parts.map(({ rows }) => rows))).toEqual([[1], [1], [1]]);
  });

  it('may have embedding rows beside its tokens', () => {
    const { loop, runner } = start();
    const rows = (seed: number): string =>
      Buffer.from(new Float32Array(3 * 8).fill(seed).buffer).toString('base64');
    const ask = (seed: number): Received =>
      loop.submit({
        prompt: {
          kind: 'segments',
          segments: [
            { kind: 'text', text: 'before ' },
            { kind: 'rows', count: 3, rows: rows(seed) },
            { kind: 'text', text: ' after' },
          ],
        },
        sampling: { repetitionPenalty: 1.1, penaltyScope: 'all' },
        stop: { maxNewTokens: 6 },
      });
    const [one, same, other] = [ask(0.5), ask(0.5), ask(-0.5)];
    loop.run();
    expect(runner.steps.filter(({ kind }) => kind === 'rows').length).toBeGreaterThanOrEqual(2);
    expect(one?.texts[0]).toBe(same?.texts[0]);
    expect(one?.texts[0]).not.toBe(other?.texts[0]);
    expect(one?.events.at(-1)).toMatchObject({ usage: { promptTokens: 17 } });
  });

  it('may end with embedding rows', () => {
    const { loop } = start({ batchTokens: 8 });
    const rows = Buffer.from(new Float32Array(12 * 8).fill(0.25).buffer).toString('base64');
    const received = loop.submit({
      prompt: {
        kind: 'segments',
        segments: [
          { kind: 'text', text: 'x' },
          { kind: 'rows', count: 12, rows },
        ],
      },
      stop: { maxNewTokens: 4 },
    });
    loop.run();
    expect(choices(received)[0]).toMatchObject({ reason: 'length', completionTokens: 4 });
  });
});

describe('seeds', () => {
  const sampled = { temperature: 1, seed: '42' } as const;

  it('give the same tokens whatever else is in the batch', () => {
    const { loop } = start({ maxSequences: 4 });
    const alone = loop.text({ prompt: 'tell me', sampling: sampled });
    const others = ['a', 'b', 'c'].map((prompt) => loop.submit({ prompt, sampling: { temperature: 1 } }));
    const again = loop.submit({ prompt: 'tell me', sampling: sampled });
    loop.run();
    expect(again.texts[0]).toBe(alone);
    expect(others.every(({ isDone }) => isDone)).toBe(true);
  });

  it('differ between the choices of a request, and are told', () => {
    const { loop } = start();
    const received = loop.submit({ prompt: 'tell me', n: 3, sampling: sampled });
    loop.run();
    expect(new Set(received.texts).size).toBe(3);
    const seeds = choices(received).map(({ seed }) => seed);
    expect(seeds[0]).toBe('42');
    expect(new Set(seeds).size).toBe(3);
    const third = loop.submit({ prompt: 'tell me', sampling: { temperature: 1, seed: seeds[2] ?? '' } });
    loop.run();
    expect(third.texts[0]).toBe(received.texts[2]);
  });

  it('are drawn when none is given, and not told of greedy decoding', () => {
    const { loop } = start();
    const [one, two] = [1, 2].map(() => loop.submit({ prompt: 'tell me', sampling: { temperature: 1 } }));
    const greedy = loop.submit({ prompt: 'tell me' });
    loop.run();
    expect(one?.texts[0]).not.toBe(two?.texts[0]);
    expect(greedy.events.find(({ kind }) => kind === 'choice')).not.toHaveProperty('seed');
  });
});

describe('adapters', () => {
  it('are never in one step with each other, and each gives its own output', () => {
    const { loop, runner } = start({ adapters: ['red', 'blue'], maxSequences: 4 });
    const prompt = 'a prompt that all of them share, and not a short one';
    const names = ['red', 'blue', undefined, 'red'];
    const requests = names.map((adapter) =>
      loop.submit({ prompt, stop: { maxNewTokens: 6 }, ...(adapter === undefined ? {} : { adapter }) }),
    );
    const placeOf = new Map<number, string | null>();
    while (loop.loop.hasWork) {
      loop.step();
      for (const { place, group } of loop.loop.running.all()) placeOf.set(place, group.adapter);
      const last = runner.steps.at(-1);
      for (const { sequence } of last?.parts ?? []) {
        if (placeOf.has(sequence)) expect(placeOf.get(sequence)).toBe(last?.adapter);
      }
    }
    expect(new Set(runner.steps.map(({ adapter }) => adapter))).toEqual(new Set(['red', 'blue', null]));
    for (const [i, { texts }] of requests.entries()) {
      const expected = runner.expectGreedy(runner.tokenize(prompt, false, true), 6, names[i] ?? null);
      expect(texts[0]).toBe(runner.vocabulary.text(expected));
    }
  });

  it('never take a prefix from each other while it is computed, also without room in the cache', () => {
    const { loop, runner } = start({ adapters: ['red'], contextPerSequence: 128 }, 100);
    const prompt = 'a prompt that both of them share, word by word, and long enough to wait for';
    const requests = [undefined, 'red'].map((adapter) =>
      loop.submit({ prompt, stop: { maxNewTokens: 4 }, ...(adapter === undefined ? {} : { adapter }) }),
    );
    loop.run();
    for (const [i, { texts }] of requests.entries()) {
      const expected = runner.expectGreedy(runner.tokenize(prompt, false, true), 4, i === 0 ? null : 'red');
      expect(texts[0]).toBe(runner.vocabulary.text(expected));
    }
  });

  it('never share a prefix', () => {
    const { loop, runner } = start({ adapters: ['red'] });
    const prompt = 'a prompt that both of them share, word by word';
    loop.text({ prompt });
    const other = loop.submit({ prompt, adapter: 'red' });
    loop.run();
    expect(other.events.at(-1)).toMatchObject({ usage: { cachedTokens: 0 } });
    const again = loop.submit({ prompt, adapter: 'red' });
    loop.run();
    expect(again.events.at(-1)).toMatchObject({
      usage: { cachedTokens: runner.tokenize(prompt, false, true).length - 1 },
    });
  });
});

describe('cancellation', () => {
  it('frees the place before the next step and says nothing more', () => {
    const { loop, runner } = start({ maxSequences: 1 });
    const received = loop.submit({ prompt: 'hello', stop: { maxNewTokens: 30 } });
    const next = loop.submit({ prompt: 'after', stop: { maxNewTokens: 2 } });
    loop.step();
    loop.step();
    const before = received.events.length;
    loop.loop.cancel(received.key);
    expect(loop.places.audit()).toMatchObject({ running: 0 });
    loop.step();
    expect(next.events[0]?.kind).toBe('started');
    loop.run();
    expect(received.events).toHaveLength(before);
    expect(runner.steps.at(-1)?.parts).toHaveLength(1);
  });

  it('takes every choice along, wherever it stands', () => {
    const { loop } = start({ maxSequences: 2 });
    const group = loop.submit({ prompt: 'hello there', n: 4, stop: { maxNewTokens: 30 } });
    for (let i = 0; i < 4; i++) loop.step();
    loop.submit({ prompt: 'urgent', priority: 1, stop: { maxNewTokens: 8 } });
    loop.step();
    expect(loop.loop.waiting.snapshot().map(({ phase }) => phase)).toEqual(['swapped', 'waiting', 'waiting']);
    loop.loop.cancel(group.key);
    expect(loop.loop.waiting.length).toBe(0);
    expect(loop.loop.groups).toBe(1);
    loop.run();
    expect(loop.loop.groups).toBe(0);
    expect(loop.places.audit()).toMatchObject({ running: 0 });
  });

  it('of what has ended or never was changes nothing', () => {
    const { loop } = start();
    const received = loop.submit({ prompt: 'hello', stop: { maxNewTokens: 2 } });
    loop.run();
    loop.loop.cancel(received.key);
    loop.loop.cancel(999);
    expect(loop.loop.hasWork).toBe(false);
  });

  it('after one choice has ended leaves its place alone', () => {
    const { loop, runner } = start({ maxSequences: 2 });
    const stop = { stopTokens: [] as number[], maxNewTokens: 40 };
    const sampling = { temperature: 1, seed: '1' };
    const group = loop.submit({ prompt: 'hello', n: 2, sampling, stop: { ...stop, stopStrings: ['e'] } });
    while (choices(group).length === 0) loop.step();
    loop.loop.cancel(group.key);
    expect(loop.places.audit()).toMatchObject({ running: 0 });
    expect(loop.text({ prompt: 'next', stop: { maxNewTokens: 3 } })).toBe(
      runner.vocabulary.text(runner.expectGreedy(runner.tokenize('next', false, true), 3)),
    );
  });
});

describe('a decode that fails', () => {
  it('ends what was in it, and nothing of its KV is used again', () => {
    const { loop, runner } = start({ maxSequences: 3, batchTokens: 32 });
    const prompt = 'a prompt of a certain length, repeated';
    const first = loop.submit({ prompt });
    loop.step();
    loop.step();
    runner.failNext('failed');
    loop.step();
    expect(failure(first)).toMatchObject({ code: 'internal' });
    expect(loop.places.audit()).toMatchObject({ empty: 3, running: 0 });
    const again = loop.submit({ prompt, stop: { maxNewTokens: 3 } });
    loop.run();
    const expected = runner.expectGreedy(runner.tokenize(prompt, false, true), 3);
    expect(again.texts[0]).toBe(runner.vocabulary.text(expected));
    expect(again.events.at(-1)).toMatchObject({ usage: { cachedTokens: 0 } });
  });

  it('fails every choice of a request, once', () => {
    const { loop, runner } = start({ maxSequences: 2 });
    const group = loop.submit({ prompt: 'hello', n: 3 });
    loop.step();
    runner.failNext('failed');
    loop.step();
    expect(kinds(group).filter((kind) => kind === 'failed')).toHaveLength(1);
    expect(loop.loop.hasWork).toBe(false);
  });

  it('leaves the requests of other adapters alone', () => {
    const { loop, runner } = start({ adapters: ['red'] });
    const plain = loop.submit({ prompt: 'hello', stop: { maxNewTokens: 5 } });
    const red = loop.submit({ prompt: 'hello', adapter: 'red', stop: { maxNewTokens: 5 } });
    runner.failNext('failed');
    loop.run();
    expect([failure(plain)?.code, failure(red)?.code].filter(Boolean)).toEqual(['internal']);
  });
});

describe('a decode without space', () => {
  it('is tried again with fewer sequences, which come back', () => {
    const { loop, runner } = start({ kvLayout: 'unified', totalCells: 200, maxSequences: 3 });
    const prompts = ['the first', 'the second', 'the third'];
    const requests = prompts.map((prompt) => loop.submit({ prompt, stop: { maxNewTokens: 10 } }));
    for (let i = 0; i < 3; i++) loop.step();
    runner.failNext('no-space', 2);
    loop.run();
    for (const [i, { texts }] of requests.entries()) {
      const expected = runner.expectGreedy(runner.tokenize(prompts[i] ?? '', false, true), 10);
      expect(texts[0]).toBe(runner.vocabulary.text(expected));
    }
  });

  it('ends one alone where it stands', () => {
    const { loop, runner } = start();
    const received = loop.submit({ prompt: 'hello', stop: { maxNewTokens: 10 } });
    loop.step();
    loop.step();
    runner.failNext('no-space');
    loop.run();
    expect(choices(received)[0]).toMatchObject({ reason: 'length', completionTokens: 2 });
    expect(kinds(received).at(-1)).toBe('finished');
  });

  it('fails one alone whose prompt does not fit', () => {
    const { loop, runner } = start();
    const received = loop.submit({ prompt: 'hello' });
    runner.failNext('no-space');
    loop.run();
    expect(failure(received)?.code).toBe('internal');
  });

  it('that never ends does not go on for ever', () => {
    const { loop, runner } = start({ maxSequences: 3 });
    const requests = ['a', 'b', 'c'].map((prompt) => loop.submit({ prompt, stop: { maxNewTokens: 5 } }));
    runner.failNext('no-space', 1000);
    loop.run(200);
    expect(requests.every(({ isDone }) => isDone)).toBe(true);
  });
});

describe('a decode alone that has no space once', () => {
  const beside = () => {
    const { loop, runner } = start();
    loop.text({ prompt: 'something that stays', stop: { maxNewTokens: 2 } });
    return { loop, runner };
  };

  it('is tried again in the room that residents leave: a prompt', () => {
    const { loop, runner } = beside();
    const received = loop.submit({ prompt: 'hello', stop: { maxNewTokens: 3 } });
    runner.failNext('no-space');
    loop.run();
    expect(kinds(received).at(-1)).toBe('finished');
  });

  it('is tried again in the room that residents leave: a stream', () => {
    const { loop, runner } = beside();
    const received = loop.submit({ prompt: 'hello', stop: { maxNewTokens: 8 } });
    loop.step();
    loop.step();
    runner.failNext('no-space');
    loop.run();
    expect(received.events.at(-1)).toMatchObject({ usage: { completionTokens: 8 } });
  });
});

describe('text in front of a special token that is shown', () => {
  it.each([
    ['stop the<|user|>ab', 'stop the<|user|>ab<eos>'],
    ['stop the', 'stop the<eos>'],
    ['stop <|user|> the end', 'stop <|user|> '],
  ])('comes first, also where it may begin a stop string: %s', (say, shown) => {
    const { loop } = start({ script: [{ after: 'Q', say }] });
    const stop = { maxNewTokens: 20, stopStrings: ['the end'] };
    expect(loop.text({ prompt: 'Q', stop, output: { specialTokens: true } })).toBe(shown);
  });
});

describe('an engine that shares no prefixes', () => {
  it('computes the same prompt anew, and the choices of one request only once', () => {
    const { loop, runner } = start({}, 0);
    const prompt = 'a prompt that is much the same as it was before, word for word';
    for (let i = 0; i < 2; i++) {
      const received = loop.submit({ prompt, n: 2, stop: { maxNewTokens: 3 } });
      loop.run();
      expect(received.events[0]).toMatchObject({ kind: 'started', cachedTokens: 0 });
    }
    expect(runner.usedCells()).toBe(0);
    const prefills = runner.steps.flatMap(({ parts }) => parts).filter(({ count }) => count > 1);
    expect(prefills.reduce((sum, { count }) => sum + count, 0)).toBe(
      2 * runner.tokenize(prompt, false, false).length,
    );
  });
});

describe('a model that computes no numbers', () => {
  it('fails the request, and says that it is not its fault', () => {
    const { loop, runner } = start();
    const row = new Float32Array(runner.info.vocabSize).fill(Number.NaN);
    runner.logits = () => row;
    const received = loop.submit({ prompt: 'hello', stop: { maxNewTokens: 3 } });
    loop.run();
    expect(failure(received)).toMatchObject({
      code: 'internal',
      message: 'the model computed no numbers: its file may be damaged',
    });
  });
});

describe('a text that cannot fit', () => {
  it('is refused before it is tokenized', () => {
    const { loop, runner } = start();
    let tokenized = 0;
    const tokenize = runner.tokenize.bind(runner);
    runner.tokenize = (...given) => {
      tokenized++;
      return tokenize(...given);
    };
    expect(() => loop.submit({ prompt: 'x'.repeat(3_000_000) })).toThrow(/tokens or more; the context holds/);
    expect(tokenized).toBe(0);
  });
});

describe('a shared pool', () => {
  it('has room for forced tokens although residents fill it', () => {
    const { loop, runner } = start({ kvLayout: 'unified', totalCells: 40, maxSequences: 4 });
    // Leaves 31 of 40 cells behind.
    loop.text({ prompt: 'x'.repeat(30), stop: { maxNewTokens: 2 } });
    const matcher = new TextMatcher(runner.vocabulary, ['{"name": "abc"}'], { forces: true });
    const received = loop.submit({ prompt: 'call', stop: { maxNewTokens: 30 } }, [matcher]);
    loop.run(200);
    expect(received.texts[0]).toBe('{"name": "abc"}');
  });

  it('takes of a cached run what is wanted, where there is no room for all of it', () => {
    const { loop } = start({ kvLayout: 'unified', totalCells: 60, maxSequences: 4, batchTokens: 64 });
    const shared = 'ABCDEFGHIJKLMNOPQRST';
    loop.text({ prompt: shared + 'x'.repeat(24), stop: { maxNewTokens: 1 } });
    loop.text({ prompt: 'y'.repeat(40), stop: { maxNewTokens: 1 } });
    loop.submit({ prompt: 'z'.repeat(25), stop: { maxNewTokens: 6 } });
    loop.step();
    const again = loop.submit({ prompt: `${shared}w`, stop: { maxNewTokens: 2 } });
    loop.run();
    expect(again.events[0]).toMatchObject({ kind: 'started', cachedTokens: 20 });
  });
});

describe('embedding rows', () => {
  it('are computed as rows also when they are caught up with beside others', () => {
    const rows = Buffer.from(new Float32Array(2 * 8).fill(0.5).buffer).toString('base64');
    const prompt = { kind: 'segments', segments: [{ kind: 'rows', rows, count: 2 }] } as const;
    const { loop } = start({ maxSequences: 6, canMoveKv: false, contextPerSequence: 100 }, 0);
    for (let i = 0; i < 5; i++) loop.submit({ prompt: `p${i}`, stop: { maxNewTokens: 40 } });
    loop.step();
    loop.step();
    const low = loop.submit({ prompt, priority: -1, stop: { maxNewTokens: 10 } });
    loop.step();
    loop.step();
    // Takes its place away, and leaves it soon.
    loop.submit({ prompt: 'hi', priority: 1, stop: { maxNewTokens: 2 } });
    loop.run();
    const alone = start({ maxSequences: 1, contextPerSequence: 100 }).loop;
    expect(low.texts[0]).toBe(alone.text({ prompt, stop: { maxNewTokens: 10 } }));
  });
});

describe('a request that no token may continue', () => {
  it('fails once, whatever the number of its choices, and frees its places', () => {
    const { loop, runner } = start();
    const all = Array.from({ length: runner.info.vocabSize }, (_, id) => [id, -Infinity] as const);
    const other = loop.submit({ prompt: 'other', stop: { maxNewTokens: 4 } });
    const received = loop.submit({ prompt: 'hello', n: 3, sampling: { logitBias: all } });
    loop.run();
    expect(kinds(received)).toEqual(['started', 'failed']);
    expect(failure(received)?.code).toBe('constraint');
    expect(other.events.at(-1)?.kind).toBe('finished');
    expect(loop.places.audit()).toMatchObject({ running: 0 });
  });

  it('leaves its places fit for others', () => {
    const { loop, runner } = start();
    const all = Array.from({ length: runner.info.vocabSize }, (_, id) => [id, -Infinity] as const);
    loop.submit({ prompt: 'hello', n: 4, sampling: { logitBias: all } });
    loop.run();
    const prompts = ['one', 'two', 'three', 'hello'];
    const requests = prompts.map((prompt) => loop.submit({ prompt, stop: { maxNewTokens: 3 } }));
    loop.run();
    for (const [i, { texts }] of requests.entries()) {
      const expected = runner.expectGreedy(runner.tokenize(prompts[i] ?? '', false, true), 3);
      expect(texts[0]).toBe(runner.vocabulary.text(expected));
    }
  });

  it('a ban that came as null, which is what JSON makes of minus infinity, bans', () => {
    const { loop, runner } = start();
    const [first] = runner.expectGreedy(runner.tokenize('hello', false, true), 1);
    const logitBias = JSON.parse(JSON.stringify([[first, -Infinity]]));
    const received = loop.submit({ prompt: 'hello', sampling: { logitBias }, output: { tokens: true } });
    loop.run();
    const ids = received.events.flatMap((event) => (event.kind === 'delta' ? (event.tokens ?? []) : []));
    expect(ids.length).toBeGreaterThan(0);
    expect(ids.map(({ id }) => id)).not.toContain(first);
  });
});

describe('gaps between running places', () => {
  it('close after some steps, and outputs stay the same', () => {
    const { loop, runner } = start({ maxSequences: 4, contextPerSequence: 96 });
    const prompts = ['one', 'two', 'three', 'four'];
    const requests = prompts.map((prompt) => loop.submit({ prompt, stop: { maxNewTokens: 40 } }));
    for (let i = 0; i < 3; i++) loop.step();
    loop.loop.cancel(requests[1]?.key ?? 0);
    for (let i = 0; i < 8; i++) loop.step();
    expect(loop.loop.running.all().map(({ place }) => place)).toEqual([1, 2, 3]);
    loop.run();
    for (const i of [0, 2, 3]) {
      const expected = runner.expectGreedy(runner.tokenize(prompts[i] ?? '', false, true), 40);
      expect(requests[i]?.texts[0]).toBe(runner.vocabulary.text(expected));
    }
  });
});
