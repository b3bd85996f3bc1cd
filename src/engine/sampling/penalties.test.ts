import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NEUTRAL_SAMPLING, type SamplingParams } from '../../protocol/index.js';
import { hasPenalties, Penalties } from './penalties.js';

const VOCABULARY = 12;

/** The formulas, straight from the definitions. */
function expected(
  logits: readonly number[],
  params: SamplingParams,
  prompt: readonly number[],
  output: readonly number[],
): number[] {
  const all = params.penaltyScope === 'all' ? [...prompt, ...output] : [...output];
  const seen = params.penaltyWindow < 0 ? all : all.slice(Math.max(0, all.length - params.penaltyWindow));
  return logits.map((logit, id) => {
    const count = seen.filter((token) => token === id).length;
    if (count === 0) return logit;
    const repeated = logit < 0 ? logit * params.repetitionPenalty : logit / params.repetitionPenalty;
    const per = params.frequencyMode === 'relative' ? count / seen.length : count;
    return repeated - params.presencePenalty - params.frequencyPenalty * per;
  });
}

const tokens = fc.array(fc.nat(VOCABULARY - 1), { maxLength: 40 });

describe('Penalties', () => {
  it('are the formulas of TGI and OpenAI over the window', () => {
    fc.assert(
      fc.property(
        fc.array(fc.float({ min: -8, max: 8, noNaN: true }), {
          minLength: VOCABULARY,
          maxLength: VOCABULARY,
        }),
        fc.record({
          repetitionPenalty: fc.constantFrom(1, 1.1, 2, 0.5),
          presencePenalty: fc.constantFrom(0, 0.5, -1),
          frequencyPenalty: fc.constantFrom(0, 0.3, -0.2),
          frequencyMode: fc.constantFrom('count' as const, 'relative' as const),
          penaltyWindow: fc.constantFrom(-1, 1, 5, 30),
          penaltyScope: fc.constantFrom('output' as const, 'all' as const),
        }),
        tokens,
        tokens,
        (logits, some, prompt, output) => {
          const params = { ...NEUTRAL_SAMPLING, ...some };
          const penalties = new Penalties(params, Int32Array.from(prompt));
          for (const token of output) penalties.accept(token);
          const row = Float32Array.from(logits);
          penalties.apply(row);
          const right = expected(logits, params, prompt, output);
          for (const [id, value] of right.entries()) expect(row[id]).toBeCloseTo(value, 4);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('are off at neutral values, without a window, or with a factor of 0', () => {
    expect(hasPenalties(NEUTRAL_SAMPLING)).toBe(false);
    expect(hasPenalties({ ...NEUTRAL_SAMPLING, repetitionPenalty: 0 })).toBe(false);
    expect(hasPenalties({ ...NEUTRAL_SAMPLING, presencePenalty: 1, penaltyWindow: 0 })).toBe(false);
    expect(hasPenalties({ ...NEUTRAL_SAMPLING, presencePenalty: 1 })).toBe(true);
  });

  it('count many distinct tokens and forget them again', () => {
    const params = { ...NEUTRAL_SAMPLING, presencePenalty: 1, penaltyWindow: 100 };
    const penalties = new Penalties(params, new Int32Array(0));
    for (let token = 0; token < 500; token++) penalties.accept(token);
    const row = new Float32Array(500);
    penalties.apply(row);
    expect(
      Array.from(row)
        .map((logit, id) => (logit === -1 ? id : -1))
        .filter((id) => id >= 0),
    ).toEqual(Array.from({ length: 100 }, (_, i) => 400 + i));
  });
});
