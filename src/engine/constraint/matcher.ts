// The engine thread's side of one constrained sequence. Nothing here computes: tokens go into shared memory, and
// the mask for the next one is there, as a rule, when `llama_decode` returns.

import { KoineError } from '../../protocol/index.js';
import { MAX_TOKENS, type Slot } from './slot.js';

/** Which tokens may come next in one sequence. */
export interface Matcher {
  /**
   * The sequence took these tokens; the worker starts on the mask that follows. Waits, briefly, when it is still
   * busy with the last ones. Throws `constraint` when the worker is lost.
   */
  accept(tokens: readonly number[]): void;
  /**
   * Tokens allowed next, one bit each, lowest bit first; waits up to `waitMs` (default 5) and returns `pending` if
   * the worker has not finished. The array is shared memory, valid until the next `accept`. When the grammar is
   * complete only tokens that end the output are allowed; behind them none is.
   * Throws `constraint` when the worker is lost or a token was not allowed.
   */
  mask(waitMs?: number): Int32Array | 'pending';
  /** Whether a token that ends the output was accepted. Waits like `mask`. */
  isTerminated(): boolean;
  /**
   * Tokens that must come next because the text allows no choice, and that stay right whatever follows; empty when
   * there are none. To be asked when `mask` has given one, and passed to `accept` like sampled ones. `tokenize` must not
   * add special tokens.
   */
  forced(tokenize: (text: string) => ArrayLike<number>): readonly number[];
  /** Ends the matching; the matcher must not be used afterwards. */
  dispose(): void;
}

/** Longest wait of calls that cannot go on without an answer, in milliseconds. */
const LONGEST_WAIT_MS = 10_000;
const MASK_WAIT_MS = 5;

export interface MatcherWiring {
  readonly slot: Slot;
  notify(): void;
  isLost(): boolean;
  release(): void;
}

export function createMatcher(wiring: MatcherWiring): Matcher {
  const { slot } = wiring;
  let isDisposed = false;

  const check = (): void => {
    if (wiring.isLost())
      throw new KoineError('constraint', 'the constraint could not be followed to its end');
  };
  const settle = (waitMs: number): boolean => {
    check();
    if (!slot.wait(waitMs)) return false;
    if (slot.state === 'rejected') {
      throw new KoineError('constraint', 'a token was taken that the constraint does not allow');
    }
    return true;
  };
  const post = (tokens: readonly number[]): void => {
    if (!settle(LONGEST_WAIT_MS)) throw new KoineError('constraint', 'the constraint took too long to check');
    slot.post(tokens);
    wiring.notify();
  };

  return {
    accept: (tokens) => {
      for (let at = 0; at < tokens.length; at += MAX_TOKENS) post(tokens.slice(at, at + MAX_TOKENS));
    },
    mask: (waitMs = MASK_WAIT_MS) => (settle(waitMs) ? slot.mask : 'pending'),
    isTerminated: () => settle(LONGEST_WAIT_MS) && slot.state === 'terminated',
    forced: (tokenize) => {
      if (!settle(0) || slot.state !== 'running') return [];
      return forcedTokens(slot.forced, tokenize);
    },
    dispose: () => {
      if (isDisposed) return;
      isDisposed = true;
      wiring.release();
    },
  };
}

/** A word that may go on behind the text. */
const OPEN_WORD = /[\p{L}\p{N}_]+$/u;

/**
 * Tokens of a text that must come next. The last one is left to the model: it may join with what follows, and a
 * token boundary the model would not have chosen costs quality. So is a word at the end: the first letters two names
 * have in common are not the tokens of either.
 */
function forcedTokens(text: string, tokenize: (text: string) => ArrayLike<number>): readonly number[] {
  const certain = text.replace(OPEN_WORD, '');
  if (certain.length < 2 || text.includes('\u{fffd}')) return [];
  return Array.from(tokenize(certain)).slice(0, -1);
}
