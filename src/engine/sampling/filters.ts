// What happens to a list of candidates between its making and the draw: weights, typical, min-p, XTC, the draw.

import type { Candidates } from './candidates.js';
import { keepMass } from './select.js';
import { splitAtMass } from './weights.js';
import type { Workspace } from './workspace.js';

/** Greatest key of the list; -Infinity when it is empty. */
export function maxKey(list: Candidates): number {
  let max = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < list.length; i++) if (list.keys[i]! > max) max = list.keys[i]!;
  return max;
}

/** Sum of the weights. */
export function sumOf(list: Candidates): number {
  let total = 0;
  for (let i = 0; i < list.length; i++) total += list.weights[i]!;
  return total;
}

/** Keeps tokens whose weight is at least this. */
export function keepWeight(list: Candidates, least: number): void {
  const { ids, keys, weights } = list;
  let kept = 0;
  for (let i = 0; i < list.length; i++) {
    if (weights[i]! >= least) {
      ids[kept] = ids[i]!;
      keys[kept] = keys[i]!;
      weights[kept++] = weights[i]!;
    }
  }
  list.length = kept;
}

/** Keeps tokens at least `minP` times as likely as the best one. */
export function keepMinP(list: Candidates, minP: number): void {
  let best = 0;
  for (let i = 0; i < list.length; i++) if (list.weights[i]! > best) best = list.weights[i]!;
  keepWeight(list, best * Math.min(minP, 1));
}

/** A list this short is cut by selection alone. */
const SHORT = 64;

/** Keeps the fewest best tokens whose weights reach `mass`, as `keepMass`, at a constant cost per token. */
export function keepNucleus(
  list: Candidates,
  mass: number,
  by: { readonly max: number; readonly inverse: number },
  workspace: Workspace,
): void {
  if (list.length <= SHORT || by.max === Number.POSITIVE_INFINITY) {
    keepMass(list, mass);
    return;
  }
  const { spare, histogram } = workspace;
  const before = splitAtMass(list, mass, { max: by.max, inverse: by.inverse, histogram }, spare);
  keepMass(spare, mass - before);
  list.ids.set(spare.ids.subarray(0, spare.length), list.length);
  list.keys.set(spare.keys.subarray(0, spare.length), list.length);
  list.weights.set(spare.weights.subarray(0, spare.length), list.length);
  list.length += spare.length;
}

/**
 * Locally typical sampling (Meister et al., 2022): keeps the tokens whose surprise is nearest to the entropy until
 * they hold `mass`; the crossing one is kept. `row` gives the keys back afterwards.
 */
export function keepTypical(
  list: Candidates,
  mass: number,
  from: { readonly row: Float32Array; readonly max: number; readonly inverse: number },
  workspace: Workspace,
): void {
  const { ids, keys, weights } = list;
  const { row, max, inverse } = from;
  const total = sumOf(list);
  let weighted = 0;
  for (let i = 0; i < list.length; i++) {
    if (weights[i]! > 0) weighted += weights[i]! * (max - keys[i]!) * inverse;
  }
  // Surprise minus entropy; the logarithm of the total is part of both and falls out.
  const expected = weighted / total;
  for (let i = 0; i < list.length; i++) {
    const distance = (max - keys[i]!) * inverse;
    keys[i] = -Math.abs(distance - expected);
  }
  keepNucleus(list, mass * total, { max: 0, inverse: 1 }, workspace);
  for (let i = 0; i < list.length; i++) keys[i] = row[ids[i]!]!;
}

/** XTC: when two tokens or more have a probability of at least `threshold`, drops all of these but the least likely. */
export function excludeTop(list: Candidates, threshold: number): void {
  const { ids, keys, weights } = list;
  const least = threshold * sumOf(list);
  let above = 0;
  let spared = -1;
  for (let i = 0; i < list.length; i++) {
    if (weights[i]! < least) continue;
    above++;
    // The last in the order of tokens: smallest key, highest id.
    if (spared === -1 || keys[i]! < keys[spared]! || (keys[i] === keys[spared] && ids[i]! > ids[spared]!)) {
      spared = i;
    }
  }
  if (above < 2) return;
  let kept = 0;
  for (let i = 0; i < list.length; i++) {
    if (weights[i]! >= least && i !== spared) continue;
    ids[kept] = ids[i]!;
    keys[kept] = keys[i]!;
    weights[kept++] = weights[i]!;
  }
  list.length = kept;
}

/** Place in the list of the token at `target`, a point in the summed weights. -1 only for an empty list. */
export function walkList(list: Candidates, target: number): number {
  let rest = target;
  let last = list.length === 0 ? -1 : 0;
  for (let i = 0; i < list.length; i++) {
    const weight = list.weights[i]!;
    if (weight === 0) continue;
    last = i;
    rest -= weight;
    if (rest < 0) return i;
  }
  return last;
}
