// One number for what a step computes, so that times of like steps can be compared. Engine process.

/** Steps with the same number cost about the same: decodes exactly, prefill by its order of magnitude. */
export function stepShape(step: { readonly decodes: number; readonly prefillTokens: number }): number {
  const prefill = step.prefillTokens === 0 ? 0 : 1 + Math.floor(Math.log2(step.prefillTokens) * 2);
  return step.decodes + prefill * PREFILL;
}

/** Whether a step of this shape computes prompt tokens. */
export function hasPrefill(shape: number): boolean {
  return shape >= PREFILL;
}

/** More than a step can have decodes. */
const PREFILL = 1024;
