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

/** What the answer needs from the engine beside its text. */
export interface ReplyNeeds {
  /** Events as tokens appear. */
  readonly stream: boolean;
  /** Every token by itself. */
  readonly tokens: boolean;
  /** Scores cost a pass over the whole vocabulary per token: asked for only where they are shown. */
  readonly logprobs: boolean;
}

/** Nothing but the text, at the end. */
export const TEXT_ONLY: ReplyNeeds = { stream: false, tokens: false, logprobs: false };

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
  readonly reply: ReplyNeeds;
}

/** Builds the neutral request. */
export function decode(parameters: GenerateParameters, context: DecodeContext): GenerateRequest {
  const { reply, constraint, maxNewTokens } = context;
  const sequences = Math.max(1, parameters.bestOf ?? 1);
  // The best of several is found by its scores.
  const isContest = sequences > 1;
  const isScored = reply.logprobs || isContest;
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
      stream: reply.stream,
      tokens: reply.tokens || isContest,
      ...(isScored ? { logprobs: parameters.topNTokens ?? 0 } : {}),
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
