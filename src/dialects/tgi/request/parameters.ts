// The checks on a request's parameters that need no tokenizer, in TGI's order: the first that fails is the answer.

import { validationError } from '../errors.js';
import type { GenerateParameters } from '../schema.js';
import type { Limits } from './limits.js';

/** Refusals that stream-only routes give before anything else. */
export function checkStreaming(parameters: GenerateParameters): void {
  if ((parameters.bestOf ?? 1) !== 1) {
    throw validationError('`best_of` != 1 is not supported when streaming tokens');
  }
  if (parameters.decoderInputDetails) {
    throw validationError('`decoder_input_details` == true is not supported when streaming tokens');
  }
}

/** The range of `best_of`, checked before a place is taken. Returns the number of sequences to run. */
export function checkBestOf(parameters: GenerateParameters, limits: Limits): number {
  const bestOf = parameters.bestOf ?? 1;
  if (bestOf <= 1) return 1;
  if (limits.maxBestOf === 1) throw validationError('`best_of` != 1 is not allowed for this endpoint');
  if (bestOf > limits.maxBestOf) {
    throw validationError(`\`best_of\` must be > 0 and <= ${limits.maxBestOf}. Given: ${bestOf}`);
  }
  return bestOf;
}

/** Everything else that can be said without counting tokens. Throws `TgiError`. */
export function checkParameters(inputs: string, parameters: GenerateParameters, limits: Limits): void {
  const why = firstFault(inputs, parameters, limits);
  if (why !== null) throw validationError(why);
}

function firstFault(inputs: string, p: GenerateParameters, limits: Limits): string | null {
  const asksToSample =
    p.doSample || p.temperature !== null || p.topK !== null || p.topP !== null || p.typicalP !== null;
  if ((p.bestOf ?? 1) > 1 && !asksToSample) return 'you must use sampling when `best_of` is > 1';
  return numberFault(p) ?? countFault(inputs, p, limits);
}

function numberFault(p: GenerateParameters): string | null {
  if (!isAbove(p.temperature, 0)) return '`temperature` must be strictly positive';
  if (!isAbove(p.repetitionPenalty, 0)) return '`repetition_penalty` must be strictly positive';
  if (p.frequencyPenalty !== null && !(Math.abs(single(p.frequencyPenalty)) <= 2)) {
    return '`frequency_penalty` must be >= -2.0 and <= 2.0';
  }
  if (!isShare(p.topP)) return '`top_p` must be > 0.0 and < 1.0';
  if (!isShare(p.typicalP)) return '`typical_p` must be > 0.0 and < 1.0';
  if (!isAbove(p.topK, 0)) return '`top_k` must be strictly positive';
  return p.maxNewTokens === 0 ? '`max_new_tokens` must be strictly positive' : null;
}

function countFault(inputs: string, p: GenerateParameters, limits: Limits): string | null {
  if (p.stop.length > limits.maxStopSequences) {
    return `\`stop\` supports up to ${limits.maxStopSequences} stop sequences. Given: ${p.stop.length}`;
  }
  if (p.seed !== null && (p.bestOf ?? 1) > 1) return '`seed` must not be set when `best_of` > 1';
  const topN = p.topNTokens ?? 0;
  if (topN > limits.maxTopNTokens) {
    return `\`top_n_tokens\` must be >= 0 and <= ${limits.maxTopNTokens}. Given: ${topN}`;
  }
  if (inputs === '') return '`inputs` cannot be empty';
  const { truncate } = p;
  if (truncate !== null && (truncate === 0 || truncate > limits.maxInputTokens)) {
    return `\`truncate\` must be strictly positive and less than ${limits.maxInputTokens}. Given: ${truncate}`;
  }
  return null;
}

/** Whether sampling is in force: asked for, or implied by a filter. Temperature 1 alone implies nothing. */
export function isSampling(p: GenerateParameters): boolean {
  return (
    p.doSample ||
    (p.temperature !== null && single(p.temperature) !== 1) ||
    p.topK !== null ||
    p.topP !== null ||
    p.typicalP !== null
  );
}

function isAbove(value: number | null, bound: number): boolean {
  return value === null || single(value) > bound;
}

function isShare(value: number | null): boolean {
  return value === null || (single(value) > 0 && single(value) < 1);
}

/** Numbers are judged as the 32-bit floats they are on the other side. */
function single(value: number): number {
  return Math.fround(value);
}
