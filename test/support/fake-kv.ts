// The fake runner's KV memory: what was decoded where, per sequence, with a running hash over each sequence's
// contents. Misuse throws; the layouts' limits answer 'no-space'. Leaves scores to fake-runner.ts.

import type { KvBlock } from '../../src/engine/model-runner.js';

/** Token id kept for a position that was filled by an embedding row. */
export const ROW_TOKEN = -1;
const HOLE = -2;
const EMPTY_PREFIX = 0x9e3779b9;

/** Mixes a number into a 32-bit hash. */
export function mix(hash: number, value: number): number {
  let h = Math.imul(hash ^ value, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** The cell that `content` leaves at a position after a prefix. */
export const cellHash = (prefix: number, content: number, position: number): number =>
  mix(mix(prefix, content + 1), position + 0x51ed27);

interface Cells {
  /** Token per position; ROW_TOKEN for embedding rows. */
  readonly tokens: number[];
  /** What the model computed at that position: depends on the token and on everything before it. */
  readonly hashes: number[];
  /** Running hash of `hashes` from position 0. */
  readonly prefixes: number[];
  /** Positions whose contents were removed from the middle. */
  holes: number;
  /** Set by a failed decode: contents are unknown until the sequence is emptied. */
  spoiled: boolean;
}

class FakeBlock implements KvBlock {
  spent = false;
  readonly length: number;

  constructor(
    readonly from: number,
    readonly tokens: readonly number[],
    readonly hashes: readonly number[],
    readonly bytesPerToken: number,
  ) {
    this.length = tokens.length;
  }

  get bytes(): number {
    return this.length * this.bytesPerToken;
  }
}

/** Limits of the memory; see RunnerInfo. */
export interface FakeKvLimits {
  readonly maxSequences: number;
  readonly contextPerSequence: number;
  readonly totalCells: number;
  readonly kvLayout: 'streams' | 'unified';
  readonly kvBytesPerToken: number;
}

/** KV of all sequences. */
export class FakeKv {
  readonly #sequences: readonly Cells[];
  readonly #limits: FakeKvLimits;

  constructor(limits: FakeKvLimits) {
    this.#limits = limits;
    this.#sequences = Array.from({ length: limits.maxSequences }, () => ({
      tokens: [],
      hashes: [],
      prefixes: [],
      holes: 0,
      spoiled: false,
    }));
  }

  /** Positions the sequence holds, holes included. */
  length(sequence: number): number {
    return this.#cells(sequence).tokens.length;
  }

  /** Tokens at positions 0 ... of a sequence. */
  tokens(sequence: number): readonly number[] {
    return this.#cells(sequence).tokens;
  }

  /** Hash over all contents of a sequence. */
  prefix(sequence: number): number {
    const { prefixes } = this.#cells(sequence);
    return prefixes.at(-1) ?? EMPTY_PREFIX;
  }

  /** Cells in use by all sequences. */
  used(): number {
    let used = 0;
    for (const cells of this.#sequences) used += cells.tokens.length - cells.holes;
    return used;
  }

  /** Whether `count` more cells fit, the highest of them at `position` of any one sequence. */
  fits(count: number, position: number): boolean {
    if (position >= this.#limits.contextPerSequence) return false;
    return this.#limits.kvLayout === 'streams' || this.used() + count <= this.#limits.totalCells;
  }

  /** Throws unless a decode may go on at `position` of the sequence. */
  checkNext(sequence: number, position: number, pending: number): void {
    const cells = this.#cells(sequence);
    if (cells.spoiled)
      throw new Error(`sequence ${sequence} took part in a failed decode and was not emptied`);
    if (cells.holes > 0) throw new Error(`sequence ${sequence} has a hole in its KV`);
    const next = cells.tokens.length + pending;
    if (position !== next)
      throw new Error(`sequence ${sequence} goes on at position ${next}, not at ${position}`);
  }

  /** Writes the next position; `content` is what the model sees there. Returns the hash over all contents. */
  append(sequence: number, token: number, content: number): number {
    const cells = this.#cells(sequence);
    const position = cells.tokens.length;
    const before = cells.prefixes[position - 1] ?? EMPTY_PREFIX;
    const hash = cellHash(before, content, position);
    const prefix = mix(before, hash);
    cells.tokens.push(token);
    cells.hashes.push(hash);
    cells.prefixes.push(prefix);
    return prefix;
  }

  /** Marks a sequence's contents as unknown. */
  spoil(sequence: number): void {
    this.#cells(sequence).spoiled = true;
  }

  remove(sequence: number, from: number, to: number): void {
    const cells = this.#cells(sequence);
    const end = to === -1 ? cells.tokens.length : Math.min(to, cells.tokens.length);
    if (!Number.isInteger(from) || from < 0 || to < -1 || (to !== -1 && to < from)) {
      throw new RangeError(`cannot remove positions ${from} to ${to} of sequence ${sequence}`);
    }
    if (end === cells.tokens.length) truncate(cells, Math.min(from, end));
    else for (let p = from; p < end; p++) cells.tokens[p] = HOLE;
    rehash(cells, from);
    if (cells.tokens.length === 0) cells.spoiled = false;
  }

  export(sequence: number, from: number, to: number): KvBlock {
    const cells = this.#cells(sequence);
    if (cells.spoiled)
      throw new Error(`sequence ${sequence} took part in a failed decode and was not emptied`);
    if (
      !(Number.isInteger(from) && Number.isInteger(to) && 0 <= from && from < to && to <= cells.tokens.length)
    ) {
      throw new RangeError(
        `sequence ${sequence} holds ${cells.tokens.length} positions, not ${from} to ${to}`,
      );
    }
    const tokens = cells.tokens.slice(from, to);
    if (tokens.includes(HOLE))
      throw new Error(`positions ${from} to ${to} of sequence ${sequence} have a hole`);
    return new FakeBlock(from, tokens, cells.hashes.slice(from, to), this.#limits.kvBytesPerToken);
  }

  /** Replaces a sequence's contents. When they do not fit the sequence is left empty. */
  import(sequence: number, blocks: readonly KvBlock[]): boolean {
    const cells = this.#cells(sequence);
    const parts = blocks.map(checkBlock);
    let length = 0;
    for (const part of parts) {
      if (part.from !== length)
        throw new Error(`a block of positions ${part.from} ... cannot go to ${length}`);
      length += part.length;
    }
    truncate(cells, 0);
    cells.spoiled = false;
    if (length > 0 && !this.fits(length, length - 1)) return false;
    for (const part of parts) {
      cells.tokens.push(...part.tokens);
      cells.hashes.push(...part.hashes);
    }
    rehash(cells, 0);
    return true;
  }

  split(block: KvBlock, at: number): readonly [KvBlock, KvBlock] {
    const { from, tokens, hashes, bytesPerToken } = checkBlock(block);
    if (!(Number.isInteger(at) && at > 0 && at < tokens.length)) {
      throw new RangeError(`cannot cut a block of ${tokens.length} positions at ${at}`);
    }
    checkBlock(block).spent = true;
    return [
      new FakeBlock(from, tokens.slice(0, at), hashes.slice(0, at), bytesPerToken),
      new FakeBlock(from + at, tokens.slice(at), hashes.slice(at), bytesPerToken),
    ];
  }

  #cells(sequence: number): Cells {
    const cells = this.#sequences[sequence];
    if (cells === undefined) {
      throw new RangeError(`sequence id ${sequence} is not in 0 .. ${this.#limits.maxSequences - 1}`);
    }
    return cells;
  }
}

function checkBlock(block: KvBlock): FakeBlock {
  if (!(block instanceof FakeBlock)) throw new TypeError('a KV block of another runner');
  if (block.spent) throw new Error('a KV block was used after it had been split');
  return block;
}

function truncate(cells: Cells, length: number): void {
  cells.tokens.length = length;
  cells.hashes.length = length;
  cells.prefixes.length = length;
  if (length === 0) cells.holes = 0;
}

function rehash(cells: Cells, from: number): void {
  cells.holes = cells.tokens.reduce((holes, token) => (token === HOLE ? holes + 1 : holes), 0);
  let prefix = cells.prefixes[from - 1] ?? EMPTY_PREFIX;
  for (let p = from; p < cells.tokens.length; p++) {
    prefix = mix(prefix, cells.tokens[p] === HOLE ? HOLE : (cells.hashes[p] ?? 0));
    cells.prefixes[p] = prefix;
  }
}
