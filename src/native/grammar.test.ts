// llama.cpp's own grammars on the built-in model: what the constraint room cannot read constrains all the same.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openModel } from '../../test/model/demo.js';
import { TestLoop } from '../../test/support/loop.js';
import type { RunnerGrammar } from '../engine/model-runner.js';
import type { LlamaRunner } from './index.js';

/** Twenty thousand characters beyond ASCII in one class: XGrammar's build here has no way to hold it. */
const CHINESE = 'root ::= "=" [一-龥]{2,3} "."';

let runner: LlamaRunner;
beforeAll(() => {
  runner = openModel({ parallel: 2 });
});
afterAll(() => runner.dispose());

function parse(source: string): RunnerGrammar {
  const grammar = runner.parseGrammar(source);
  if (grammar === undefined) throw new Error(`it was refused: ${source}`);
  return grammar;
}

const tokens = (text: string): number[] => [...runner.tokenize(text, false, false)];
const isAllowed = (grammar: RunnerGrammar, token: number): boolean =>
  (((grammar.mask()[token >> 5] ?? 0) >>> (token & 31)) & 1) === 1;
const countAllowed = (grammar: RunnerGrammar): number =>
  Array.from({ length: runner.info.vocabSize }, (_, token) => token).filter((token) =>
    isAllowed(grammar, token),
  ).length;

describe('a grammar of llama.cpp', () => {
  it('allows what may follow and nothing else, the end only at the end', () => {
    const grammar = parse('root ::= ("x" | "y") [0-9]{2}');
    const [eos = -1] = runner.info.eogTokens;
    expect(isAllowed(grammar, tokens('x')[0] ?? -1)).toBe(true);
    expect(isAllowed(grammar, tokens('z')[0] ?? -1)).toBe(false);
    expect(isAllowed(grammar, eos)).toBe(false);
    for (const token of [...tokens('x'), ...tokens('4'), ...tokens('2')]) {
      expect(isAllowed(grammar, token)).toBe(true);
      grammar.accept([token]);
    }
    expect(isAllowed(grammar, eos)).toBe(true);
    expect(countAllowed(grammar)).toBe(
      runner.info.eogTokens.filter((token) => isAllowed(grammar, token)).length,
    );
    grammar.dispose();
  });

  it('keeps its mask until a token is taken', () => {
    const grammar = parse('root ::= [ab] [cd]');
    const [a = -1] = tokens('a');
    const [c = -1] = tokens('c');
    expect([isAllowed(grammar, a), isAllowed(grammar, c)]).toEqual([true, false]);
    expect([isAllowed(grammar, a), isAllowed(grammar, c)]).toEqual([true, false]);
    grammar.accept([a]);
    expect([isAllowed(grammar, a), isAllowed(grammar, c)]).toEqual([false, true]);
    grammar.dispose();
  });

  it('forces no text: it cannot tell', () => {
    const grammar = parse('root ::= "always the same"');
    expect(grammar.forced()).toEqual([]);
    grammar.dispose();
  });

  it('is refused when it cannot be parsed, has no start or leads back to itself', () => {
    const sound = 'root ::= "a"';
    const bad = [
      'root ::= (',
      'start ::= "a"',
      'root ::= other',
      'root ::= root "a"',
      '',
      '\n',
      `\0${sound}`,
    ];
    for (const source of [...bad, `${sound}\0"b"`]) {
      expect([source, runner.parseGrammar(source)]).toEqual([source, undefined]);
    }
  });

  it('rules the output of the model, greedy and sampled, each sequence by itself', () => {
    const loop = new TestLoop(runner, { cacheBytes: 0 });
    const prompt = 'The opposite of hot is';
    const received = [0, 1.5].map((temperature) =>
      loop.submit({ prompt, sampling: { temperature, seed: '3' }, stop: { maxNewTokens: 24 } }, [
        parse(CHINESE),
      ]),
    );
    loop.run();
    for (const { texts, events } of received) {
      expect(texts[0]).toMatch(/^=[一-龥]{2,3}\.$/u);
      expect(events.find((event) => event.kind === 'choice')).toMatchObject({ reason: 'eos' });
    }
  });

  it('can be made and freed many times, and says the same every time', () => {
    const masks = Array.from({ length: 200 }, () => {
      const grammar = parse(CHINESE);
      const mask = Buffer.from(Int32Array.from(grammar.mask()).buffer).toString('hex');
      grammar.dispose();
      return mask;
    });
    expect(new Set(masks).size).toBe(1);
  });
});
