// Neutral values: every part switched off. Dialects spread these and set only what their wire format sets.

import type { OutputOptions, SamplingParams, StopConditions } from './generate.js';

/** Sampling with everything off: pure softmax sampling at temperature 1. */
export const NEUTRAL_SAMPLING: SamplingParams = {
  temperature: 1,
  topK: 0,
  topP: 1,
  minP: 0,
  typicalP: 1,
  repetitionPenalty: 1,
  presencePenalty: 0,
  frequencyPenalty: 0,
  frequencyMode: 'count',
  penaltyWindow: -1,
  penaltyScope: 'output',
  logitBias: [],
  mirostat: { mode: 0, tau: 5, eta: 0.1 },
  dry: { multiplier: 0, base: 1.75, allowedLength: 2, window: -1, breakers: ['\n', ':', '"', '*'] },
  xtc: { probability: 0, threshold: 0.1 },
};

/** Ends at EOS or when the context is full. */
export const NEUTRAL_STOP: StopConditions = {
  minNewTokens: 0,
  stopStrings: [],
  stopTokens: [],
  ignoreEos: false,
  keepStopText: false,
};

/** Text only, in one piece at the end. */
export const NEUTRAL_OUTPUT: OutputOptions = {
  stream: false,
  tokens: false,
  logprobsOf: 'raw',
  prompt: false,
  specialTokens: false,
};
