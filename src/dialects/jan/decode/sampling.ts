// Sampling and stopping fields to the protocol's, as llama-cpp-python means them: its defaults, its order of filters
// (temperature after them) and its window for penalties.

import {
  NEUTRAL_SAMPLING,
  NEUTRAL_STOP,
  type SamplingParams,
  type StopConditions,
} from '../../../protocol/index.js';
import type { CommonBody } from '../schema.js';

/** Tokens the penalties look back over; only generated ones are in that window. */
const PENALTY_WINDOW = 64;
/** A nucleus of 0 means the best token only. */
const SMALLEST_TOP_P = 1e-6;
/** A penalty of 0 would divide by it; this one has the same effect. */
const SMALLEST_REPEAT_PENALTY = 1e-6;
/** -1, also as the unsigned 32 bits it becomes there, asks for a seed nobody knows. */
const RANDOM_SEEDS: readonly number[] = [-1, 0xffff_ffff];

/** How tokens are picked. */
export function decodeSampling(body: CommonBody, logitBias: SamplingParams['logitBias']): SamplingParams {
  return {
    ...NEUTRAL_SAMPLING,
    ...decodeFilters(body),
    repetitionPenalty: Math.max(SMALLEST_REPEAT_PENALTY, body.repeat_penalty),
    presencePenalty: body.presence_penalty ?? 0,
    frequencyPenalty: body.frequency_penalty ?? 0,
    penaltyWindow: PENALTY_WINDOW,
    penaltyScope: 'output',
    logitBias,
    ...decodeSeed(body.seed),
  };
}

type Filters = Partial<
  Pick<SamplingParams, 'temperature' | 'temperatureLast' | 'topK' | 'topP' | 'minP' | 'mirostat'>
>;

/** Greedy at temperature 0, unfiltered below it; otherwise Mirostat, or the filters and then the temperature. */
function decodeFilters(body: CommonBody): Filters {
  const { temperature, mirostat_mode: mode } = body;
  if (temperature === 0) return { temperature: 0 };
  if (temperature < 0) return { temperature: 1 };
  if (mode === 1 || mode === 2) {
    return { temperature: 1, mirostat: { mode, tau: body.mirostat_tau, eta: body.mirostat_eta } };
  }
  return {
    temperature,
    temperatureLast: true,
    topK: body.top_k,
    topP: Math.max(SMALLEST_TOP_P, body.top_p),
    minP: body.min_p,
  };
}

function decodeSeed(seed: number | null): Pick<SamplingParams, 'seed'> {
  return seed === null || RANDOM_SEEDS.includes(seed) ? {} : { seed: BigInt.asUintN(64, BigInt(seed)) };
}

/** When a reply ends; no bound where `maxNewTokens` is null or not positive. */
export function decodeStop(body: CommonBody, maxNewTokens: number | null): StopConditions {
  const stop = body.stop ?? [];
  return {
    ...NEUTRAL_STOP,
    ...(maxNewTokens !== null && maxNewTokens > 0 && { maxNewTokens }),
    minNewTokens: body.min_tokens,
    // An empty stop string would end every reply before it begins.
    stopStrings: (typeof stop === 'string' ? [stop] : stop).filter((text) => text !== ''),
  };
}
