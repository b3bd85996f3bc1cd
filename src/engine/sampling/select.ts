// Cuts a list of candidates down without sorting it: by rank or by mass. Order of tokens: greater key first, lower id
// first on a tie, so that results never depend on how the list came about.

import type { Candidates } from './candidates.js';

/** The k-th largest (1-based) of values[0 .. length - 1]; reorders them. Values must not be NaN. */
export function kthLargest(values: Float64Array, length: number, k: number): number {
  let low = 0;
  let high = length - 1;
  const target = k - 1;
  while (low < high) {
    const pivot = medianOfThree(values[low]!, values[(low + high) >> 1]!, values[high]!);
    let i = low;
    let j = high;
    while (i <= j) {
      while (values[i]! > pivot) i++;
      while (values[j]! < pivot) j--;
      if (i <= j) {
        const swap = values[i]!;
        values[i++] = values[j]!;
        values[j--] = swap;
      }
    }
    if (target <= j) high = j;
    else if (target >= i) low = i;
    else break;
  }
  return values[target]!;
}

function medianOfThree(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}

/** Keeps the k best and whatever ties with the k-th; the list keeps its order. */
export function keepBest(list: Candidates, k: number, scratch: Float64Array): void {
  if (list.length <= k) return;
  const { ids, keys, weights } = list;
  for (let i = 0; i < list.length; i++) scratch[i] = keys[i]!;
  const cut = kthLargest(scratch, list.length, k);
  let kept = 0;
  for (let i = 0; i < list.length; i++) {
    if (keys[i]! >= cut) {
      ids[kept] = ids[i]!;
      weights[kept] = weights[i]!;
      keys[kept++] = keys[i]!;
    }
  }
  list.length = kept;
}

const SMALL = 16;

/**
 * Keeps the fewest best tokens whose weights reach `mass`, at least one. The crossing token is kept; among equal
 * keys lower ids come first. Average time is linear.
 */
export function keepMass(list: Candidates, mass: number): void {
  const { weights } = list;
  let low = 0;
  let high = list.length;
  let reached = 0;
  while (high - low > SMALL) {
    const middle = partition(list, low, high);
    let left = 0;
    for (let i = low; i < middle; i++) left += weights[i]!;
    if (reached + left >= mass) {
      high = middle;
    } else {
      reached += left + weights[middle]!;
      low = middle + 1;
      if (reached >= mass) {
        list.length = low;
        return;
      }
    }
  }
  sortRange(list, low, high);
  while (low < high && (reached < mass || low === 0)) reached += weights[low++]!;
  list.length = low;
}

/** Sorts the list, best first. Meant for a few hundred entries. */
export function sortBest(list: Candidates): void {
  quickSort(list, 0, list.length);
}

function quickSort(list: Candidates, low: number, high: number): void {
  while (high - low > SMALL) {
    const middle = partition(list, low, high);
    if (middle - low < high - middle) {
      quickSort(list, low, middle);
      low = middle + 1;
    } else {
      quickSort(list, middle + 1, high);
      high = middle;
    }
  }
  sortRange(list, low, high);
}

function isBefore(list: Candidates, i: number, key: number, id: number): boolean {
  const other = list.keys[i]!;
  return other > key || (other === key && list.ids[i]! < id);
}

function swap(list: Candidates, i: number, j: number): void {
  const { ids, keys, weights } = list;
  const id = ids[i]!;
  const key = keys[i]!;
  const weight = weights[i]!;
  ids[i] = ids[j]!;
  keys[i] = keys[j]!;
  weights[i] = weights[j]!;
  ids[j] = id;
  keys[j] = key;
  weights[j] = weight;
}

/** Puts a pivot in its final place, better tokens before it, worse ones after; returns the place. */
function partition(list: Candidates, low: number, high: number): number {
  const last = high - 1;
  const middle = (low + last) >> 1;
  // Median of three into `last`.
  if (isBefore(list, middle, list.keys[low]!, list.ids[low]!)) swap(list, low, middle);
  if (isBefore(list, last, list.keys[low]!, list.ids[low]!)) swap(list, low, last);
  if (isBefore(list, middle, list.keys[last]!, list.ids[last]!)) swap(list, middle, last);
  const key = list.keys[last]!;
  const id = list.ids[last]!;
  let place = low;
  for (let i = low; i < last; i++) {
    if (isBefore(list, i, key, id)) swap(list, i, place++);
  }
  swap(list, place, last);
  return place;
}

function sortRange(list: Candidates, low: number, high: number): void {
  for (let i = low + 1; i < high; i++) {
    for (let j = i; j > low && isBefore(list, j, list.keys[j - 1]!, list.ids[j - 1]!); j--) {
      swap(list, j, j - 1);
    }
  }
}
