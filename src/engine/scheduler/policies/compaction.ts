// Keeps running places side by side. llama.cpp computes neighbouring streams in one pass over the weights and
// needs another pass for every gap, so a gap costs a whole decode step's worth of memory traffic. Pure.

/** A move of a running sequence between places. */
export interface Move {
  readonly from: number;
  readonly to: number;
}

/**
 * The next move that brings running places closer together, or undefined when they have no gap: the sequence
 * farthest from the longest row of neighbours goes to one of its ends. `running` is sorted and has no duplicates.
 */
export function planMove(running: readonly number[], places: number): Move | undefined {
  const rows: { first: number; last: number }[] = [];
  for (const place of running) {
    const row = rows.at(-1);
    if (row !== undefined && row.last + 1 === place) row.last = place;
    else rows.push({ first: place, last: place });
  }
  if (rows.length < 2) return undefined;
  const longest = rows.reduce((best, row) => (row.last - row.first > best.last - best.first ? row : best));
  const outer = [rows[0], rows.at(-1)].filter((row) => row !== longest && row !== undefined);
  const shortest = outer.reduce((best, row) => (size(row) < size(best) ? row : best), outer[0]);
  if (shortest === undefined) return undefined;
  const isAbove = shortest.first > longest.last;
  const to = isAbove ? longest.last + 1 : longest.first - 1;
  if (to < 0 || to >= places) return undefined;
  return { from: isAbove ? shortest.last : shortest.first, to };
}

function size(row: { first: number; last: number } | undefined): number {
  return row === undefined ? Number.POSITIVE_INFINITY : row.last - row.first;
}
