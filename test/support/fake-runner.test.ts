// The fake runner is only worth something if wrong KV changes its output and misuse throws; this holds it to that.

import { describe, expect, it } from 'vitest';
import { createFakeRunner, type FakeRunner } from './fake-runner.js';

type Entry = readonly [sequence: number, position: number, token: number, wants?: boolean];

function run(runner: FakeRunner, entries: readonly Entry[]): string {
  entries.forEach(([sequence, position, token, wants], i) => {
    runner.batch.sequences[i] = sequence;
    runner.batch.positions[i] = position;
    runner.batch.tokens[i] = token;
    runner.batch.wantsLogits[i] = wants ? 1 : 0;
  });
  runner.batch.length = entries.length;
  return runner.decode();
}

function feed(runner: FakeRunner, sequence: number, tokens: Iterable<number>, from = 0): number {
  const list = [...tokens];
  const outcome = run(
    runner,
    list.map((token, i) => [sequence, from + i, token, i === list.length - 1]),
  );
  expect(outcome).toBe('ok');
  return best(runner.logits(0));
}

const best = (row: Float32Array): number => row.indexOf(Math.max(...row));

function greedy(runner: FakeRunner, sequence: number, tokens: readonly number[], count: number): number[] {
  let next = feed(runner, sequence, tokens);
  const answer = [next];
  while (answer.length < count) {
    next = feed(runner, sequence, [next], tokens.length + answer.length - 1);
    answer.push(next);
  }
  return answer;
}

describe('vocabulary', () => {
  const { vocabulary } = createFakeRunner();

  it('tokenizes by the longest piece and back, over any bytes', () => {
    expect([...vocabulary.tokenize('the', false, false)]).toEqual([vocabulary.id('the')]);
    for (const text of ['the thing', 'héllo 😀 €\u0000\u007f 漢字', '<eos>x']) {
      expect(vocabulary.text(vocabulary.tokenize(text, false, false))).toBe(text);
    }
    expect(vocabulary.tokenize('😀', false, false).length).toBeGreaterThan(1);
  });

  it('reads control markers only when asked to', () => {
    expect([...vocabulary.tokenize('<eos>', true, true)]).toEqual([vocabulary.bos, vocabulary.eos]);
    expect(vocabulary.tokenize('<eos>', false, false)).toHaveLength(5);
  });
});

describe('scores', () => {
  const prompt = [7, 8, 9, 10, 11, 12];

  it('are the same alone, batched with others, in chunks and in another sequence', () => {
    const expected = createFakeRunner().expectGreedy(prompt, 8);
    expect(new Set(expected).size).toBeGreaterThan(3);
    expect(greedy(createFakeRunner(), 2, prompt, 8)).toEqual(expected);
    const runner = createFakeRunner();
    run(runner, [
      [0, 0, 7],
      [1, 0, 20],
      [0, 1, 8],
      [0, 2, 9],
      [1, 1, 21, true],
    ]);
    expect(feed(runner, 0, [10, 11, 12], 3)).toBe(expected[0]);
  });

  it('change with any earlier token, the adapter and an embedding row', () => {
    const row = (tokens: readonly number[], adapter: string | null = null): number[] => {
      const runner = createFakeRunner({ adapters: ['a'] });
      runner.setAdapter(adapter);
      feed(runner, 0, tokens);
      return [...runner.logits(0)];
    };
    expect(row([6, 8, 9, 10, 11, 12])).not.toEqual(row(prompt));
    expect(row(prompt, 'a')).not.toEqual(row(prompt));
    const runner = createFakeRunner({ embeddingSize: 2 });
    runner.decodeRows(new Float32Array([0.5, 0.25]), 0, 0, true);
    const one = [...runner.logits(0)];
    runner.decodeRows(new Float32Array([0.5, 0.2]), 1, 0, true);
    expect([...runner.logits(0)]).not.toEqual(one);
    expect(runner.kvTokens(0)).toEqual([-1]);
  });

  it('change when KV is of another prefix or was computed with another adapter', () => {
    const runner = createFakeRunner({ adapters: ['a'] });
    const [right] = runner.expectGreedy(prompt, 1);
    feed(runner, 0, [30, 31, 32]);
    runner.setAdapter('a');
    feed(runner, 1, prompt.slice(0, 5));
    runner.setAdapter(null);
    expect(feed(runner, 1, prompt.slice(5), 5)).not.toBe(right);
    feed(runner, 2, prompt.slice(0, 5));
    const foreign = runner.exportKv(0, 0, 3);
    const tail = runner.exportKv(2, 3, 5);
    runner.importKv(3, [foreign, tail]);
    expect(feed(runner, 3, prompt.slice(5), 5)).not.toBe(right);
    expect(feed(runner, 2, prompt.slice(5), 5)).toBe(right);
    const other = createFakeRunner({ maxSequences: 2 });
    feed(other, 0, [30, 31, 32, 10, 11]);
    const tailOfAnother = other.exportKv(0, 3, 5);
    feed(other, 1, [7, 8, 9]);
    other.importKv(0, [other.exportKv(1, 0, 3), tailOfAnother]);
    expect(other.kvTokens(0)).toEqual(prompt.slice(0, 5));
    expect(feed(other, 0, prompt.slice(5), 5)).not.toBe(right);
  });

  it('follow a script across tokens, then end', () => {
    const runner = createFakeRunner({ script: [{ after: 'Q:', say: 'the 😀 thing' }] });
    const prompt = [...runner.tokenize('x Q:', true, true)];
    const said = runner.expectGreedy(prompt, runner.tokenize('the 😀 thing', false, true).length + 1);
    expect(runner.vocabulary.text(said)).toBe('the 😀 thing<eos>');
    expect(greedy(runner, 0, prompt, said.length)).toEqual(said);
  });
});

describe('KV in host memory', () => {
  it('goes out, is cut, comes back elsewhere and continues alike', () => {
    const runner = createFakeRunner();
    const prompt = [7, 8, 9, 10, 11];
    const expected = runner.expectGreedy(prompt, 3);
    greedy(runner, 0, prompt, 2);
    const whole = runner.exportKv(0, 0, 6);
    expect(whole.bytes).toBe(6 * runner.info.kvBytesPerToken);
    const [head, tail] = runner.splitKv(whole, 2);
    expect(runner.importKv(3, [head, tail])).toBe(true);
    expect(feed(runner, 3, [expected[1] ?? 0], 6)).toBe(expected[2]);
    expect(() => runner.importKv(1, [whole])).toThrow('split');
    expect(() => runner.importKv(1, [tail])).toThrow('cannot go to 0');
    expect(() => createFakeRunner().importKv(1, [{ ...head }])).toThrow('another runner');
    expect(runner.counters).toMatchObject({
      exports: 1,
      exportedTokens: 6,
      imports: 1,
      importedTokens: 6,
      splits: 1,
    });
  });

  it('removing the end allows going on from there', () => {
    const runner = createFakeRunner();
    feed(runner, 0, [7, 8, 9, 40, 41]);
    runner.removeKv(0, 3, -1);
    expect(feed(runner, 0, [10], 3)).toBe(runner.expectGreedy([7, 8, 9, 10], 1)[0]);
    runner.removeKv(0, 1, 2);
    expect(runner.usedCells()).toBe(3);
    expect(() => feed(runner, 0, [11], 4)).toThrow('hole');
    expect(() => runner.exportKv(0, 0, 3)).toThrow('hole');
    runner.removeKv(0, 0, -1);
    expect(runner.usedCells()).toBe(0);
  });
});

describe('limits', () => {
  it('streams: a full sequence answers no-space and keeps its state', () => {
    const runner = createFakeRunner({ contextPerSequence: 4 });
    feed(runner, 0, [7, 8, 9]);
    expect(
      run(runner, [
        [1, 0, 7],
        [0, 3, 7],
        [0, 4, 7],
      ]),
    ).toBe('no-space');
    expect([runner.kvLength(0), runner.kvLength(1)]).toEqual([3, 0]);
    expect(feed(runner, 0, [10], 3)).toBe(runner.expectGreedy([7, 8, 9, 10], 1)[0]);
  });

  it('unified: sequences share the pool', () => {
    const runner = createFakeRunner({ kvLayout: 'unified', totalCells: 8 });
    feed(runner, 0, [7, 8, 9, 10, 11]);
    expect(
      run(runner, [
        [1, 0, 7],
        [1, 1, 8],
        [0, 5, 7],
        [2, 0, 7],
      ]),
    ).toBe('no-space');
    expect(runner.usedCells()).toBe(5);
    const block = runner.exportKv(0, 0, 4);
    expect(runner.importKv(1, [block])).toBe(false);
    runner.removeKv(0, 0, -1);
    expect(runner.importKv(1, [block])).toBe(true);
  });

  it('fails when told to; a failed sequence must be emptied', () => {
    const runner = createFakeRunner();
    runner.failNext('no-space');
    expect(run(runner, [[0, 0, 7, true]])).toBe('no-space');
    runner.failNext('failed');
    expect(run(runner, [[0, 0, 7, true]])).toBe('failed');
    expect(() => runner.logits(0)).toThrow('0 rows');
    expect(() => run(runner, [[0, 0, 7, true]])).toThrow('not emptied');
    runner.removeKv(0, 0, -1);
    expect(run(runner, [[0, 0, 7, true]])).toBe('ok');
    runner.failNextImport();
    expect(runner.importKv(1, [runner.exportKv(0, 0, 1)])).toBe(false);
  });
});

describe('misuse', () => {
  const runner = createFakeRunner({ maxSequences: 2, batchTokens: 3, canMoveKv: false });
  feed(runner, 0, [7, 8]);

  it.each<[string, readonly Entry[]]>([
    ['goes on at position 2', [[0, 3, 7]]],
    ['goes on at position 2', [[0, 1, 7]]],
    [
      'goes on at position 3',
      [
        [0, 2, 7],
        [0, 2, 7],
      ],
    ],
    ['not in 0 .. 1', [[2, 0, 7]]],
    [
      'batch of 4',
      [
        [1, 0, 7],
        [1, 1, 7],
        [1, 2, 7],
        [1, 3, 7],
      ],
    ],
    ['batch of 0', []],
    ['vocabulary', [[1, 0, 100_000]]],
  ])('throws: %s', (message, entries) => {
    expect(() => run(runner, entries)).toThrow(message);
  });

  it('of rows, threads, adapters and moves throws', () => {
    run(runner, [
      [1, 0, 7, true],
      [1, 1, 8],
    ]);
    expect(runner.logits(0).length).toBe(runner.info.vocabSize);
    expect(() => runner.logits(1)).toThrow('1 rows');
    expect(() => runner.setThreads(5)).toThrow('1 .. 4');
    expect(() => runner.setAdapter('x')).toThrow('x');
    expect(() => runner.exportKv(0, 0, 1)).toThrow('cannot move');
    const gone = createFakeRunner();
    gone.dispose();
    expect(() => gone.removeKv(0, 0, -1)).toThrow('disposed');
  });

  it('records what each decode was made of', () => {
    const recorded = createFakeRunner();
    run(recorded, [
      [1, 0, 7],
      [0, 0, 7, true],
      [1, 1, 8, true],
    ]);
    expect(recorded.steps).toEqual([
      {
        kind: 'tokens',
        parts: [
          { sequence: 1, from: 0, count: 2, rows: 1 },
          { sequence: 0, from: 0, count: 1, rows: 1 },
        ],
        tokens: 3,
        adapter: null,
        threads: 1,
        outcome: 'ok',
      },
    ]);
  });
});

describe('embeddings', () => {
  it('pools as asked', () => {
    const runner = createFakeRunner();
    const tokens = Int32Array.of(7, 8, 9);
    const [each] = runner.embed([tokens], 'none');
    expect(each).toHaveLength(3);
    expect(runner.embed([tokens], 'last')[0]).toEqual([each?.[2]]);
    expect(runner.embed([tokens], 'cls')[0]).toEqual([each?.[0]]);
    const [mean] = runner.embed([tokens], 'mean')[0] ?? [];
    const sum = (each ?? []).reduce((total, vector) => total + (vector[0] ?? 0), 0);
    expect(mean?.[0]).toBeCloseTo(sum / 3, 6);
  });
});
