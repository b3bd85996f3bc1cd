// Order statistics of small samples.

/** The q-th quantile (0 .. 1), between neighbours by straight line. NaN for nothing. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * q;
  const low = sorted[Math.floor(at)];
  const high = sorted[Math.ceil(at)];
  if (low === undefined || high === undefined) return Number.NaN;
  return low + (high - low) * (at - Math.floor(at));
}

/** The middle value. */
export const median = (values: readonly number[]): number => quantile(values, 0.5);
