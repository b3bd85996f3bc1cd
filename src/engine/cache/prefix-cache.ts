// The contract of the prefix cache: token prefixes whose KV lies in host memory. It never touches a running
// sequence; places.ts moves KV between it and the runner. Engine process.

import type { KvBlock } from '../model-runner.js';

/** Blocks that follow each other from position 0. Locked: must be released, and is not evicted before. */
export interface PrefixHandle {
  /** Leading tokens of the query that the blocks cover. */
  readonly length: number;
  /** May cover more positions than `length`; the rest is to be cut off after import. */
  readonly blocks: readonly KvBlock[];
  release(): void;
}

/** Bytes held and tokens found, for metrics and budgets. */
export interface PrefixCacheStats {
  readonly usedBytes: number;
  readonly budgetBytes: number;
  readonly nodes: number;
}

/** Prefixes by token. `scope` separates KV that must never be mixed (LoRA adapters). */
export interface PrefixCache {
  /** Length of the longest known prefix, without locking or touching anything. */
  peek(scope: string, tokens: Int32Array, length: number): number;
  /** Locks the longest known prefix of `tokens[0 .. length)`; marks it as recently used. */
  match(scope: string, tokens: Int32Array, length: number): PrefixHandle;
  /**
   * Stores what is not known yet of `tokens[0 .. length)`. `take(from, to)` is called at most once, for the unknown
   * end, and only when it fits the budget. Evicts the least recently used, never what is locked.
   */
  insert(
    scope: string,
    tokens: Int32Array,
    length: number,
    take: (from: number, to: number) => KvBlock,
  ): void;
  /** Forgets everything that is not locked. */
  clear(): void;
  stats(): PrefixCacheStats;
}
