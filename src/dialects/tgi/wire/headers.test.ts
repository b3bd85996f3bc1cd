import { describe, expect, it } from 'vitest';
import { answerHeaders, countCharacters } from './headers.js';

describe('countCharacters', () => {
  it('counts Unicode characters', () => {
    expect([countCharacters(''), countCharacters('aé世'), countCharacters('😀a😀')]).toEqual([0, 3, 3]);
  });
});

describe('answerHeaders', () => {
  const figures = {
    characters: 4,
    totalMs: 20.9,
    validationMs: 1.2,
    timings: { queueMs: 2.9, prefillMs: 5, decodeMs: 10.5 },
    promptTokens: 3,
    generatedTokens: 2,
  };

  it('shows whole milliseconds', () => {
    expect(answerHeaders('cpu', figures, '0.0209')).toEqual({
      'x-compute-type': 'cpu',
      'x-compute-time': '0.0209',
      'x-compute-characters': '4',
      'x-total-time': '20',
      'x-validation-time': '1',
      'x-queue-time': '2',
      'x-inference-time': '15',
      'x-time-per-token': '7',
      'x-prompt-tokens': '3',
      'x-generated-tokens': '2',
    });
  });

  it('leaves the time to compute out for completions', () => {
    expect(answerHeaders('cpu', figures, null)).not.toHaveProperty('x-compute-time');
  });
});
