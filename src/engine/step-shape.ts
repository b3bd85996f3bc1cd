// One number for what a step computes, so that times of like steps can be compared. Engine process.

import type { StepKind } from './scheduler/plan.js';

/** Steps with the same number cost about the same: decodes exactly, prefill by its order of magnitude. */
export function stepShape(kind: StepKind, tokens: number): number {
  return kind === 'decode' ? tokens : PREFILL + Math.floor(Math.log2(tokens) * 2);
}

/** Whether a step of this shape computes prompt tokens. */
export function hasPrefill(shape: number): boolean {
  return shape >= PREFILL;
}

/** More than a step can have decodes. */
const PREFILL = 1024;
