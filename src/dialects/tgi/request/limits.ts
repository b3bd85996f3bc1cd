// The numbers a request is checked against, once the model is known.

import type { TgiOptions } from '../options.js';

/** Limits in force. All are counts. */
export interface Limits {
  readonly maxBestOf: number;
  readonly maxStopSequences: number;
  readonly maxTopNTokens: number;
  readonly maxInputTokens: number;
  readonly maxTotalTokens: number;
  readonly hasGrammar: boolean;
  /** Prompt plus new tokens the model itself has room for. */
  readonly contextTokens: number;
}

const V1_INPUT_TOKENS = 1024;
const V1_TOTAL_TOKENS = 2048;

/** 3.3.6: as much as the model takes. */
export function limitsV3(options: TgiOptions, contextTokens: number): Limits {
  const total = Math.min(options.maxTotalTokens ?? contextTokens, contextTokens);
  return limits(options, contextTokens, total, options.maxInputTokens ?? total - 1);
}

/** 1.4.2: 1024 and 2048 where not told otherwise and where the model takes that much. */
export function limitsV1(options: TgiOptions, contextTokens: number): Limits {
  const total = Math.min(options.maxTotalTokens ?? V1_TOTAL_TOKENS, contextTokens);
  return limits(options, contextTokens, total, options.maxInputTokens ?? V1_INPUT_TOKENS);
}

function limits(options: TgiOptions, contextTokens: number, total: number, input: number): Limits {
  return {
    maxBestOf: options.maxBestOf,
    maxStopSequences: options.maxStopSequences,
    maxTopNTokens: options.maxTopNTokens,
    maxInputTokens: Math.max(1, Math.min(input, total - 1)),
    maxTotalTokens: total,
    hasGrammar: !options.disableGrammarSupport,
    contextTokens,
  };
}
