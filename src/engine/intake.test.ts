import { describe, expect, it } from 'vitest';
import { createFakeRunner } from '../../test/support/fake-runner.js';
import { TestLoop } from '../../test/support/loop.js';
import { KoineError } from '../protocol/index.js';
import type { ModelFacts } from './model-runner.js';
import type { PromptInput } from './process/messages.js';

function loopOf(facts: Partial<ModelFacts> = {}): TestLoop {
  return new TestLoop(createFakeRunner({ facts }));
}

/** The tokens a prompt becomes. */
function promptOf(prompt: PromptInput, truncateTo?: number, facts: Partial<ModelFacts> = {}): string {
  const loop = loopOf(facts);
  loop.submit({ prompt, ...(truncateTo === undefined ? {} : { truncateTo }) });
  const [sequence] = loop.loop.waiting.snapshot();
  return createFakeRunner().vocabulary.text(sequence?.tokens.slice(0, sequence.length) ?? []);
}

function refusal(submit: () => unknown): KoineError {
  try {
    submit();
  } catch (error) {
    if (error instanceof KoineError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

const text = (content: string) =>
  ({ kind: 'text', text: content, addSpecial: false, parseSpecial: false }) as const;

describe('a prompt', () => {
  it('of text is tokenised as asked', () => {
    expect(promptOf({ ...text('hi'), addSpecial: true })).toBe('<bos>hi');
    const [first] = loopOf().runner.tokenize('<|user|>', false, true);
    const marked = promptOf({ ...text('<|user|>hi'), parseSpecial: true });
    expect(marked).toBe('<|user|>hi');
    expect(first).toBeLessThan(6);
  });

  it('of tokens is taken as it is, unless one of them does not exist', () => {
    expect(promptOf({ kind: 'tokens', tokens: [78, 79] })).toBe('hi');
    for (const token of [-1, 1e9, 0.5, Number.NaN]) {
      const error = refusal(() => loopOf().submit({ prompt: { kind: 'tokens', tokens: [78, token] } }));
      expect(error).toMatchObject({ code: 'invalid_request', details: { field: 'prompt' } });
      expect(error.message).toContain(String(token));
    }
  });

  it('to fill in the middle has the model’s markers around it', () => {
    const infillTokens = { prefix: 1, suffix: 4, middle: 5 };
    const prompt = { kind: 'infill', prefix: 'ab', suffix: 'yz' } as const;
    expect(promptOf(prompt, undefined, { infillTokens })).toBe('<bos>ab<|user|>yz<|assistant|>');
    expect(refusal(() => loopOf().submit({ prompt }))).toMatchObject({ code: 'unsupported' });
  });

  it('is cut to its last tokens when that is asked for', () => {
    expect(promptOf(text('ABCDEF'), 2)).toBe('EF');
    expect(promptOf(text('ABCDEF'), 6)).toBe('ABCDEF');
    expect(promptOf(text('ABCDEF'), 60)).toBe('ABCDEF');
    expect(refusal(() => loopOf().submit({ prompt: text('ABCDEF'), truncateTo: 0 })).code).toBe(
      'invalid_request',
    );
  });

  it('must not be empty', () => {
    expect(refusal(() => loopOf().submit({ prompt: text('') }))).toMatchObject({
      code: 'invalid_request',
      message: 'the prompt is empty',
    });
    expect(refusal(() => loopOf().submit({ prompt: { kind: 'tokens', tokens: [] } })).code).toBe(
      'invalid_request',
    );
  });

  it('that is too long is refused with all the numbers, and nothing is computed', () => {
    const loop = loopOf();
    const error = refusal(() => loop.submit({ prompt: text('A'.repeat(70)), stop: { maxNewTokens: 5 } }));
    expect(error).toMatchObject({
      code: 'too_long',
      details: { promptTokens: 70, limitTokens: 64, maxNewTokens: 5 },
    });
    expect(loop.loop.hasWork).toBe(false);
  });

  it('with rows of another width, with scores, or cut off is refused', () => {
    const segments = (floats: number) =>
      ({
        kind: 'segments',
        segments: [
          { kind: 'text', text: 'x' },
          { kind: 'rows', count: 1, rows: Buffer.alloc(floats * 4).toString('base64') },
        ],
      }) as const;
    expect(refusal(() => loopOf().submit({ prompt: segments(7) })).code).toBe('invalid_request');
    const scored = { prompt: segments(8), output: { promptLogprobs: 0 } };
    expect(refusal(() => loopOf().submit(scored)).code).toBe('unsupported');
    expect(refusal(() => loopOf().submit({ prompt: segments(8), truncateTo: 1 })).code).toBe('unsupported');
  });
});
