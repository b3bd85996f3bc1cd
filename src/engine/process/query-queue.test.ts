import { describe, expect, it } from 'vitest';
import { createFakeRunner, type FakeRunner } from '../../../test/support/fake-runner.js';
import type { Pooling, TokenSpan } from '../../protocol/index.js';
import type { ModelFacts } from '../model-runner.js';
import { TextBounds } from '../text-bounds.js';
import type { Query } from './messages.js';
import { QueryQueue } from './query-queue.js';

function setUp(maxEmbedTokens = 16, facts: Partial<ModelFacts> = {}) {
  const runner = createFakeRunner({ facts });
  const passes: number[] = [];
  const watched: FakeRunner = Object.assign(Object.create(runner) as FakeRunner, {
    embed: (inputs: readonly Int32Array[], pooling: Exclude<Pooling, undefined>) => {
      passes.push(inputs.length);
      return runner.embed(inputs, pooling);
    },
    tokenize: runner.tokenize.bind(runner),
    tokenBytes: runner.tokenBytes.bind(runner),
    isControl: runner.isControl.bind(runner),
  });
  return {
    runner,
    passes,
    queue: new QueryQueue({
      runner: watched,
      facts: runner.facts,
      maxEmbedTokens,
      bounds: new TextBounds(runner),
    }),
  };
}

type Embed = Extract<Query, { kind: 'embed' }>;
const embed = (inputs: Embed['inputs'], changes: Partial<Embed> = {}): Embed => ({
  kind: 'embed',
  inputs,
  normalize: false,
  truncate: false,
  ...changes,
});

const floats = (text: string | undefined): number[] => [
  ...new Float32Array(new Uint8Array(Buffer.from(text ?? '', 'base64')).buffer),
];

/** Runs passes until the first outcome. */
function answer(queue: QueryQueue) {
  for (;;) {
    const [outcome] = queue.work();
    if (outcome !== undefined) return outcome;
  }
}

function vectorsOf(query: Embed, max = 16, facts: Partial<ModelFacts> = {}): number[][][] {
  const { queue } = setUp(max, facts);
  queue.answerNow(1, query);
  const outcome = answer(queue);
  if (outcome.kind !== 'answer' || outcome.result.kind !== 'embed') throw new Error('no vectors');
  return outcome.result.vectors.map((rows) => rows.map(floats));
}

function spansOf(text: string, addSpecial = false, parseSpecial = false): readonly TokenSpan[] {
  const result = setUp().queue.answerNow(1, { kind: 'tokenize', text, addSpecial, parseSpecial });
  if (result?.kind !== 'tokenize') throw new Error('no tokens');
  return result.spans;
}

describe('tokens of a text', () => {
  it('that is far too long are not counted', () => {
    const { queue } = setUp();
    const query = {
      kind: 'tokenize',
      text: 'x'.repeat(1e6),
      addSpecial: false,
      parseSpecial: false,
    } as const;
    expect(() => queue.answerNow(1, query)).toThrow(
      /^the text has \d+ tokens or more; at most \d+ are counted$/,
    );
  });

  it('lie side by side and cover it, in bytes, whatever the characters', () => {
    for (const text of ['Hello world', 'caf\u00e9 au lait', 'a\u{1f600}\u20acb', '\u00e9', '']) {
      const bytes = Buffer.from(text);
      let at = 0;
      for (const { start, stop, text: own } of spansOf(text)) {
        expect(start).toBe(at);
        expect(stop).toBeGreaterThan(start);
        // A token inside a character has no text of its own.
        expect(['', bytes.subarray(start, stop).toString()]).toContain(own);
        at = stop;
      }
      expect(at).toBe(bytes.length);
    }
  });

  it('that the tokenizer added have no range, those written in it do', () => {
    const [bos, first] = spansOf('hi', true);
    expect(bos).toMatchObject({ start: 0, stop: 0, text: '', special: true });
    expect(first).toMatchObject({ start: 0, stop: 1, text: 'h', special: false });
    expect(spansOf('<|user|>x', false, true)[0]).toMatchObject({
      start: 0,
      stop: 8,
      text: '<|user|>',
      special: true,
    });
    expect(spansOf('<|user|>x')[0]).toMatchObject({ text: '<', special: false });
  });
});

describe('text of tokens', () => {
  const textOf = (tokens: number[], showSpecial = false): string => {
    const result = setUp().queue.answerNow(1, { kind: 'detokenize', tokens, showSpecial });
    return result?.kind === 'detokenize' ? result.text : '';
  };
  const { vocabulary } = createFakeRunner();

  it('joins characters spread over tokens, with or without special tokens', () => {
    const tokens = [vocabulary.bos, ...vocabulary.tokenize('a\u{1f600}\u00e9', false, false), vocabulary.eos];
    expect(textOf(tokens)).toBe('a\u{1f600}\u00e9');
    expect(textOf(tokens, true)).toBe('<bos>a\u{1f600}\u00e9<eos>');
    expect(textOf([])).toBe('');
  });

  it('refuses tokens that do not exist', () => {
    for (const bad of [-1, 0.5, vocabulary.size, Number.NaN]) {
      expect(() => textOf([1, bad])).toThrow(`token ${bad} is not in the vocabulary`);
    }
  });
});

describe('embeddings', () => {
  it('are the mean unless the model or the caller says otherwise', () => {
    const [[mean]] = vectorsOf(embed(['hello'])) as [[number[]]];
    const [rows] = vectorsOf(embed(['hello'], { pooling: 'none' })) as [number[][]];
    expect(rows.length).toBe(6);
    mean.forEach((value, i) => {
      expect(value).toBeCloseTo(rows.reduce((sum, row) => sum + (row[i] ?? 0), 0) / rows.length, 5);
    });
    const [[last]] = vectorsOf(embed(['hello']), 16, { declaredPooling: 'last' }) as [[number[]]];
    expect(last).toEqual(rows.at(-1));
    expect(vectorsOf(embed(['hello'], { pooling: 'cls' }), 16, { declaredPooling: 'last' })).toEqual([
      [rows[0]],
    ]);
  });

  it('have length one when normalised, each token’s too', () => {
    for (const [row] of vectorsOf(embed(['a', 'bc'], { normalize: true })))
      expect(Math.hypot(...(row ?? []))).toBeCloseTo(1, 5);
    for (const row of vectorsOf(embed(['abc'], { normalize: true, pooling: 'none' })).flat()) {
      expect(Math.hypot(...row)).toBeCloseTo(1, 5);
    }
  });

  it('of tokens and of text agree', () => {
    const tokens = [...createFakeRunner().tokenize('hello', true, false)];
    expect(vectorsOf(embed([tokens]))).toEqual(vectorsOf(embed(['hello'])));
  });

  it('take several passes for many inputs, and count every token', () => {
    const { queue, passes } = setUp(400);
    const inputs = Array.from({ length: 5 }, () => 'x'.repeat(300));
    queue.answerNow(7, embed(inputs));
    expect(queue.hasWork).toBe(true);
    expect(queue.work()).toEqual([]);
    const outcome = answer(queue);
    expect(outcome).toMatchObject({ kind: 'answer', key: 7, result: { promptTokens: 5 * 301 } });
    expect(passes).toEqual([1, 1, 1, 1, 1]);
    expect(queue.hasWork).toBe(false);
    const small = setUp(400);
    small.queue.answerNow(8, embed(['a', 'b', 'c']));
    answer(small.queue);
    expect(small.passes).toEqual([3]);
  });

  it('can be cancelled between passes', () => {
    const { queue, passes } = setUp(400);
    queue.answerNow(1, embed(['x'.repeat(399), 'x'.repeat(399)]));
    queue.answerNow(2, embed(['b']));
    queue.work();
    queue.cancel(1);
    queue.cancel(99);
    expect(answer(queue)).toMatchObject({ key: 2 });
    expect(passes).toEqual([1, 1]);
  });

  it('refuse what is empty or too long by its number, or cut it', () => {
    const ask = (query: Embed) => () => setUp().queue.answerNow(1, query);
    expect(ask(embed(['fine', []]))).toThrow('input 1 is empty');
    expect(ask(embed(['fine', 'x'.repeat(40)]))).toThrow('input 1 has 41 tokens; at most 16 fit');
    expect(ask(embed([[1, 1e9]]))).toThrow('token 1000000000 is not in the vocabulary');
    const [rows] = vectorsOf(embed(['x'.repeat(40)], { truncate: true, pooling: 'none' }));
    expect(rows).toHaveLength(16);
  });

  it('that rank need a model that does', () => {
    const rank = embed(['a'], { pooling: 'rank' });
    expect(() => setUp().queue.answerNow(1, rank)).toThrow('this model does not rank');
    expect(vectorsOf(rank, 16, { declaredPooling: 'rank' })[0]?.[0]).toHaveLength(1);
  });

  it('of nothing are nothing', () => {
    expect(vectorsOf(embed([]))).toEqual([]);
  });

  it('that fail are told, and the next goes on', () => {
    const { runner } = setUp();
    const original = runner.embed.bind(runner);
    let calls = 0;
    const failing = new QueryQueue({
      bounds: new TextBounds(runner),
      runner: Object.assign(Object.create(runner) as FakeRunner, {
        tokenize: runner.tokenize.bind(runner),
        embed: (inputs: readonly Int32Array[], pooling: Pooling) => {
          if (calls++ === 0) throw new Error('no memory');
          return original(inputs, pooling);
        },
      }),
      facts: runner.facts,
      maxEmbedTokens: 16,
    });
    failing.answerNow(1, embed(['a']));
    failing.answerNow(2, embed(['b']));
    expect(answer(failing)).toMatchObject({ kind: 'failed', key: 1, error: expect.any(Error) });
    expect(answer(failing)).toMatchObject({ kind: 'answer', key: 2 });
  });
});
