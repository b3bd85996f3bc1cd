import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KvBlock } from '../model-runner.js';
import { createNoCache } from './no-cache.js';
import { RadixCache } from './radix-cache.js';

/** A block that knows which tokens it was computed from, so that a wrong join or cut shows. */
interface TokenBlock extends KvBlock {
  readonly tokens: readonly number[];
}

const BYTES = 10;
const block = (tokens: readonly number[]): TokenBlock => ({
  tokens,
  length: tokens.length,
  bytes: tokens.length * BYTES,
});

function cacheOf(budgetTokens: number): RadixCache {
  return new RadixCache({
    isExact: false,
    budgetBytes: budgetTokens * BYTES,
    split: (whole, at) => {
      const { tokens } = whole as TokenBlock;
      if (!(at > 0 && at < tokens.length)) throw new RangeError(`cut of ${tokens.length} at ${at}`);
      return [block(tokens.slice(0, at)), block(tokens.slice(at))];
    },
  });
}

const tokensOf = (text: string): Int32Array =>
  Int32Array.from(text, (character) => character.codePointAt(0) ?? 0);

/** Inserts a text and returns the range that was asked for, if any. */
function insert(cache: RadixCache, text: string, scope = ''): readonly [number, number] | undefined {
  const tokens = tokensOf(text);
  let asked: readonly [number, number] | undefined;
  cache.insert(scope, tokens, tokens.length, (from, to) => {
    if (asked !== undefined) throw new Error('taken twice');
    asked = [from, to];
    return block([...tokens.slice(from, to)]);
  });
  return asked;
}

const peek = (cache: RadixCache, text: string, scope = ''): number =>
  cache.peek(scope, tokensOf(text), text.length);

/** What the blocks of a match hold, joined. */
function found(cache: RadixCache, text: string, scope = ''): string {
  const handle = cache.match(scope, tokensOf(text), text.length);
  const held = handle.blocks.flatMap((part) => (part as TokenBlock).tokens);
  handle.release();
  return String.fromCodePoint(...held.slice(0, handle.length));
}

describe('the radix cache', () => {
  it('finds the longest known prefix and takes only what it does not know', () => {
    const cache = cacheOf(1000);
    expect(insert(cache, 'a prefix of some length')).toEqual([0, 23]);
    expect(insert(cache, 'a prefix of some length')).toBeUndefined();
    expect(insert(cache, 'a prefix of some length and more')).toEqual([23, 32]);
    expect(peek(cache, 'a prefix of another kind')).toBe(12);
    expect(found(cache, 'a prefix of some length and less')).toBe('a prefix of some length and ');
    expect(peek(cache, 'b prefix')).toBe(0);
    expect(cache.stats()).toEqual({ usedBytes: 320, budgetBytes: 10_000, nodes: 2 });
  });

  it('stores what prefixes share once', () => {
    const cache = cacheOf(1000);
    insert(cache, 'shared beginning, first end');
    expect(insert(cache, 'shared beginning, second end')).toEqual([18, 28]);
    expect(cache.stats()).toMatchObject({ usedBytes: 370, nodes: 3 });
    expect(found(cache, 'shared beginning, first end')).toBe('shared beginning, first end');
    expect(found(cache, 'shared beginning, second end')).toBe('shared beginning, second end');
  });

  it('does not keep ends too short to be worth it', () => {
    const cache = cacheOf(1000);
    insert(cache, 'one two three four');
    expect(insert(cache, 'one two three four five')).toBeUndefined();
    expect(peek(cache, 'one two three four five')).toBe(18);
  });

  it('never mixes scopes', () => {
    const cache = cacheOf(1000);
    insert(cache, 'the same text twice', 'adapter');
    expect(peek(cache, 'the same text twice')).toBe(0);
    expect(insert(cache, 'the same text twice')).toEqual([0, 19]);
  });

  it('looks only at the length it is given', () => {
    const cache = cacheOf(1000);
    const tokens = tokensOf('only the first ten of these');
    cache.insert('', tokens, 10, (from, to) => block([...tokens.slice(from, to)]));
    expect(cache.peek('', tokens, tokens.length)).toBe(10);
    expect(cache.peek('', tokens, 4)).toBe(4);
  });

  it('evicts the least recently used leaf, and a parent only after its children', () => {
    const cache = cacheOf(40);
    insert(cache, 'AAAAAAAAAA');
    insert(cache, 'AAAAAAAAAABBBBBBBBBB');
    insert(cache, 'CCCCCCCCCC');
    expect(peek(cache, 'AAAAAAAAAABBBBBBBBBB')).toBe(20);
    insert(cache, 'DDDDDDDDDDDDDDDDDDDD');
    expect(peek(cache, 'AAAAAAAAAABBBBBBBBBB')).toBe(10);
    expect(peek(cache, 'CCCCCCCCCC')).toBe(10);
    found(cache, 'AAAAAAAAAA');
    insert(cache, 'EEEEEEEEEE');
    expect(peek(cache, 'CCCCCCCCCC')).toBe(0);
    expect(peek(cache, 'AAAAAAAAAA')).toBe(10);
  });

  it('keeps what a handle holds until it is released', () => {
    const cache = cacheOf(20);
    insert(cache, 'AAAAAAAAAA');
    const handle = cache.match('', tokensOf('AAAAAAAAAA'), 10);
    insert(cache, 'BBBBBBBBBB');
    insert(cache, 'CCCCCCCCCC');
    expect(peek(cache, 'AAAAAAAAAA')).toBe(10);
    cache.clear();
    expect(cache.stats()).toMatchObject({ usedBytes: 100, nodes: 1 });
    handle.release();
    handle.release();
    cache.clear();
    expect(cache.stats()).toMatchObject({ usedBytes: 0, nodes: 0 });
  });

  it('keeps locks balanced when a held node is split', () => {
    const cache = cacheOf(1000);
    insert(cache, 'AAAAAAAAAAAAAAAAAAAA');
    const handle = cache.match('', tokensOf('AAAAAAAAAAAAAAAAAAAA'), 20);
    insert(cache, 'AAAAAAAAAABBBBBBBBBB');
    cache.clear();
    expect(peek(cache, 'AAAAAAAAAAAAAAAAAAAA')).toBe(20);
    handle.release();
    cache.clear();
    expect(cache.stats()).toMatchObject({ usedBytes: 0, nodes: 0 });
  });

  it('takes nothing that cannot fit, and does not empty itself in the attempt', () => {
    const cache = cacheOf(30);
    insert(cache, 'AAAAAAAAAA');
    insert(cache, 'BBBBBBBBBB');
    expect(insert(cache, 'C'.repeat(31))).toBeUndefined();
    expect(peek(cache, 'AAAAAAAAAA')).toBe(10);
    expect(peek(cache, 'BBBBBBBBBB')).toBe(10);
  });

  it('with a budget of nothing keeps nothing', () => {
    const cache = cacheOf(0);
    insert(cache, 'AAAAAAAAAA');
    expect(cache.stats()).toMatchObject({ usedBytes: 0, nodes: 0 });
  });

  it('agrees with a plain list of texts, whatever is inserted and held', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 40 });
    const command = fc.record({ kind: fc.constantFrom('insert', 'insert', 'match', 'hold', 'drop'), text });
    fc.assert(
      fc.property(
        fc.array(command, { maxLength: 40 }),
        fc.integer({ min: 10, max: 200 }),
        (commands, size) => {
          const cache = cacheOf(size);
          const known: string[] = [];
          const held: { text: string; handle: ReturnType<RadixCache['match']> }[] = [];
          for (const { kind, text: given } of commands) {
            if (kind === 'insert') {
              insert(cache, given);
              known.push(given);
            } else if (kind === 'hold') {
              const handle = cache.match('', tokensOf(given), given.length);
              held.push({ text: given.slice(0, handle.length), handle });
            } else if (kind === 'drop') held.shift()?.handle.release();
            // What is found is right, and no more than what was put in.
            const match = found(cache, given);
            expect(given.startsWith(match)).toBe(true);
            expect(known.some((one) => one.startsWith(match)) || match === '').toBe(true);
            for (const { text: kept } of held) expect(peek(cache, kept)).toBe(kept.length);
            if (held.length === 0) expect(cache.stats().usedBytes).toBeLessThanOrEqual(size * BYTES);
          }
          for (const { handle } of held) handle.release();
          cache.clear();
          expect(cache.stats()).toMatchObject({ usedBytes: 0, nodes: 0 });
        },
      ),
      { numRuns: 300 },
    );
  });

  it('with room for all forgets nothing worth keeping', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(fc.array(text, { maxLength: 30 }), text, (texts, query) => {
        const cache = cacheOf(10_000);
        // An end shorter than 8 is not stored, so that much may be missing from the best match.
        for (const one of texts) insert(cache, one);
        const best = Math.max(0, ...texts.map((one) => shared(one, query)));
        expect(peek(cache, query)).toBeLessThanOrEqual(best);
        expect(peek(cache, query)).toBeGreaterThan(best - 8);
      }),
      { numRuns: 200 },
    );
  });
});

function shared(a: string, b: string): number {
  let same = 0;
  while (same < Math.min(a.length, b.length) && a[same] === b[same]) same++;
  return same;
}

describe('the cache that knows nothing', () => {
  it('never finds and never takes', () => {
    const cache = createNoCache();
    const tokens = tokensOf('anything at all');
    cache.insert('', tokens, tokens.length, () => {
      throw new Error('taken');
    });
    expect(cache.peek('', tokens, tokens.length)).toBe(0);
    expect(cache.match('', tokens, tokens.length)).toMatchObject({ length: 0, blocks: [] });
    expect(cache.stats()).toEqual({ usedBytes: 0, budgetBytes: 0, nodes: 0 });
  });
});
