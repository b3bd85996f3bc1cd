// The step loop with rules that come to an end, force text and are late; what a rule must never do is in step.test.ts.

import { describe, expect, it } from 'vitest';
import { createFakeRunner, type FakeRunnerOptions } from '../../test/support/fake-runner.js';
import { type LoopRequest, type Received, TestLoop } from '../../test/support/loop.js';
import { TextMatcher, type TextMatcherOptions } from '../../test/support/text-matcher.js';

const choices = ({ events }: Received) => events.filter((event) => event.kind === 'choice');
const tokensOf = ({ events }: Received) =>
  events.flatMap((event) => (event.kind === 'delta' ? [...(event.tokens ?? [])] : []));

const start = (options: FakeRunnerOptions = {}) => {
  const runner = createFakeRunner(options);
  const loop = new TestLoop(runner);
  const matcher = (texts: readonly string[], settings: TextMatcherOptions = {}) =>
    new TextMatcher(runner.vocabulary, texts, settings);
  return { runner, loop, matcher };
};

/** Runs one request under a rule, alone. */
function run(
  texts: readonly string[],
  request: Partial<LoopRequest> = {},
  settings: TextMatcherOptions = {},
) {
  const { runner, loop, matcher } = start();
  const rule = matcher(texts, settings);
  const received = loop.submit({ prompt: 'hello', ...request }, [rule]);
  loop.run();
  return { runner, rule, received, text: received.texts[0], choice: choices(received)[0] };
}

describe('the end of a rule', () => {
  it('is the end of the output, with the reason eos', () => {
    const { text, choice, rule, runner } = run(['yes']);
    expect([text, choice?.reason, choice?.completionTokens]).toEqual(['yes', 'eos', 4]);
    expect(rule.accepted.at(-1)).toBe(runner.vocabulary.eos);
    expect(rule.disposals).toBe(1);
  });

  it('ends the output also where EOS is ignored or comes before the least number of tokens', () => {
    expect(run(['yes'], { stop: { ignoreEos: true } })).toMatchObject({
      text: 'yes',
      choice: { reason: 'eos' },
    });
    expect(run(['yes'], { stop: { minNewTokens: 9 } })).toMatchObject({
      text: 'yes',
      choice: { reason: 'eos' },
    });
  });

  it('does not come early: a rule that may go on goes on until enough tokens are there', () => {
    const { text } = run(['a', 'abababab'], { stop: { minNewTokens: 4 } });
    expect(text).toBe('abababab');
  });

  it('is told apart from a limit', () => {
    expect(run(['a longer text'], { stop: { maxNewTokens: 3 } }).choice).toMatchObject({ reason: 'length' });
  });

  it('leaves a request that nothing may follow with an error of its own', () => {
    const { received, rule } = run([]);
    expect(received.events.at(-1)).toMatchObject({ kind: 'failed', failure: { code: 'constraint' } });
    expect(rule.disposals).toBe(1);
  });
});

describe('text that is forced', () => {
  const long = 'the Hello world';
  const forces = { forces: true };

  it('is the text that sampling gives, in fewer decodes', () => {
    const sampled = run([long]);
    const forced = run([long], {}, forces);
    expect(forced.text).toBe(sampled.text);
    expect(forced.choice?.reason).toBe('eos');
    expect(forced.runner.counters.decodes).toBeLessThan(sampled.runner.counters.decodes / 2);
    expect(forced.rule.accepted).toHaveLength(forced.choice?.completionTokens ?? 0);
  });

  it('is part of the prompt for what follows: the KV holds it', () => {
    const { runner, loop, matcher } = start();
    const rule = matcher([`${long} A`, `${long} B`], forces);
    const received = loop.submit({ prompt: 'hello' }, [rule]);
    loop.run();
    const { vocabulary } = runner;
    const tokens = [...vocabulary.tokenize('hello', false, false), ...rule.accepted];
    const [next] = runner.expectGreedy(tokens.slice(0, -2), 1);
    expect(received.texts[0]).toMatch(/^the Hello world [AB]$/);
    // Where the table's favourite is allowed it was taken; it decides by the KV's contents.
    if (next === vocabulary.id('A') || next === vocabulary.id('B')) expect(rule.accepted.at(-2)).toBe(next);
    expect(runner.kvTokens(0)).toEqual(tokens.slice(0, runner.kvLength(0)));
    expect(runner.kvLength(0)).toBeGreaterThanOrEqual(tokens.length - 1);
  });

  it('ends at a stop string inside it, and shows nothing of that', () => {
    const { text, choice, rule } = run([long], { stop: { stopStrings: ['lo wo'] } }, forces);
    expect([text, choice?.reason]).toEqual(['the Hel', 'stop_sequence']);
    expect(choice).toMatchObject({ stopText: 'lo wo' });
    expect(rule.disposals).toBe(1);
  });

  it('ends at a stop token inside it', () => {
    const { vocabulary } = createFakeRunner();
    const stopTokens = [vocabulary.id('ld')];
    expect(run([long], { stop: { stopTokens } }, forces)).toMatchObject({
      text: 'the Hello wor',
      choice: { reason: 'stop_sequence' },
    });
  });

  it('is the same tokens with their scores where log-probabilities are asked for, greedy or drawn', () => {
    const rules = [`${long} and more`, `${long} or less`];
    for (const sampling of [{ temperature: 0 }, { temperature: 1.5, seed: '3' }]) {
      const output = { tokens: true };
      const plain = run(rules, { sampling, output }, forces);
      const scored = run(rules, { sampling, output: { ...output, logprobs: 1 } }, forces);
      expect(scored.rule.accepted).toEqual(plain.rule.accepted);
      expect(tokensOf(scored.received).map(({ id }) => id)).toEqual(
        tokensOf(plain.received).map(({ id }) => id),
      );
      expect(tokensOf(scored.received).every(({ logprob }) => logprob !== null && logprob <= 0)).toBe(true);
      expect(scored.runner.counters.decodes).toBeGreaterThan(plain.runner.counters.decodes);
    }
  });

  it('is reported token by token without scores', () => {
    const tokens = tokensOf(run([long], { output: { tokens: true } }, forces).received).slice(0, -1);
    expect(tokens.map(({ text }) => text).join('')).toBe(long);
    expect(tokens.every(({ logprob }) => logprob === null)).toBe(true);
  });

  it('counts for penalties as any other', () => {
    const sampling = { frequencyPenalty: 50, penaltyWindow: -1 };
    const rule = ['abcdef a', 'abcdef z'];
    expect(run(rule, { sampling }, forces).text).toBe('abcdef z');
  });
});

describe('several choices', () => {
  it('have a rule each, used up independently and ended once', () => {
    const { loop, matcher } = start();
    const rules = Array.from({ length: 3 }, () => matcher(['red', 'green', 'blue']));
    const received = loop.submit({ prompt: 'hello', n: 3, sampling: { temperature: 2, seed: '5' } }, rules);
    loop.run();
    for (const text of received.texts) expect(['red', 'green', 'blue']).toContain(text);
    expect(rules.map(({ disposals }) => disposals)).toEqual([1, 1, 1]);
    expect(choices(received).map(({ reason }) => reason)).toEqual(['eos', 'eos', 'eos']);
  });

  it('of which the best are returned end all their rules', () => {
    const { loop, matcher } = start();
    const rules = Array.from({ length: 4 }, () => matcher(['red', 'green'], { forces: true }));
    const received = loop.submit(
      { prompt: 'hello', n: 1, bestOf: 4, sampling: { temperature: 2, seed: '5' } },
      rules,
    );
    loop.run();
    expect(choices(received)).toHaveLength(1);
    expect(rules.map(({ disposals }) => disposals)).toEqual([1, 1, 1, 1]);
    // The best is the best of all tokens, those that were forced among them.
    expect(choices(received)[0]?.meanLogprob).toBeLessThan(0);
  });

  it('end their rules when they are cancelled, running or waiting, and when the model fails', () => {
    for (const way of ['cancel', 'fail'] as const) {
      const { loop, runner, matcher } = start({ maxSequences: 2 });
      const rules = Array.from({ length: 4 }, () => matcher(['a longer text']));
      const received = loop.submit({ prompt: 'hello', n: 4 }, rules);
      loop.step();
      loop.step();
      if (way === 'cancel') loop.loop.cancel(received.key);
      else runner.failNext('failed');
      loop.run();
      expect(rules.map(({ disposals }) => disposals)).toEqual([1, 1, 1, 1]);
      expect(loop.places.audit()).toMatchObject({ running: 0 });
    }
  });
});

describe('late rules', () => {
  it('give the same text', () => {
    expect(run(['the Hello world'], {}, { late: 3 }).text).toBe('the Hello world');
    expect(run(['the Hello world'], {}, { late: 1, forces: true }).text).toBe('the Hello world');
  });

  it('are not waited for while others compute', () => {
    const { loop, matcher } = start();
    const rule = matcher(['yes'], { late: Number.POSITIVE_INFINITY });
    loop.submit({ prompt: 'hello' }, [rule]);
    loop.submit({ prompt: 'other', stop: { maxNewTokens: 10 } });
    loop.step();
    rule.waits.length = 0;
    for (let i = 0; i < 5; i++) loop.step();
    expect(rule.waits.length).toBeGreaterThan(0);
    expect(Math.max(...rule.waits)).toBe(0);
  });

  it('are waited for where there is nothing else to do', () => {
    const { loop, matcher } = start();
    const rule = matcher(['yes'], { late: Number.POSITIVE_INFINITY });
    loop.submit({ prompt: 'hello' }, [rule]);
    for (let i = 0; i < 3; i++) loop.step();
    expect(rule.waits.at(-1)).toBeGreaterThan(0);
  });
});
