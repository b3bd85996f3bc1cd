// A radix tree of token prefixes. An edge holds a run of tokens and the KV of exactly those positions, so what
// prefixes share is stored once. Splitting an edge cuts its block; both halves stay. Engine process.

import type { KvBlock } from '../model-runner.js';
import type { PrefixCache, PrefixCacheStats, PrefixHandle } from './prefix-cache.js';

/** Runs shorter than this are not worth a node: computing them costs less than keeping them. */
const MIN_RUN = 8;

/** An edge and what hangs below it. Tokens, block and parent change only when the edge is split. */
interface Node {
  tokens: Int32Array;
  block: KvBlock;
  parent: Node | undefined;
  readonly children: Map<number, Node>;
  /** Handles that hold this node or one below it. */
  locks: number;
  lastUsed: number;
}

/** Where a walk down the tree ended. */
interface Walk {
  readonly path: Node[];
  /** Tokens matched in all; may end inside the last node. */
  readonly length: number;
  /** Tokens of the last node that matched. */
  readonly inLast: number;
}

export interface RadixCacheOptions {
  readonly budgetBytes: number;
  /** Cuts a block in two; the given one is not used afterwards. */
  readonly split: (block: KvBlock, at: number) => readonly [KvBlock, KvBlock];
  /** Whether a match ends where its last block does, which may cut that; else the block may reach beyond the match. */
  readonly isExact: boolean;
}

/** See `PrefixCache`. Least recently used leaves go first. */
export class RadixCache implements PrefixCache {
  readonly #options: RadixCacheOptions;
  readonly #roots = new Map<string, Node>();
  #usedBytes = 0;
  #nodes = 0;
  #tick = 0;

  constructor(options: RadixCacheOptions) {
    this.#options = options;
  }

  peek(scope: string, tokens: Int32Array, length: number): number {
    return this.#walk(scope, tokens, length).length;
  }

  match(scope: string, tokens: Int32Array, length: number): PrefixHandle {
    const walk = this.#walk(scope, tokens, length);
    const { path, length: matched } = walk;
    if (this.#options.isExact && path.length > 0) path[path.length - 1] = this.#nodeAt(scope, walk);
    this.#touch(path);
    const deepest = path.at(-1);
    changeLocks(deepest, 1);
    let held = true;
    return {
      length: matched,
      blocks: path.map((node) => node.block),
      release: () => {
        if (held) changeLocks(deepest, -1);
        held = false;
      },
    };
  }

  insert(
    scope: string,
    tokens: Int32Array,
    length: number,
    take: (from: number, to: number) => KvBlock,
  ): void {
    const walk = this.#walk(scope, tokens, length);
    this.#touch(walk.path);
    if (length - walk.length < MIN_RUN) return;
    const parent = this.#nodeAt(scope, walk);
    // The path must survive the eviction that makes room for its continuation.
    changeLocks(parent, 1);
    try {
      this.#append(parent, tokens.slice(walk.length, length), () => take(walk.length, length));
    } finally {
      changeLocks(parent, -1);
    }
  }

  clear(): void {
    while (this.#evictOne());
  }

  stats(): PrefixCacheStats {
    return { usedBytes: this.#usedBytes, budgetBytes: this.#options.budgetBytes, nodes: this.#nodes };
  }

  #walk(scope: string, tokens: Int32Array, length: number): Walk {
    const path: Node[] = [];
    let at = 0;
    let inLast = 0;
    for (let node = this.#roots.get(scope); node !== undefined && at < length; ) {
      const next: Node | undefined = node.children.get(tokens[at] ?? -1);
      if (next === undefined) break;
      inLast = commonLength(next.tokens, tokens, at, length);
      path.push(next);
      at += inLast;
      if (inLast < next.tokens.length) break;
      node = next;
    }
    return { path, length: at, inLast };
  }

  /** The node a walk ended at, split when it ended inside one; the scope's root for an empty walk. */
  #nodeAt(scope: string, { path, inLast }: Walk): Node {
    const last = path.at(-1);
    if (last !== undefined) return inLast === last.tokens.length ? last : this.#split(last, inLast);
    const root = this.#roots.get(scope) ?? newNode(new Int32Array(0), { length: 0, bytes: 0 }, undefined, 0);
    this.#roots.set(scope, root);
    return root;
  }

  /** Cuts a node in two; the upper half takes its place. Returns the upper half. */
  #split(lower: Node, at: number): Node {
    const whole = lower.block;
    const [head, tail] = this.#options.split(whole, at);
    const upper = newNode(lower.tokens.slice(0, at), head, lower.parent, lower.lastUsed);
    upper.locks = lower.locks;
    lower.parent?.children.set(upper.tokens[0] ?? -1, upper);
    lower.tokens = lower.tokens.slice(at);
    lower.block = tail;
    lower.parent = upper;
    upper.children.set(lower.tokens[0] ?? -1, lower);
    this.#nodes++;
    this.#usedBytes += head.bytes + tail.bytes - whole.bytes;
    return upper;
  }

  #append(parent: Node, run: Int32Array, take: () => KvBlock): void {
    const bytesNeeded = this.#estimate(parent, run.length);
    // What can never fit must not empty the cache in the attempt.
    if (bytesNeeded > this.#options.budgetBytes || !this.#makeRoom(bytesNeeded)) return;
    const block = take();
    parent.children.set(run[0] ?? -1, newNode(run, block, parent, ++this.#tick));
    this.#usedBytes += block.bytes;
    this.#nodes++;
    this.#makeRoom(0);
  }

  /** Bytes a run will take, judged by any block known; the first insertion is measured after the fact. */
  #estimate(parent: Node, length: number): number {
    const known = parent.block.length > 0 ? parent.block : parent.children.values().next().value?.block;
    return known === undefined ? 0 : (known.bytes / known.length) * length;
  }

  #makeRoom(bytes: number): boolean {
    while (this.#usedBytes + bytes > this.#options.budgetBytes) if (!this.#evictOne()) return false;
    return true;
  }

  /** Drops the least recently used leaf that nobody holds. A tree of some hundred nodes is cheap to search. */
  #evictOne(): boolean {
    let oldest: Node | undefined;
    const search = (node: Node): void => {
      for (const child of node.children.values()) {
        if (child.children.size > 0) search(child);
        else if (child.locks === 0 && (oldest === undefined || child.lastUsed < oldest.lastUsed))
          oldest = child;
      }
    };
    for (const root of this.#roots.values()) search(root);
    if (oldest === undefined) return false;
    oldest.parent?.children.delete(oldest.tokens[0] ?? -1);
    this.#usedBytes -= oldest.block.bytes;
    this.#nodes--;
    return true;
  }

  #touch(path: readonly Node[]): void {
    const tick = ++this.#tick;
    for (const node of path) node.lastUsed = tick;
  }
}

function newNode(tokens: Int32Array, block: KvBlock, parent: Node | undefined, lastUsed: number): Node {
  return { tokens, block, children: new Map(), parent, locks: 0, lastUsed };
}

/** Locks or unlocks a node and all above it. After a split both halves carry the lock, so this stays balanced. */
function changeLocks(deepest: Node | undefined, by: 1 | -1): void {
  for (let node = deepest; node !== undefined; node = node.parent) node.locks += by;
}

/** Tokens of `run` that equal `tokens[at ..]`, at most up to `length`. */
function commonLength(run: Int32Array, tokens: Int32Array, at: number, length: number): number {
  const limit = Math.min(run.length, length - at);
  let same = 0;
  while (same < limit && run[same] === tokens[at + same]) same++;
  return same;
}
