// Checked wire parameters to the protocol's request. Every default of TGI is applied here.

import {
  type Constraint,
  type GenerateInput,
  type GenerateRequest,
  NEUTRAL_OUTPUT,
  NEUTRAL_SAMPLING,
  NEUTRAL_STOP,
  type SamplingParams,
} from '../../protocol/index.js';
import { isSampling } from './request/parameters.js';
import type { GenerateParameters } from './schema.js';

/** What is known about a request beside its parameters. */
export interface DecodeContext {
  readonly id: string;
  readonly model: string;
  readonly input: GenerateInput;
  readonly constraint: Constraint | null;
  /** Adapters that exist; any other name means the base model. */
  readonly adapters: readonly string[];
  /** Bound on new tokens; undefined = until the context is full. */
  readonly maxNewTokens: number | undefined;
  readonly watermark: { readonly gamma: number; readonly delta: number };
  /** How the answer is given: token by token, whole with its tokens, or whole without. */
  readonly reply: 'stream' | 'tokens' | 'text';
}

/** Builds the neutral request. */
export function decode(parameters: GenerateParameters, context: DecodeContext): GenerateRequest {
  const { reply, constraint, maxNewTokens } = context;
  const sequences = Math.max(1, parameters.bestOf ?? 1);
  const wantsTokens = reply !== 'text' || sequences > 1;
  const adapter = context.adapters.find((name) => name === parameters.adapterId);
  return {
    id: context.id,
    model: context.model,
    input: context.input,
    sampling: sampling(parameters, context.watermark),
    stop: {
      ...NEUTRAL_STOP,
      ...(maxNewTokens === undefined ? {} : { maxNewTokens }),
      stopStrings: parameters.stop.filter((text) => text !== ''),
      keepStopText: true,
    },
    ...(constraint === null ? {} : { constraint }),
    output: {
      ...NEUTRAL_OUTPUT,
      stream: reply === 'stream',
      tokens: wantsTokens,
      ...(wantsTokens ? { logprobs: parameters.topNTokens ?? 0 } : {}),
      logprobsOf: 'processed',
      prompt: parameters.decoderInputDetails,
      ...(parameters.decoderInputDetails ? { promptLogprobs: 0 } : {}),
    },
    ...(adapter === undefined ? {} : { adapter }),
    n: sequences,
    bestOf: sequences,
    priority: 0,
    ...(parameters.truncate === null ? {} : { truncateTo: parameters.truncate }),
    // Prompt log-probabilities need every prompt position computed.
    usePrefixCache: !parameters.decoderInputDetails,
  };
}

function sampling(p: GenerateParameters, watermark: DecodeContext['watermark']): SamplingParams {
  return {
    ...NEUTRAL_SAMPLING,
    temperature: isSampling(p) ? (p.temperature ?? 1) : 0,
    topK: p.topK ?? NEUTRAL_SAMPLING.topK,
    topP: p.topP ?? NEUTRAL_SAMPLING.topP,
    typicalP: p.typicalP ?? NEUTRAL_SAMPLING.typicalP,
    repetitionPenalty: p.repetitionPenalty ?? NEUTRAL_SAMPLING.repetitionPenalty,
    frequencyPenalty: p.frequencyPenalty ?? NEUTRAL_SAMPLING.frequencyPenalty,
    frequencyMode: 'relative',
    penaltyScope: 'all',
    ...(p.watermark ? { watermark } : {}),
    ...(p.seed === null ? {} : { seed: p.seed }),
  };
}
