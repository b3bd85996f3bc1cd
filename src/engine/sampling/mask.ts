// Grammar bitmasks: one bit per token, bit set = allowed, 32 tokens per word, lowest bit first (XGrammar's layout).

import type { Candidates } from './candidates.js';

function popCount(word: number): number {
  let v = word - ((word >>> 1) & 0x5555_5555);
  v = (v & 0x3333_3333) + ((v >>> 2) & 0x3333_3333);
  return Math.imul((v + (v >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}

/** Bits set; words of a sparse mask are mostly 0, those of a permissive one mostly -1. */
export function countAllowed(mask: Int32Array, vocabSize: number): number {
  const words = Math.min(mask.length, vocabSize >>> 5);
  let count = 0;
  for (let w = 0; w < words; w++) {
    const word = mask[w]!;
    if (word === -1) count += 32;
    else if (word !== 0) count += popCount(word);
  }
  for (let id = words << 5; id < vocabSize; id++) if (isAllowed(mask, id)) count++;
  return count;
}

/** Whether the mask allows a token; tokens beyond its end are not allowed. */
export function isAllowed(mask: Int32Array, id: number): boolean {
  const word = mask[id >>> 5];
  return word !== undefined && ((word >>> (id & 31)) & 1) === 1;
}

/** Sets the logits of all tokens that are not allowed to -Infinity. */
export function maskRow(row: Float32Array, mask: Int32Array): void {
  const words = Math.min(mask.length, (row.length + 31) >>> 5);
  for (let w = 0; w < words; w++) {
    let banned = ~mask[w]!;
    while (banned !== 0) {
      const lowest = banned & -banned;
      const id = (w << 5) + 31 - Math.clz32(lowest);
      if (id < row.length) row[id] = Number.NEGATIVE_INFINITY;
      banned ^= lowest;
    }
  }
  row.fill(Number.NEGATIVE_INFINITY, Math.min(words << 5, row.length));
}

/** Makes `list` the allowed tokens that are not banned otherwise: cheaper than the row when the mask allows few. */
export function collectAllowed(row: Float32Array, mask: Int32Array, list: Candidates): void {
  const words = Math.min(mask.length, (row.length + 31) >>> 5);
  let length = 0;
  for (let w = 0; w < words; w++) {
    let allowed = mask[w]!;
    while (allowed !== 0) {
      const lowest = allowed & -allowed;
      const id = (w << 5) + 31 - Math.clz32(lowest);
      allowed ^= lowest;
      if (id < row.length && row[id]! > Number.NEGATIVE_INFINITY) {
        list.ids[length] = id;
        list.keys[length++] = row[id]!;
      }
    }
  }
  list.length = length;
}
