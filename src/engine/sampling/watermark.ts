// Green-list watermark (Kirchenbauer et al., 2023), "simple" scheme: the previous token seeds a split of the
// vocabulary, `delta` is added to the logits of the green part. The split is a keyed hash per token instead of a
// permutation of the whole vocabulary: the same use, gamma on average instead of floor(gamma * V) exactly, and a
// detector can test one token without the other 152,000.

const SEED = 15_485_863;
const TWO_POW_31 = 0x8000_0000;

function mix(value: number): number {
  let h = value ^ (value >>> 16);
  h = Math.imul(h, 0x7feb_352d);
  h ^= h >>> 15;
  h = Math.imul(h, 0x846c_a68b);
  return h ^ (h >>> 16);
}

function keyOf(previous: number): number {
  return mix(Math.imul(SEED, previous) ^ 0x5bd1_e995);
}

function thresholdOf(gamma: number): number {
  return Math.round(gamma * (TWO_POW_31 - 1));
}

/** Whether `token` is on the green list that `previous` makes, for a green share of gamma (0 .. 1). */
export function isGreen(previous: number, token: number, gamma: number): boolean {
  return mix(token ^ keyOf(previous)) >>> 1 < thresholdOf(gamma);
}

/** Adds delta to the green logits. `lut` is [0, delta]: no branch, for half of them would be mispredicted. */
export function addWatermark(row: Float32Array, previous: number, gamma: number, lut: Float64Array): void {
  const key = keyOf(previous);
  const threshold = thresholdOf(gamma);
  for (let id = 0; id < row.length; id++) {
    const green = ((mix(id ^ key) >>> 1) - threshold) >>> 31;
    row[id] = row[id]! + lut[green]!;
  }
}

/** What a detector found. */
export interface WatermarkScore {
  /** Distinct (previous, token) pairs scored. */
  readonly scored: number;
  readonly green: number;
  /** Standard deviations above what unmarked text has; 0 when nothing was scored. */
  readonly zScore: number;
  /** Probability of a score at least this high without a watermark. */
  readonly pValue: number;
}

/**
 * Looks for a watermark in tokens; each but the first is scored against the one before it. A pair that comes again
 * is not counted again, because it would be no independent evidence.
 */
export function detectWatermark(tokens: readonly number[], gamma: number): WatermarkScore {
  const seen = new Map<number, Set<number>>();
  let scored = 0;
  let green = 0;
  for (let i = 1; i < tokens.length; i++) {
    const previous = tokens[i - 1]!;
    const token = tokens[i]!;
    const followers = seen.get(previous) ?? new Set();
    if (followers.has(token)) continue;
    seen.set(previous, followers.add(token));
    scored++;
    if (isGreen(previous, token, gamma)) green++;
  }
  const deviation = Math.sqrt(scored * gamma * (1 - gamma));
  const zScore = deviation === 0 ? 0 : (green - gamma * scored) / deviation;
  return { scored, green, zScore, pValue: upperTail(zScore) };
}

/** P(Z >= z) of the standard normal, relative error below 1.2e-7 (Numerical Recipes' erfc fit, evaluated by Horner). */
function upperTail(z: number): number {
  const x = Math.abs(z) / Math.SQRT2;
  const t = 1 / (1 + x / 2);
  const fit = [
    -1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587,
    -0.82215223, 0.17087277,
  ].reduceRight((sum, coefficient) => sum * t + coefficient, 0);
  const tail = (t * Math.exp(-x * x + fit)) / 2;
  return z >= 0 ? tail : 1 - tail;
}
