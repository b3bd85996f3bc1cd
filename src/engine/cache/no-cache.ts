// A prefix cache that knows nothing: for models whose KV cannot be moved, for a budget of 0, and to compare with.

import type { PrefixCache, PrefixHandle } from './prefix-cache.js';

const NOTHING: PrefixHandle = { length: 0, blocks: [], release: () => undefined };

/** Never finds and never keeps anything. */
export function createNoCache(): PrefixCache {
  return {
    peek: () => 0,
    match: () => NOTHING,
    insert: () => undefined,
    clear: () => undefined,
    stats: () => ({ usedBytes: 0, budgetBytes: 0, nodes: 0 }),
  };
}
