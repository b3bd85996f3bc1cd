import { describe, expect, it } from 'vitest';
import { TgiError } from '../errors.js';
import { type GenerateParameters, NO_PARAMETERS } from '../schema.js';
import type { Limits } from './limits.js';
import { checkBestOf, checkParameters, checkStreaming, isSampling } from './parameters.js';

const limits: Limits = {
  maxBestOf: 2,
  maxStopSequences: 4,
  maxTopNTokens: 5,
  maxInputTokens: 1024,
  maxTotalTokens: 2048,
  hasGrammar: true,
  contextTokens: 2048,
};
const five = ['a', 'b', 'c', 'd', 'e'];

function refusal(check: () => unknown): string {
  try {
    check();
  } catch (error) {
    if (error instanceof TgiError && error.type === 'validation') {
      return error.message.replace('Input validation error: ', '');
    }
    throw error;
  }
  return 'accepted';
}

const given = (parameters: Partial<GenerateParameters>): GenerateParameters => ({
  ...NO_PARAMETERS,
  ...parameters,
});

describe('checkParameters', () => {
  // In TGI's order: each case also breaks every check after its own.
  const broken: readonly (readonly [Partial<GenerateParameters>, string])[] = [
    [{ bestOf: 2 }, 'you must use sampling when `best_of` is > 1'],
    [{ temperature: 0 }, '`temperature` must be strictly positive'],
    [{ repetitionPenalty: 0 }, '`repetition_penalty` must be strictly positive'],
    [{ frequencyPenalty: 2.5 }, '`frequency_penalty` must be >= -2.0 and <= 2.0'],
    [{ topP: 1 }, '`top_p` must be > 0.0 and < 1.0'],
    [{ typicalP: 0 }, '`typical_p` must be > 0.0 and < 1.0'],
    [{ topK: 0 }, '`top_k` must be strictly positive'],
    [{ maxNewTokens: 0 }, '`max_new_tokens` must be strictly positive'],
    [{ stop: five }, '`stop` supports up to 4 stop sequences. Given: 5'],
    [{ seed: 1n, bestOf: 2, doSample: true }, '`seed` must not be set when `best_of` > 1'],
    [{ topNTokens: 6 }, '`top_n_tokens` must be >= 0 and <= 5. Given: 6'],
  ];

  it.each(broken.map(([parameters, why], at) => [why, parameters, at] as const))(
    '%s',
    (why, parameters, at) => {
      const later = Object.assign({}, ...broken.slice(at + 1).map(([next]) => next)) as object;
      const { bestOf: _bestOf, ...rest } = later as Partial<GenerateParameters>;
      expect(
        refusal(() => checkParameters('', given({ ...(at === 0 ? {} : rest), ...parameters }), limits)),
      ).toBe(why);
    },
  );

  it('looks at the prompt and its truncation last', () => {
    expect(refusal(() => checkParameters('', given({ truncate: 0 }), limits))).toBe(
      '`inputs` cannot be empty',
    );
    for (const truncate of [0, 1025]) {
      expect(refusal(() => checkParameters('a', given({ truncate }), limits))).toBe(
        `\`truncate\` must be strictly positive and less than 1024. Given: ${truncate}`,
      );
    }
  });

  it('accepts the borders', () => {
    const borders: Partial<GenerateParameters>[] = [
      { frequencyPenalty: -2 },
      { frequencyPenalty: 2 },
      { topP: 0.99 },
      { topK: 1 },
      { truncate: 1024 },
      { topNTokens: 5 },
      { stop: five.slice(1) },
      { seed: 2n ** 64n - 1n },
      { bestOf: 0 },
    ];
    for (const parameters of borders) {
      expect(refusal(() => checkParameters('a', given(parameters), limits))).toBe('accepted');
    }
  });

  it('judges numbers as 32-bit floats', () => {
    expect(refusal(() => checkParameters('a', given({ topP: 0.99999999999 }), limits))).toContain('top_p');
    expect(refusal(() => checkParameters('a', given({ temperature: 1e-60 }), limits))).toContain(
      'temperature',
    );
  });
});

describe('checkBestOf', () => {
  it('is one sequence for 0, 1 and nothing', () => {
    for (const bestOf of [null, 0, 1]) expect(checkBestOf(given({ bestOf }), limits)).toBe(1);
  });

  it('refuses what the limit does not allow', () => {
    expect(checkBestOf(given({ bestOf: 2 }), limits)).toBe(2);
    expect(refusal(() => checkBestOf(given({ bestOf: 3 }), limits))).toBe(
      '`best_of` must be > 0 and <= 2. Given: 3',
    );
    expect(refusal(() => checkBestOf(given({ bestOf: 2 }), { ...limits, maxBestOf: 1 }))).toBe(
      '`best_of` != 1 is not allowed for this endpoint',
    );
  });
});

describe('checkStreaming', () => {
  it('refuses what cannot be streamed', () => {
    expect(refusal(() => checkStreaming(given({ bestOf: 0 })))).toContain('`best_of` != 1');
    expect(refusal(() => checkStreaming(given({ decoderInputDetails: true })))).toContain(
      '`decoder_input_details`',
    );
    expect(refusal(() => checkStreaming(given({ bestOf: 1 })))).toBe('accepted');
  });
});

describe('isSampling', () => {
  it('is greedy when nothing is active, also at temperature 1', () => {
    expect(isSampling(given({}))).toBe(false);
    expect(isSampling(given({ temperature: 1 }))).toBe(false);
    expect(isSampling(given({ repetitionPenalty: 2 }))).toBe(false);
  });

  it('samples as soon as a filter is active', () => {
    for (const p of [
      { doSample: true },
      { temperature: 0.5 },
      { topK: 5 },
      { topP: 0.5 },
      { typicalP: 0.5 },
    ]) {
      expect(isSampling(given(p))).toBe(true);
    }
  });
});
