// The answer's headers: what was counted and how long each part took.

import type { Timings } from '../../../protocol/index.js';

/** Figures of one whole answer. */
export interface AnswerFigures {
  /** Unicode characters of the prompt. */
  readonly characters: number;
  /** Milliseconds from arrival to answer. */
  readonly totalMs: number;
  /** Milliseconds from arrival until the request was handed on. */
  readonly validationMs: number;
  readonly timings: Timings;
  readonly promptTokens: number;
  readonly generatedTokens: number;
}

/** Milliseconds spent computing. */
export function inferenceMs(timings: Timings): number {
  return timings.prefillMs + timings.decodeMs;
}

/** Milliseconds per generated token. */
export function perTokenMs(figures: AnswerFigures): number {
  return inferenceMs(figures.timings) / Math.max(1, figures.generatedTokens);
}

/** Unicode characters of a text (surrogate pairs count once). */
export function countCharacters(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length; at++) if ((text.charCodeAt(at) & 0xfc00) === 0xdc00) count--;
  return count;
}

/** Headers of an answer that does not stream; `computeTime` as the version prints it, absent for completions. */
export function answerHeaders(
  computeType: string,
  figures: AnswerFigures,
  computeTime: string | null,
): Record<string, string> {
  const { timings } = figures;
  return {
    'x-compute-type': computeType,
    ...(computeTime === null ? {} : { 'x-compute-time': computeTime }),
    'x-compute-characters': String(figures.characters),
    'x-total-time': whole(figures.totalMs),
    'x-validation-time': whole(figures.validationMs),
    'x-queue-time': whole(timings.queueMs),
    'x-inference-time': whole(inferenceMs(timings)),
    'x-time-per-token': whole(perTokenMs(figures)),
    'x-prompt-tokens': String(figures.promptTokens),
    'x-generated-tokens': String(figures.generatedTokens),
  };
}

/** Headers of a stream, sent before anything is known about its times. */
export function streamHeaders(computeType: string, characters: number): Record<string, string> {
  return {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
    'x-accel-buffering': 'no',
    'x-compute-type': computeType,
    'x-compute-characters': String(characters),
  };
}

function whole(ms: number): string {
  return String(Math.max(0, Math.floor(ms)));
}
