import { describe, expect, it } from 'vitest';
import { createFakeRunner, type FakeRunner, type FakeScript } from '../../test/support/fake-runner.js';
import { type LoopRequest, type Received, TestLoop } from '../../test/support/loop.js';
import type { TokenInfo } from '../protocol/index.js';

/** Log-softmax written out plainly, of the scores the model gives after some tokens. */
function logSoftmax(row: Float32Array): Float64Array {
  const max = row.reduce((a, b) => Math.max(a, b));
  const total = row.reduce((sum, value) => sum + Math.exp(value - max), 0);
  return Float64Array.from(row, (value) => value - max - Math.log(total));
}

/** The scores after every prefix of `tokens`, from a runner of their own. */
function rowsAfter(tokens: readonly number[]): Float64Array[] {
  const runner = createFakeRunner({ contextPerSequence: 128 });
  return tokens.map((token, position) => {
    runner.batch.length = 1;
    runner.batch.tokens[0] = token;
    runner.batch.positions[0] = position;
    runner.batch.sequences[0] = 0;
    runner.batch.wantsLogits[0] = 1;
    runner.decode();
    return logSoftmax(runner.logits(0));
  });
}

function run(request: LoopRequest, script: readonly FakeScript[] = [], batchTokens = 32) {
  const runner = createFakeRunner({ script, contextPerSequence: 128, batchTokens });
  const loop = new TestLoop(runner);
  const received = loop.submit(request);
  loop.run();
  return { runner, received };
}

const tokensOf = ({ events }: Received, choice = 0): TokenInfo[] =>
  events.flatMap((event) =>
    event.kind === 'delta' && event.choice === choice ? [...(event.tokens ?? [])] : [],
  );

const startOf = ({ events }: Received) => {
  const [first] = events;
  if (first?.kind !== 'started') throw new Error('it did not start');
  return first;
};

const promptIds = (runner: FakeRunner, text: string): number[] => [...runner.tokenize(text, false, true)];

describe('log-probabilities', () => {
  it('are those of an independent softmax, for the chosen token and the best others', () => {
    const { runner, received } = run({ prompt: 'hello', output: { logprobs: 3 }, stop: { maxNewTokens: 6 } });
    const tokens = tokensOf(received);
    const ids = [...promptIds(runner, 'hello'), ...tokens.map(({ id }) => id)];
    const rows = rowsAfter(ids).slice(promptIds(runner, 'hello').length - 1);
    expect(tokens).toHaveLength(6);
    for (const [i, { id, logprob, top }] of tokens.entries()) {
      const row = rows[i] ?? new Float64Array();
      expect(logprob).toBeCloseTo(row[id] ?? 0, 6);
      const best = [...row.keys()].sort((a, b) => (row[b] ?? 0) - (row[a] ?? 0)).slice(0, 3);
      expect(top?.map((one) => one.id)).toEqual(best);
      for (const one of top ?? []) expect(one.logprob).toBeCloseTo(row[one.id] ?? 0, 6);
    }
  });

  it('of raw scores do not change with the sampling, those of processed ones do', () => {
    const sampling = { temperature: 0.5, topK: 2, seed: '7' };
    const ask = (logprobsOf: 'raw' | 'processed') =>
      tokensOf(
        run({ prompt: 'hello', sampling, output: { logprobs: 2, logprobsOf }, stop: { maxNewTokens: 4 } })
          .received,
      );
    const [raw, processed] = [ask('raw'), ask('processed')];
    expect(raw.map(({ id }) => id)).toEqual(processed.map(({ id }) => id));
    const rows = rowsAfter([...promptIds(createFakeRunner(), 'hello'), ...raw.map(({ id }) => id)]).slice(
      promptIds(createFakeRunner(), 'hello').length - 1,
    );
    for (const [i, { id, logprob }] of raw.entries()) expect(logprob).toBeCloseTo(rows[i]?.[id] ?? 0, 4);
    for (const { top } of processed) {
      const mass = (top ?? []).reduce((sum, { logprob }) => sum + Math.exp(logprob ?? 0), 0);
      expect(mass).toBeCloseTo(1, 5);
    }
  });

  it('are absent unless asked for; tokens alone have none', () => {
    const plain = run({ prompt: 'hello' }).received;
    expect(tokensOf(plain)).toEqual([]);
    const [token] = tokensOf(run({ prompt: 'hello', output: { tokens: true } }).received);
    expect(token).toMatchObject({ logprob: null, special: false });
    expect(token).not.toHaveProperty('top');
  });

  it('come with the mean over a choice', () => {
    const { received } = run({ prompt: 'hello', output: { logprobs: 0 }, stop: { maxNewTokens: 5 } });
    const scores = tokensOf(received).map(({ logprob }) => logprob ?? 0);
    const choice = received.events.find((event) => event.kind === 'choice');
    expect(choice).toHaveProperty('meanLogprob', expect.closeTo(scores.reduce((a, b) => a + b) / 5, 6));
  });
});

describe('the prompt’s log-probabilities', () => {
  const prompt = 'a prompt that takes more than one chunk of thirty-two tokens';

  it.each([8, 32, 64])('are those of an independent softmax, with %i tokens a step', (batchTokens) => {
    const request = { prompt, output: { promptLogprobs: 2 }, stop: { maxNewTokens: 2 } };
    const { runner, received } = run(request, [], batchTokens);
    const ids = promptIds(runner, prompt);
    const rows = rowsAfter(ids);
    const told = startOf(received).prompt ?? [];
    expect(told.map(({ id }) => id)).toEqual(ids);
    expect(told[0]?.logprob).toBeNull();
    for (const [i, { id, logprob, top }] of told.slice(1).entries()) {
      expect(logprob).toBeCloseTo(rows[i]?.[id] ?? 0, 4);
      expect(top).toHaveLength(2);
    }
    expect(startOf(received)).not.toHaveProperty('promptText');
  });

  it('are computed although the prefix is known', () => {
    const loop = new TestLoop(createFakeRunner({ contextPerSequence: 128 }));
    loop.text({ prompt });
    const received = loop.submit({ prompt, output: { promptLogprobs: 0 }, stop: { maxNewTokens: 1 } });
    loop.run();
    const told = startOf(received).prompt ?? [];
    expect(told.slice(1).every(({ logprob }) => typeof logprob === 'number')).toBe(true);
    expect(startOf(received).cachedTokens).toBe(0);
  });

  it('come whole and before everything else, also with several choices', () => {
    for (const canMoveKv of [true, false]) {
      const runner = createFakeRunner({ contextPerSequence: 128, batchTokens: 256, canMoveKv });
      const loop = new TestLoop(runner);
      const received = loop.submit({
        prompt,
        n: 3,
        output: { promptLogprobs: 0 },
        stop: { maxNewTokens: 2 },
      });
      loop.run();
      expect(startOf(received).prompt).toHaveLength(promptIds(runner, prompt).length);
      expect(received.texts).toHaveLength(3);
    }
  });

  it('come once when the request had to give way in the middle of its prompt', () => {
    for (const canMoveKv of [true, false]) {
      const runner = createFakeRunner({
        maxSequences: 1,
        contextPerSequence: 128,
        batchTokens: 16,
        canMoveKv,
      });
      const loop = new TestLoop(runner);
      const received = loop.submit({ prompt, output: { promptLogprobs: 0 }, stop: { maxNewTokens: 2 } });
      loop.step();
      loop.step();
      loop.submit({ prompt: 'urgent', priority: 1, stop: { maxNewTokens: 2 } });
      loop.run();
      const ids = promptIds(runner, prompt);
      expect(startOf(received).prompt?.map(({ id }) => id)).toEqual(ids);
      expect(startOf(received).cachedTokens).toBe(0);
    }
  });

  it('of a prompt of one token are one without', () => {
    const { received } = run({ prompt: 'x', output: { promptLogprobs: 1 }, stop: { maxNewTokens: 1 } });
    expect(startOf(received).prompt).toEqual([
      { id: expect.any(Number), text: 'x', logprob: null, special: false },
    ]);
  });
});

describe('the echo of a prompt', () => {
  it('is its text and its tokens', () => {
    const { received } = run({ prompt: '<bos>caf\u00e9 \u{1f600}', output: { prompt: true } });
    const { promptText, prompt } = startOf(received);
    expect(promptText).toBe('<bos>caf\u00e9 \u{1f600}');
    expect(prompt?.[0]).toMatchObject({ text: '<bos>', special: true, logprob: null });
    expect(prompt?.every(({ logprob }) => logprob === null)).toBe(true);
  });
});

describe('text', () => {
  it('is only ever whole characters, whatever the tokens', () => {
    const script = [{ after: 'Q', say: 'A\u{1f600}\u20ac\u00e9B' }];
    const { received } = run({ prompt: 'Q', output: { tokens: true }, stop: { maxNewTokens: 20 } }, script);
    const pieces = received.events.flatMap((event) => (event.kind === 'delta' ? [event.text] : []));
    expect(pieces.join('')).toBe('A\u{1f600}\u20ac\u00e9B');
    for (const piece of pieces) expect(Buffer.from(piece).toString()).toBe(piece);
    expect(pieces.join('')).not.toContain('\ufffd');
  });

  it('of a token inside a character is empty, its bytes are told, and the last one has it', () => {
    const script = [{ after: 'Q', say: '\u{1f600}' }];
    const { received } = run({ prompt: 'Q', output: { tokens: true } }, script);
    const [first, last] = tokensOf(received);
    expect(first).toMatchObject({ text: '', bytes: expect.any(Array) });
    expect(last?.text).toBe('\u{1f600}');
    expect([...(first?.bytes ?? []), ...(last?.bytes ?? [])]).toEqual([0xf0, 0x9f, 0x98, 0x80]);
  });

  it('cut off inside a character ends before it', () => {
    const script = [{ after: 'Q', say: 'A\u{1f600}' }];
    expect(run({ prompt: 'Q', stop: { maxNewTokens: 2 } }, script).received.texts[0]).toBe('A');
  });

  it('leaves out control tokens, shows them when asked, and shows markers the reader needs', () => {
    const script = [{ after: 'Q', say: 'A<|user|>B' }];
    expect(run({ prompt: 'Q' }, script).received.texts[0]).toBe('AB');
    expect(run({ prompt: 'Q', markers: ['<|user|>'] }, script).received.texts[0]).toBe('A<|user|>B');
    const shown = run({ prompt: 'Q', output: { specialTokens: true, tokens: true } }, script).received;
    expect(shown.texts[0]).toBe('A<|user|>B<eos>');
    expect(tokensOf(shown).map(({ special }) => special)).toEqual([false, true, false, true]);
  });

  it('is not matched by a stop string inside a control token’s name', () => {
    const script = [{ after: 'Q', say: 'A<|user|>B' }];
    expect(run({ prompt: 'Q', stop: { stopStrings: ['user'] } }, script).received.texts[0]).toBe('AB');
  });
});

describe('the best of several', () => {
  const ask = { prompt: 'hello', n: 2, bestOf: 5, sampling: { temperature: 1.5, seed: '11' } } as const;

  it('are those with the highest mean log-probability, best first, counted from 0', () => {
    const { received } = run({ ...ask, n: 5, output: { logprobs: 0 } });
    const means = received.events.flatMap((event) =>
      event.kind === 'choice' ? [{ mean: event.meanLogprob ?? 0, text: received.texts[event.choice] }] : [],
    );
    means.sort((a, b) => b.mean - a.mean);
    const best = run(ask).received;
    expect(best.texts).toEqual(means.slice(0, 2).map(({ text }) => text));
    const told = best.events.flatMap((event) => (event.kind === 'choice' ? [event] : []));
    expect(told.map(({ choice }) => choice)).toEqual([0, 1]);
    expect(told[0]?.meanLogprob).toBeCloseTo(means[0]?.mean ?? 0, 6);
    expect(told[1]?.meanLogprob).toBeCloseTo(means[1]?.mean ?? 0, 6);
  });

  it('come only when all are done, and all tokens are counted', () => {
    const { received } = run(ask);
    const kinds = received.events.map(({ kind }) => kind);
    expect(kinds[0]).toBe('started');
    expect(kinds.at(-1)).toBe('finished');
    expect(kinds.filter((kind) => kind === 'choice')).toHaveLength(2);
    const last = received.events.at(-1);
    expect(last).toMatchObject({ usage: { completionTokens: 5 * 16 } });
  });

  it('carry their tokens with the number they are returned under', () => {
    const { received } = run({ ...ask, output: { tokens: true, logprobs: 1 } });
    for (const choice of [0, 1]) {
      const tokens = tokensOf(received, choice);
      expect(tokens).toHaveLength(16);
      expect(tokens.map(({ text }) => text).join('')).toBe(received.texts[choice]);
    }
    expect(tokensOf(received, 2)).toEqual([]);
  });

  it('share one prefill', () => {
    const runner = createFakeRunner({ contextPerSequence: 128, maxSequences: 4 });
    const loop = new TestLoop(runner);
    const prompt = 'a prompt long enough to be worth sharing among the choices of a request';
    loop.submit({ ...ask, prompt, bestOf: 4, stop: { maxNewTokens: 3 } });
    loop.run();
    expect(runner.counters.decodedTokens).toBe(promptIds(runner, prompt).length + 3 + 4 * 2);
  });
});
