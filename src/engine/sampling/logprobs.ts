// Log-probabilities (natural log) of a token and of the best alternatives, from a row or from a list of candidates.

import type { Candidates } from './candidates.js';
import { argmax, collectAtLeast } from './scan.js';
import { keepBest, sortBest } from './select.js';
import { sumWeights } from './weights.js';
import type { Workspace } from './workspace.js';

/** One alternative. */
export interface Alternative {
  readonly id: number;
  readonly logprob: number;
}

/** The chosen token's log-probability, -Infinity if it was impossible, and alternatives, best first. */
export interface TokenLogprobs {
  readonly logprob: number;
  readonly top: readonly Alternative[];
}

/** A softmax over logits: log p = (logit - max) * inverse - logTotal. */
export interface Softmax {
  readonly max: number;
  readonly inverse: number;
  readonly logTotal: number;
}

/** log p of one logit; NaN and banned tokens have none: -Infinity. */
export function logprobOf(softmax: Softmax, logit: number): number {
  if (logit === softmax.max) return -softmax.logTotal;
  const value = (logit - softmax.max) * softmax.inverse - softmax.logTotal;
  return value <= 0 ? value : Number.isNaN(value) ? Number.NEGATIVE_INFINITY : 0;
}

/** The log-softmax of a row at temperature 1. */
export function softmaxOf(row: Float32Array, workspace: Workspace): Softmax {
  const best = argmax(row);
  const max = best === -1 ? Number.NEGATIVE_INFINITY : row[best]!;
  const total = Number.isFinite(max) ? sumWeights(row, max, 1, workspace.blockSums) : 1;
  return { max, inverse: 1, logTotal: Math.log(total) };
}

/** The n best of a row; with `ties` also all that equal the n-th. Banned tokens are never listed. */
export function topOfRow(
  row: Float32Array,
  softmax: Softmax,
  workspace: Workspace,
  want: { readonly n: number; readonly ties: boolean },
): readonly Alternative[] {
  if (want.n <= 0) return [];
  collectAtLeast(row, want.n, workspace.spare, workspace);
  return listTop(softmax, workspace, want);
}

/** The n best of the candidates; as `topOfRow`. Leaves the candidates as they are. */
export function topOfList(
  list: Candidates,
  softmax: Softmax,
  workspace: Workspace,
  want: { readonly n: number; readonly ties: boolean },
): readonly Alternative[] {
  if (want.n <= 0) return [];
  const { spare } = workspace;
  spare.ids.set(list.ids.subarray(0, list.length));
  spare.keys.set(list.keys.subarray(0, list.length));
  spare.length = list.length;
  return listTop(softmax, workspace, want);
}

function listTop(
  softmax: Softmax,
  workspace: Workspace,
  want: { readonly n: number; readonly ties: boolean },
): readonly Alternative[] {
  const { spare, scratch } = workspace;
  keepBest(spare, want.n, scratch);
  sortBest(spare);
  const count = want.ties ? spare.length : Math.min(want.n, spare.length);
  return Array.from({ length: count }, (_, i) => ({
    id: spare.ids[i]!,
    logprob: logprobOf(softmax, spare.keys[i]!),
  }));
}

/** Raw log-probability of `token` in a row of logits, with the n best: what prompt log-probabilities are made of. */
export function rowLogprobs(
  row: Float32Array,
  token: number,
  n: number,
  workspace: Workspace,
): TokenLogprobs {
  const softmax = softmaxOf(row, workspace);
  return {
    logprob: logprobOf(softmax, row[token] ?? Number.NaN),
    top: topOfRow(row, softmax, workspace, { n, ties: false }),
  };
}
