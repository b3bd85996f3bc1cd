// Passes over a whole row of logits, the loops that cost. All of them compare so that NaN loses, as -Infinity does.

import type { Candidates } from './candidates.js';
import { kthLargest } from './select.js';
import { BINS_PER_UNIT, WEIGHT_BINS } from './weights.js';
import type { Workspace } from './workspace.js';

/** Cut that lets every token pass that is not banned (-Infinity). */
export const NO_CUT = -Number.MAX_VALUE;

/** Few enough that ranking them costs less than one pass over a row of some thousand logits. */
const SAMPLES = 512;

/** Index of the greatest logit, the lowest index on a tie; -1 when nothing is allowed. */
export function argmax(row: Float32Array): number {
  const whole = row.length & ~7;
  let best = -1;
  let max = Number.NEGATIVE_INFINITY;
  let i = 0;
  for (; i < whole; i += 8) {
    // One rarely taken branch for eight values: a running maximum changes about ln(vocabulary) times.
    if (
      row[i]! > max ||
      row[i + 1]! > max ||
      row[i + 2]! > max ||
      row[i + 3]! > max ||
      row[i + 4]! > max ||
      row[i + 5]! > max ||
      row[i + 6]! > max ||
      row[i + 7]! > max
    ) {
      for (let j = i; j < i + 8; j++) {
        if (row[j]! > max) {
          max = row[j]!;
          best = j;
        }
      }
    }
  }
  for (; i < row.length; i++) {
    if (row[i]! > max) {
      max = row[i]!;
      best = i;
    }
  }
  return best;
}

/** A logit at or below the one where the best tokens reach `mass`, by `sumHistogram`'s histogram. */
export function massCut(histogram: Float64Array, mass: number, max: number, inverse: number): number {
  let reached = 0;
  let bin = 0;
  while (bin < WEIGHT_BINS - 1) {
    reached += histogram[bin]!;
    // A little more than asked for, against sums that differ in their last bits.
    if (reached >= mass * (1 + 1e-12)) break;
    bin++;
  }
  return max - (bin + 1.001) / (BINS_PER_UNIT * inverse);
}

/** Makes `list` the tokens with logit >= cut, in token order, weights not set. */
export function collectAbove(row: Float32Array, cut: number, list: Candidates): void {
  const { ids, keys } = list;
  const whole = row.length & ~3;
  let length = 0;
  let i = 0;
  for (; i < whole; i += 4) {
    if (row[i]! >= cut || row[i + 1]! >= cut || row[i + 2]! >= cut || row[i + 3]! >= cut) {
      for (let j = i; j < i + 4; j++) {
        if (row[j]! >= cut) {
          ids[length] = j;
          keys[length++] = row[j]!;
        }
      }
    }
  }
  for (; i < row.length; i++) {
    if (row[i]! >= cut) {
      ids[length] = i;
      keys[length++] = row[i]!;
    }
  }
  list.length = length;
}

/**
 * Makes `list` a superset of the k best tokens: usually a few times k, chosen by the rank of a regular sample of
 * the row. All allowed tokens when there are no more than k. `select.ts` cuts it down exactly.
 */
export function collectAtLeast(row: Float32Array, k: number, list: Candidates, workspace: Workspace): void {
  const { scratch } = workspace;
  const stride = Math.max(1, Math.floor(row.length / SAMPLES));
  let sampled = 0;
  for (let i = 0; i < row.length; i += stride) {
    if (row[i]! > Number.NEGATIVE_INFINITY) scratch[sampled++] = row[i]!;
  }
  const expected = k / stride;
  // Three standard deviations above the expected rank: a second pass is needed about once in a thousand rows.
  let rank = stride === 1 ? k : Math.ceil(expected + 3 * Math.sqrt(expected) + 2);
  while (rank < sampled) {
    collectAbove(row, kthLargest(scratch, sampled, rank), list);
    if (list.length >= k) return;
    rank *= 4;
  }
  collectAbove(row, NO_CUT, list);
}
