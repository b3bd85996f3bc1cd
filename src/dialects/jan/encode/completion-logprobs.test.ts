import { describe, expect, it } from 'vitest';
import type { TokenInfo } from '../../../protocol/index.js';
import { CompletionLogprobs } from './completion-logprobs.js';

const token = (text: string, extra: Partial<TokenInfo> = {}): TokenInfo => ({
  id: 5,
  text,
  logprob: -1,
  special: false,
  ...extra,
});
const BOS = token('<s>', { special: true, logprob: null });

function read(logprobs: CompletionLogprobs) {
  return JSON.parse(logprobs.take()) as {
    text_offset: number[];
    token_logprobs: (number | null)[];
    tokens: string[];
    top_logprobs: (Record<string, number> | null)[];
  };
}

describe('logprobs of a completion', () => {
  it('count offsets in characters, also where a character is spread over tokens', () => {
    const logprobs = new CompletionLogprobs(3);
    logprobs.add([
      token('é'),
      token('', { bytes: [0xf0, 0x9f] }),
      token('😀!', { bytes: [0x98, 0x80, 0x21] }),
    ]);
    expect(read(logprobs)).toMatchObject({ text_offset: [3, 4, 4], tokens: ['é', '', '😀!'] });
    logprobs.add([token('x')]);
    expect(read(logprobs).text_offset).toEqual([6]);
    expect(logprobs.isEmpty).toBe(true);
  });

  it('leave BOS out of an echoed prompt and the values out of its first token', () => {
    const logprobs = new CompletionLogprobs(0);
    logprobs.addPrompt(
      [BOS, token('The'), token(' cat', { top: [token(' dog', { logprob: -0.5 })] })],
      'The cat',
    );
    logprobs.add([token(' sat')]);
    expect(read(logprobs)).toEqual({
      text_offset: [0, 3, 7],
      token_logprobs: [null, -1, -1],
      tokens: ['The', ' cat', ' sat'],
      top_logprobs: [null, { ' dog': -0.5, ' cat': -1 }, { ' sat': -1 }],
    });
  });

  it('follow tokenizers that put a space before the text', () => {
    const logprobs = new CompletionLogprobs(0);
    logprobs.addPrompt([BOS, token(' The'), token(' cat')], 'The cat');
    expect(read(logprobs).text_offset).toEqual([0, 3]);
    const inside = new CompletionLogprobs(0);
    // Only before the text: a space in the middle of it is the text's own.
    inside.addPrompt([token('a'), token(' b')], 'ab');
    expect(read(inside).tokens).toEqual(['a']);
  });

  it('leave out the markers and the suffix of an infilled prompt', () => {
    const marker = (text: string): TokenInfo => token(text, { special: true });
    const logprobs = new CompletionLogprobs(0);
    const tokens = [marker('<PRE>'), token('a'), token('b'), marker('<SUF>'), token('c'), marker('<MID>')];
    logprobs.addPrompt(tokens, 'ab');
    logprobs.add([token('x')]);
    expect(read(logprobs)).toMatchObject({ tokens: ['a', 'b', 'x'], text_offset: [0, 1, 2] });
  });

  it('keep the chosen token among the alternatives, once, and say what JSON cannot', () => {
    const logprobs = new CompletionLogprobs(0);
    const top = [token('a', { logprob: -0.1 }), token('b', { logprob: Number.NEGATIVE_INFINITY })];
    logprobs.add([token('a', { logprob: -0.1, top }), token('\ufffd', { bytes: [0x98] })]);
    expect(read(logprobs)).toMatchObject({
      top_logprobs: [{ a: -0.1, b: -9999 }, { '': -1 }],
      tokens: ['a', ''],
    });
  });
});
