// Picks one token from processed logits. Order, where TGI's and llama.cpp's overlap as they have it:
//   temperature -> top_k (ties kept) -> top_p -> typical_p -> min_p -> XTC -> draw, or temperature -> mirostat -> draw.
// Works on the whole row only as long as it must, then on a list of the few candidates left.

import type { SamplingParams } from '../../protocol/index.js';
import {
  excludeTop,
  keepMinP,
  keepNucleus,
  keepTypical,
  keepWeight,
  maxKey,
  sumOf,
  walkList,
} from './filters.js';
import { MIROSTAT_HEAD, type Mirostat } from './mirostat.js';
import { argmax, collectAbove, collectAtLeast, massCut, NO_CUT } from './scan.js';
import { keepBest } from './select.js';
import { sumHistogram, sumWeights, walkRow, weigh } from './weights.js';
import type { Workspace } from './workspace.js';

/** Logits to pick from: the row, or those tokens of it that `workspace.list` holds. */
export interface Scores {
  row: Float32Array;
  listed: boolean;
  readonly workspace: Workspace;
}

/** The distribution a token was drawn from: softmax(logit * inverse) over the row or over `workspace.list`. */
export interface Distribution {
  listed: boolean;
  max: number;
  inverse: number;
  /** Sum of exp((logit - max) * inverse); 0 = not computed, because greedy picking needs none. */
  total: number;
}

/** Where chance comes from: a number from 0 up to, not including, 1. */
export interface Chance {
  next(): number;
}

/** Largest 1 / temperature; keeps 0 * inverse at 0. */
const MOST_INVERSE = 1e30;

function inverseOf(temperature: number): number {
  return Math.min(1 / temperature, MOST_INVERSE);
}

/** The best token, the lowest id on a tie; -1 when nothing is allowed. */
export function pickGreedy(scores: Scores, into: Distribution): number {
  const { row, workspace } = scores;
  into.listed = scores.listed;
  into.inverse = 1;
  into.total = 0;
  let best = -1;
  let max = Number.NEGATIVE_INFINITY;
  if (scores.listed) {
    const { ids, keys, length } = workspace.list;
    for (let i = 0; i < length; i++) {
      if (keys[i]! > max) {
        max = keys[i]!;
        best = ids[i]!;
      }
    }
  } else {
    best = argmax(row);
    if (best !== -1) max = row[best]!;
  }
  into.max = max;
  return best;
}

/** Whether anything narrows the distribution down before the draw. */
function hasFilters(params: SamplingParams): boolean {
  return (
    params.topK > 0 || params.topP < 1 || params.minP > 0 || params.typicalP < 1 || params.xtc.probability > 0
  );
}

/** A draw from the softmax at the given temperature after all filters; -1 when nothing is allowed. */
export function pickSampled(
  scores: Scores,
  params: SamplingParams,
  random: Chance,
  into: Distribution,
): number {
  const inverse = inverseOf(params.temperature);
  const { list, blockSums } = scores.workspace;
  if (!scores.listed && !hasFilters(params)) {
    const best = argmax(scores.row);
    if (best === -1) return -1;
    const max = scores.row[best]!;
    if (max < Number.POSITIVE_INFINITY) {
      const total = sumWeights(scores.row, max, inverse, blockSums);
      setDistribution(into, { listed: false, max, inverse, total });
      return walkRow(scores.row, max, inverse, { blockSums, target: random.next() * total });
    }
  }
  const first = params.temperatureLast === true ? 1 : inverse;
  const mass = shortlist(scores, params, first);
  const max = maxKey(list);
  if (max === Number.NEGATIVE_INFINITY) return -1;
  filter(scores, params, { max, inverse: first, mass }, random);
  // Typical and XTC may drop the best token and leave weights too small to tell apart: weigh from the new best.
  const best = maxKey(list);
  const total = best === max && first === inverse ? sumOf(list) : weigh(list, best, inverse);
  setDistribution(into, { listed: true, max: best, inverse, total });
  return list.ids[walkList(list, random.next() * total)]!;
}

/** Weighs the list and applies all filters but top_k. `mass` 0 = that of the list. */
function filter(
  scores: Scores,
  params: SamplingParams,
  from: { readonly max: number; readonly inverse: number; readonly mass: number },
  random: Chance,
): void {
  const { row, workspace } = scores;
  const { list } = workspace;
  const { max, inverse } = from;
  const total = weigh(list, max, inverse);
  const mass = from.mass === 0 ? total : from.mass;
  if (params.topP < 1) keepNucleus(list, params.topP * mass, from, workspace);
  if (params.typicalP < 1) keepTypical(list, params.typicalP, { row, max, inverse }, workspace);
  if (params.minP > 0) keepMinP(list, params.minP);
  const { probability, threshold } = params.xtc;
  if (probability > 0 && random.next() < probability) excludeTop(list, threshold);
}

/**
 * Makes the list of candidates the filters start from, cut by top_k. Returns the mass of the whole row where the
 * list is a part of it that top_p still has to measure against, otherwise 0.
 */
function shortlist(scores: Scores, params: SamplingParams, inverse: number): number {
  const { row, workspace } = scores;
  const { list, histogram, scratch } = workspace;
  if (params.topK > 0) {
    if (!scores.listed) collectAtLeast(row, params.topK, list, workspace);
    keepBest(list, params.topK, scratch);
    return 0;
  }
  if (scores.listed) return 0;
  const best = argmax(row);
  const max = best === -1 ? Number.NEGATIVE_INFINITY : row[best]!;
  if (!Number.isFinite(max)) {
    collectAbove(row, max === Number.POSITIVE_INFINITY ? max : NO_CUT, list);
    return 0;
  }
  if (params.topP < 1) {
    const mass = sumHistogram(row, max, inverse, histogram);
    collectAbove(row, massCut(histogram, params.topP * mass, max, inverse), list);
    return mass;
  }
  // A margin for rounding: the filter itself decides by weight.
  const least = params.typicalP < 1 ? 0 : Math.min(params.minP, 1) * (1 - 1e-6);
  collectAbove(row, least > 0 ? max + Math.log(least) / inverse : NO_CUT, list);
  return 0;
}

/** A draw under Mirostat; reports the token's share among those kept in `probability`. */
export function pickMirostat(
  scores: Scores,
  params: SamplingParams,
  chance: { readonly random: Chance; readonly mirostat: Mirostat; probability: number },
  into: Distribution,
): number {
  const inverse = inverseOf(params.temperature);
  const { list } = scores.workspace;
  if (chance.mirostat.mode === 1) keepByRank(scores, inverse, chance.mirostat);
  else keepBySurprise(scores, inverse, chance.mirostat.leastProbability);
  const max = maxKey(list);
  if (max === Number.NEGATIVE_INFINITY) return -1;
  const total = weigh(list, max, inverse);
  setDistribution(into, { listed: true, max, inverse, total });
  const place = walkList(list, chance.random.next() * total);
  chance.probability = list.weights[place]! / total;
  return list.ids[place]!;
}

function keepByRank(scores: Scores, inverse: number, mirostat: Mirostat): void {
  const { row, workspace } = scores;
  const { list, spare, scratch } = workspace;
  if (!scores.listed) collectAtLeast(row, MIROSTAT_HEAD, list, workspace);
  spare.ids.set(list.ids.subarray(0, list.length));
  spare.keys.set(list.keys.subarray(0, list.length));
  spare.length = list.length;
  keepBest(spare, MIROSTAT_HEAD, scratch);
  const rank = mirostat.rank(spare, inverse, scores.listed ? list.length : row.length);
  if (!scores.listed && rank > list.length) collectAtLeast(row, rank, list, workspace);
  keepBest(list, rank, scratch);
}

function keepBySurprise(scores: Scores, inverse: number, leastProbability: number): void {
  const { row, workspace } = scores;
  const { list, blockSums } = workspace;
  let total: number;
  if (scores.listed) {
    total = weigh(list, maxKey(list), inverse);
  } else {
    const best = argmax(row);
    const max = best === -1 ? Number.NEGATIVE_INFINITY : row[best]!;
    total = Number.isFinite(max) ? sumWeights(row, max, inverse, blockSums) : 1;
    const cut = max + Math.min(0, Math.log(leastProbability * total)) / inverse;
    collectAbove(row, Number.isFinite(max) ? cut : max, list);
    if (max === Number.NEGATIVE_INFINITY) list.length = 0;
    weigh(list, max, inverse);
  }
  keepWeight(list, Math.min(1, leastProbability * total));
}

function setDistribution(into: Distribution, from: Readonly<Distribution>): void {
  into.listed = from.listed;
  into.max = from.max;
  into.inverse = from.inverse;
  into.total = from.total;
}

/** The mass of a distribution, computed now if picking did without it. */
export function totalOf(distribution: Distribution, scores: Scores): number {
  if (distribution.total !== 0) return distribution.total;
  const { max, inverse } = distribution;
  const { list, blockSums } = scores.workspace;
  if (max === Number.POSITIVE_INFINITY) distribution.total = 1;
  else if (distribution.listed) distribution.total = weigh(list, max, inverse);
  else distribution.total = sumWeights(scores.row, max, inverse, blockSums);
  return distribution.total;
}
