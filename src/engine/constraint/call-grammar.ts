// The grammar of one request's calls: compiled when a call comes near, because most replies make none, and in a looser form
// where it cannot be compiled as it should. What all choices of a request share.

import type { Holding } from '../../grammar/index.js';
import { KoineError } from '../../protocol/index.js';
import type { Matcher } from './matcher.js';
import type { MatcherEntry } from './messages.js';

/** A grammar that is kept ready until `release`. */
export interface Ready {
  open(entry: MatcherEntry): Matcher;
  release(): void;
}

/** Where grammars come from. */
export interface GrammarSupply {
  /** A matcher of this grammar where it is ready by now. */
  openNow(holding: Holding, entry: MatcherEntry): Matcher | undefined;
  compile(holding: Holding, signal: AbortSignal): Promise<Ready>;
  /** Whether this could not be compiled before. */
  hasFailed(holding: Holding): boolean;
  /** Remembers that it could not, and why. */
  failed(holding: Holding, error: KoineError): void;
}

export interface CallGrammar {
  /** Has the grammar compiled, to be ready when a call begins. */
  begin(): void;
  /** A matcher for a call that has begun; none where calls of this request cannot be held. */
  open(entry: MatcherEntry): Matcher | Promise<Matcher | undefined> | undefined;
  /** A sequence has ended. */
  leave(): void;
}

/** From what is asked to what can be had. */
const HOLDINGS: readonly Holding[] = ['whole', 'names'];

/** For a request of so many sequences. Strict: what cannot be compiled as it is asked is an error. */
export function createCallGrammar(supply: GrammarSupply, isStrict: boolean, sequences: number): CallGrammar {
  const gone = new AbortController();
  const holdings = isStrict ? HOLDINGS.slice(0, 1) : HOLDINGS;
  let left = sequences;
  let hasBegun = false;

  const compile = async (): Promise<Ready | undefined> => {
    for (const holding of holdings) {
      if (!isStrict && supply.hasFailed(holding)) continue;
      try {
        return await supply.compile(holding, gone.signal);
      } catch (error) {
        if (isStrict || !(error instanceof KoineError) || error.code === 'cancelled') throw error;
        supply.failed(holding, error);
      }
    }
    return undefined;
  };
  const openWhenReady = async (entry: MatcherEntry): Promise<Matcher | undefined> => {
    const ready = await compile();
    const matcher = ready?.open(entry);
    ready?.release();
    return matcher;
  };

  return {
    begin: () => {
      if (hasBegun) return;
      hasBegun = true;
      // Who cannot have it is told when it is wanted.
      compile().then(
        (ready) => ready?.release(),
        () => undefined,
      );
    },
    open: (entry) => {
      const holding = holdings.find((each) => isStrict || !supply.hasFailed(each));
      return holding === undefined ? undefined : (supply.openNow(holding, entry) ?? openWhenReady(entry));
    },
    leave: () => {
      left -= 1;
      if (left === 0) gone.abort();
    },
  };
}
