// Log-probabilities on the demo model, against a softmax written out plainly over scores of a second runner.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LlamaRunner } from '../../src/native/index.js';
import type { TokenInfo } from '../../src/protocol/index.js';
import { type Received, TestLoop } from '../support/loop.js';
import { BEGINNINGS, candidatesOf, greedy, openModel, tokensOf } from './demo.js';

const PROMPT = BEGINNINGS.slice(0, 4).join('. ');
let runner: LlamaRunner;
let other: LlamaRunner;
beforeAll(() => {
  runner = openModel();
  other = openModel({ parallel: 1 });
});
afterAll(() => {
  runner.dispose();
  other.dispose();
});

/** Log-softmax after each of the tokens, computed one token at a time. */
function rowsOf(tokens: readonly number[]): Float64Array[] {
  other.removeKv(0, 0, -1);
  return tokens.map((token, position) => {
    other.batch.length = 0;
    other.batch.push(token, position, 0, true);
    expect(other.decode()).toBe('ok');
    const row = other.logits(0);
    const max = row.reduce((a, b) => Math.max(a, b));
    const total = row.reduce((sum, value) => sum + Math.exp(value - max), 0);
    return Float64Array.from(row, (value) => value - max - Math.log(total));
  });
}

function run(request: Parameters<TestLoop['submit']>[0]): Received {
  for (let place = 0; place < runner.info.maxSequences; place++) runner.removeKv(place, 0, -1);
  const loop = new TestLoop(runner);
  const received = loop.submit(request);
  loop.run();
  return received;
}

/** Mean and largest difference between what was told and what was computed apart. */
function differences(told: readonly TokenInfo[], rows: readonly Float64Array[]) {
  const all = told.map(({ id, logprob }, i) =>
    Math.abs((logprob ?? Number.NaN) - (rows[i]?.[id] ?? Number.NaN)),
  );
  return { mean: all.reduce((a, b) => a + b) / all.length, max: Math.max(...all) };
}

describe('log-probabilities', () => {
  it('of generated tokens are those of an independent softmax', () => {
    const told = tokensOf(run(greedy(PROMPT, 24)));
    const prompt = [...runner.tokenize(PROMPT, false, true)];
    const rows = rowsOf([...prompt, ...told.map(({ id }) => id)]).slice(prompt.length - 1);
    expect(differences(told, rows).mean).toBeLessThan(0.05);
    for (const [i, token] of told.entries()) {
      const { top, id, logprob } = token;
      expect(candidatesOf(token)[0]).toMatchObject({ id, logprob });
      const best = rows[i]?.reduce((a, b) => Math.max(a, b)) ?? 0;
      expect(Math.abs((top?.[0]?.logprob ?? 0) - best)).toBeLessThan(0.5);
    }
  });

  it('of the prompt are those of an independent softmax, and sum up to its likelihood', () => {
    const { events } = run({ prompt: PROMPT, output: { promptLogprobs: 3 }, stop: { maxNewTokens: 1 } });
    const told = (events[0]?.kind === 'started' ? events[0].prompt : undefined) ?? [];
    const ids = [...runner.tokenize(PROMPT, false, true)];
    expect(told.map(({ id }) => id)).toEqual(ids);
    expect(told[0]?.logprob).toBeNull();
    const rows = rowsOf(ids);
    expect(differences(told.slice(1), rows).mean).toBeLessThan(0.05);
    const sum = told.slice(1).reduce((total, { logprob }) => total + (logprob ?? 0), 0);
    const expected = ids.slice(1).reduce((total, id, i) => total + (rows[i]?.[id] ?? 0), 0);
    expect(Math.abs(sum - expected)).toBeLessThan(0.01 * Math.abs(expected) + 0.1);
    for (const { top } of told.slice(1)) {
      const scores = (top ?? []).map(({ logprob }) => logprob ?? 0);
      expect(scores).toHaveLength(3);
      expect(scores).toEqual([...scores].sort((a, b) => b - a));
    }
  });

  it('of a text scored whole and of the same text generated agree', () => {
    const prompt = BEGINNINGS[0] ?? '';
    const received = run(greedy(prompt, 12));
    const whole = prompt + received.texts[0];
    const ids = [...runner.tokenize(prompt, false, true), ...tokensOf(received).map(({ id }) => id)];
    const { events } = run({
      prompt: { kind: 'tokens', tokens: ids },
      output: { promptLogprobs: 0, prompt: true },
      stop: { maxNewTokens: 0 },
    });
    const start = events[0];
    if (start?.kind !== 'started') throw new Error('it did not start');
    expect(start.promptText).toBe(whole);
    const scored = (start.prompt ?? []).slice(-12);
    for (const [i, { logprob }] of tokensOf(received).entries()) {
      expect(Math.abs((logprob ?? 0) - (scored[i]?.logprob ?? 0))).toBeLessThan(0.3);
    }
  });
});

describe('the ends of the context', () => {
  it('a prompt of all but one token gets one token', () => {
    const tokens = Array.from({ length: 255 }, (_, i) => 10 + (i % 50));
    const { events } = run({ prompt: { kind: 'tokens', tokens }, stop: { maxNewTokens: 100 } });
    expect(events.find(({ kind }) => kind === 'choice')).toMatchObject({
      reason: 'length',
      completionTokens: 1,
    });
  });

  it('a prompt as long as the context is refused', () => {
    const tokens = Array.from({ length: 256 }, () => 10);
    expect(() => run({ prompt: { kind: 'tokens', tokens } })).toThrow('the prompt has 256 tokens');
  });

  it('generation goes on to the last cell', () => {
    const { events } = run({
      prompt: 'Once upon a time',
      sampling: { temperature: 1, seed: '5' },
      stop: { maxNewTokens: 10_000, ignoreEos: true },
    });
    const prompt = runner.tokenize('Once upon a time', false, true).length;
    expect(events.find(({ kind }) => kind === 'choice')).toMatchObject({ completionTokens: 256 - prompt });
  });
});

describe('filling in the middle', () => {
  it('gives the model both sides and its own markers', () => {
    const received = run({
      prompt: { kind: 'infill', prefix: 'def add(a, b):\n    return ', suffix: '\n\nprint(add(1, 2))\n' },
      output: { prompt: true },
      stop: { maxNewTokens: 8 },
    });
    const start = received.events[0];
    if (start?.kind !== 'started') throw new Error('it did not start');
    const { infillTokens } = runner.facts;
    const ids = (start.prompt ?? []).map(({ id }) => id);
    expect(ids[0]).toBe(infillTokens?.prefix);
    expect(ids.at(-1)).toBe(infillTokens?.middle);
    expect(ids).toContain(infillTokens?.suffix);
    expect(received.events.at(-1)?.kind).toBe('finished');
  });
});

describe('text', () => {
  it('of random tokens is whole characters only, and the same streamed or not', () => {
    for (const seed of ['1', '2', '3', '4']) {
      const request = {
        prompt: 'Caf\u00e9 \u{1f600} ',
        sampling: { temperature: 8, seed },
        stop: { maxNewTokens: 60, ignoreEos: true },
      } as const;
      const streamed = run(request);
      const pieces = streamed.events.flatMap((event) => (event.kind === 'delta' ? [event.text] : []));
      for (const piece of pieces) expect(Buffer.from(piece).toString()).toBe(piece);
      expect(run({ ...request, output: { stream: false } }).texts[0]).toBe(pieces.join(''));
    }
  });
});
