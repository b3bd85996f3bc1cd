// Logits to weights, exp((logit - max) / temperature): over a row, into a histogram, over a list. The exponential is a
// table of 64 steps per unit times a cubic (relative error below 3e-9, four times faster than Math.exp); 32 units below
// the best a weight is under 1.3e-14 and counts as nothing. The loops live beside the table because only constants
// that a module does not export are known to the compiler; reading them through a module boundary costs half as much again.

import type { Candidates } from './candidates.js';

const STEPS = 64;
const BINS = 2048;
const BLOCK = 256;
const TABLE = Float64Array.from({ length: BINS }, (_, i) => Math.exp(-i / STEPS));
const C1 = 1 / STEPS;
const C2 = C1 ** 2 / 2;
const C3 = C1 ** 3 / 6;

/** Histogram bins per unit of distance from the best logit, at temperature 1. */
export const BINS_PER_UNIT: number = STEPS;
/** Bins of a histogram of weights. */
export const WEIGHT_BINS: number = BINS;
/** Logits summed up per entry of a row's block sums. */
export const WEIGHT_BLOCK: number = BLOCK;

/** exp(-t / STEPS) for 0 <= t < BINS; 0 for greater t and for NaN. */
function expNegative(t: number): number {
  if (!(t < BINS)) return 0;
  const bin = t | 0;
  const rest = t - bin;
  return TABLE[bin]! * (1 - rest * (C1 - rest * (C2 - rest * C3)));
}

/** Sum of the row's weights, and the same per block in `blockSums`. `inverse` is 1 / temperature. */
export function sumWeights(row: Float32Array, max: number, inverse: number, blockSums: Float64Array): number {
  const scale = inverse * STEPS;
  let total = 0;
  let block = 0;
  for (let start = 0; start < row.length; start += BLOCK) {
    const stop = Math.min(start + BLOCK, row.length);
    let sum = 0;
    for (let i = start; i < stop; i++) sum += expNegative((max - row[i]!) * scale);
    blockSums[block++] = sum;
    total += sum;
  }
  return total;
}

/** Walks the row in token order to the token at `target` of the mass that `sumWeights` found. */
export function walkRow(
  row: Float32Array,
  max: number,
  inverse: number,
  draw: { readonly blockSums: Float64Array; readonly target: number },
): number {
  const scale = inverse * STEPS;
  const lastBlock = Math.ceil(row.length / BLOCK) - 1;
  let rest = draw.target;
  let block = 0;
  while (block < lastBlock && rest >= draw.blockSums[block]!) rest -= draw.blockSums[block++]!;
  // Rounding may carry the walk past the end; the last token with any weight is the answer then.
  let last = -1;
  for (let i = block * BLOCK; i < row.length; i++) {
    const weight = expNegative((max - row[i]!) * scale);
    if (weight === 0) continue;
    last = i;
    rest -= weight;
    if (rest < 0) return i;
  }
  return last === -1 ? row.indexOf(max) : last;
}

/** Fills `histogram` with the row's weights by distance from the maximum; returns their sum. */
export function sumHistogram(
  row: Float32Array,
  max: number,
  inverse: number,
  histogram: Float64Array,
): number {
  const scale = inverse * STEPS;
  histogram.fill(0);
  for (let i = 0; i < row.length; i++) {
    const t = (max - row[i]!) * scale;
    if (t < BINS) histogram[t | 0]! += expNegative(t);
  }
  let total = 0;
  for (let bin = 0; bin < BINS; bin++) total += histogram[bin]!;
  return total;
}

function binOf(distance: number, scale: number): number {
  const t = distance * scale;
  return t < BINS ? t | 0 : BINS - 1;
}

/**
 * Splits a list at the bin of distance from `max` in which the weights of the best tokens reach `mass`: better tokens
 * stay, those in the bin go to `edge`, worse ones are dropped. Returns the mass of those that stayed.
 */
export function splitAtMass(
  list: Candidates,
  mass: number,
  by: { readonly max: number; readonly inverse: number; readonly histogram: Float64Array },
  edge: Candidates,
): number {
  const { ids, keys, weights, length } = list;
  const { max, histogram } = by;
  const scale = by.inverse * STEPS;
  histogram.fill(0);
  for (let i = 0; i < length; i++) histogram[binOf(max - keys[i]!, scale)]! += weights[i]!;
  let before = 0;
  let cut = 0;
  while (cut < BINS - 1 && before + histogram[cut]! < mass) before += histogram[cut++]!;
  let kept = 0;
  let edged = 0;
  for (let i = 0; i < length; i++) {
    const bin = binOf(max - keys[i]!, scale);
    if (bin < cut) {
      ids[kept] = ids[i]!;
      keys[kept] = keys[i]!;
      weights[kept++] = weights[i]!;
    } else if (bin === cut) {
      edge.ids[edged] = ids[i]!;
      edge.keys[edged] = keys[i]!;
      edge.weights[edged++] = weights[i]!;
    }
  }
  list.length = kept;
  edge.length = edged;
  return before;
}

/** Sets the list's weights and returns their sum. A key of +Infinity takes all mass, evenly. */
export function weigh(list: Candidates, max: number, inverse: number): number {
  const { keys, weights, length } = list;
  const scale = inverse * STEPS;
  let total = 0;
  if (max === Number.POSITIVE_INFINITY) {
    for (let i = 0; i < length; i++) total += weights[i] = keys[i] === max ? 1 : 0;
    return total;
  }
  for (let i = 0; i < length; i++) {
    const weight = expNegative((max - keys[i]!) * scale);
    weights[i] = weight;
    total += weight;
  }
  return total;
}
