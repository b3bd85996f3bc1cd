// Sampling, stopping and output fields of a body to the protocol's, with OpenAI's defaults. Names of vLLM, llama.cpp
// and LMDeploy for the same things are understood too.

import {
  KoineError,
  NEUTRAL_OUTPUT,
  NEUTRAL_SAMPLING,
  NEUTRAL_STOP,
  type OutputOptions,
  type SamplingParams,
  type StopConditions,
} from '../../../protocol/index.js';
import type { CommonBody } from '../schema.js';

/** OpenAI allows a nucleus of 0, which means the best token only. */
const SMALLEST_TOP_P = 1e-6;

/** How tokens are picked. Absent fields take OpenAI's defaults: temperature 1, everything else off. */
export function decodeSampling(body: CommonBody): SamplingParams {
  const repetitionPenalty = body.repetition_penalty ?? body.repeat_penalty ?? 1;
  const { mirostat, dry, xtc } = NEUTRAL_SAMPLING;
  const mode = body.mirostat ?? body.mirostat_mode ?? 0;
  return {
    ...NEUTRAL_SAMPLING,
    temperature: body.temperature ?? 1,
    topK: Math.max(0, body.top_k ?? 0),
    topP: Math.max(SMALLEST_TOP_P, body.top_p ?? 1),
    minP: body.min_p ?? 0,
    typicalP: Math.max(SMALLEST_TOP_P, body.typical_p ?? 1),
    repetitionPenalty,
    presencePenalty: body.presence_penalty ?? 0,
    frequencyPenalty: body.frequency_penalty ?? 0,
    // The servers that know a repetition penalty count the prompt in; OpenAI's two penalties do not.
    penaltyScope: repetitionPenalty === 1 ? 'output' : 'all',
    logitBias: decodeLogitBias(body.logit_bias),
    mirostat: {
      mode: mode === 1 || mode === 2 ? mode : 0,
      tau: body.mirostat_tau ?? mirostat.tau,
      eta: body.mirostat_eta ?? mirostat.eta,
    },
    dry: {
      multiplier: body.dry_multiplier ?? dry.multiplier,
      base: body.dry_base ?? dry.base,
      allowedLength: body.dry_allowed_length ?? dry.allowedLength,
      window: body.dry_penalty_last_n ?? dry.window,
      breakers: body.dry_sequence_breakers ?? dry.breakers,
    },
    xtc: {
      probability: body.xtc_probability ?? xtc.probability,
      threshold: body.xtc_threshold ?? xtc.threshold,
    },
    ...decodeSeed(body.seed),
  };
}

/** -1 asks for a seed of the engine's choice, as most local servers have it; others are taken modulo 2^64. */
function decodeSeed(seed: number | undefined): Pick<SamplingParams, 'seed'> {
  return seed === undefined || seed === -1 ? {} : { seed: BigInt.asUintN(64, BigInt(seed)) };
}

function decodeLogitBias(bias: CommonBody['logit_bias']): SamplingParams['logitBias'] {
  return Object.entries(bias ?? {}).map(([key, value]) => {
    if (!/^\d{1,9}$/.test(key)) {
      const message = `'logit_bias' takes token ids as keys; '${key.slice(0, 32)}' is none.`;
      throw new KoineError('invalid_request', message, { field: 'logit_bias' });
    }
    // -100 is documented to ban a token, which a finite bias cannot promise.
    return [Number(key), value === -100 ? Number.NEGATIVE_INFINITY : value];
  });
}

/** When a reply ends. -1 new tokens means no bound; `fallback` applies when the body sets none. */
export function decodeStop(
  body: CommonBody & { readonly max_completion_tokens?: number },
  fallback?: number,
): StopConditions {
  const given = body.max_completion_tokens ?? body.max_tokens ?? fallback;
  const stop = body.stop ?? [];
  return {
    ...NEUTRAL_STOP,
    ...(given !== undefined && given !== -1 && { maxNewTokens: given }),
    minNewTokens: body.min_tokens ?? body.min_new_tokens ?? 0,
    // An empty stop string would end every reply before it begins.
    stopStrings: (typeof stop === 'string' ? [stop] : stop).filter((text) => text !== ''),
    stopTokens: body.stop_token_ids ?? [],
    ignoreEos: body.ignore_eos ?? false,
    keepStopText: body.include_stop_str_in_output ?? false,
  };
}

/** What comes back beside the text; `logprobs` is the number of alternatives, absent = none. */
export function decodeOutput(body: CommonBody, logprobs: number | undefined): OutputOptions {
  return {
    ...NEUTRAL_OUTPUT,
    stream: body.stream ?? false,
    tokens: body.return_token_ids ?? false,
    ...(logprobs !== undefined && { logprobs }),
    prompt: body.return_token_ids ?? false,
    specialTokens: body.skip_special_tokens === false,
  };
}
