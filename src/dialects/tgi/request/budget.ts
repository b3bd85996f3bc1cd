// How many tokens a prompt has and how many may follow. Counts with the engine's tokenizer, but only where the
// answer is not certain without it: a prompt has no more tokens than bytes.

import { type Engine, KoineError } from '../../../protocol/index.js';
import { inputTokensMessage, totalTokensMessage, validationError } from '../errors.js';
import type { Limits } from './limits.js';

/** A prompt and what is to follow it. */
export interface BudgetRequest {
  readonly inputs: string;
  /** Whether the tokenizer adds BOS and the like. */
  readonly addSpecial: boolean;
  readonly truncate: number | null;
  readonly maxNewTokens: number | null;
  /** Most new tokens the check counts; longer requests run until the context is full (3.3.6). */
  readonly checkedNewTokens: number;
}

/** Tokens a tokenizer may put around a text. */
const ADDED_TOKENS = 4;
/** 3.3.6 judges a request by its first this many new tokens. */
export const LEG_TOKENS = 1024;

/** Checks lengths; returns the bound on new tokens, undefined = until the context is full. Throws `TgiError`. */
export async function checkBudget(
  request: BudgetRequest,
  limits: Limits,
  engine: Engine,
): Promise<number | undefined> {
  const { truncate, maxNewTokens } = request;
  const most = Math.min(Buffer.byteLength(request.inputs) + ADDED_TOKENS, truncate ?? Infinity);
  const isOpenEnded = maxNewTokens === null && limits.maxTotalTokens >= limits.contextTokens;
  if (
    most <= limits.maxInputTokens &&
    (isOpenEnded || most + (maxNewTokens ?? Infinity) <= limits.maxTotalTokens)
  ) {
    return maxNewTokens ?? undefined;
  }
  const counted = await count(request, engine);
  // Without a tokenizer the engine itself refuses what does not fit.
  if (counted === null) return maxNewTokens ?? undefined;
  const inputTokens = Math.min(counted, truncate ?? counted);
  const room = limits.maxTotalTokens - inputTokens;
  const checked = Math.min(maxNewTokens ?? Math.max(0, room), request.checkedNewTokens);
  if (checked > room) {
    throw validationError(totalTokensMessage(limits.maxTotalTokens, inputTokens, checked));
  }
  if (inputTokens > limits.maxInputTokens) {
    throw validationError(inputTokensMessage(limits.maxInputTokens, inputTokens));
  }
  return Math.min(maxNewTokens ?? room, room);
}

async function count(request: BudgetRequest, engine: Engine): Promise<number | null> {
  const { id } = await engine.describe();
  try {
    const spans = await engine.tokenize({
      model: id,
      text: request.inputs,
      addSpecial: request.addSpecial,
      parseSpecial: true,
    });
    return spans.length;
  } catch (error) {
    if (error instanceof KoineError) {
      if (error.code === 'unsupported') return null;
      if (error.code === 'invalid_request') throw validationError(`tokenizer error ${error.message}`);
    }
    throw error;
  }
}
