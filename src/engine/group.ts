// A request in the engine: its sequences (n or best_of of them), what it asked for, and when things happened to it.
// Engine process.

import type { OutputOptions, StopConditions, TokenInfo } from '../protocol/index.js';
import type { WireEvent } from './process/messages.js';
import type { Sequence } from './sequence.js';

/** One request and its choices. Plain state; step.ts changes it. */
export interface Group {
  readonly key: number;
  readonly id: string;
  readonly priority: number;
  /** Order of arrival; smaller is older. */
  readonly arrival: number;
  readonly adapter: string | null;
  /** Keeps KV of different adapters apart. */
  readonly scope: string;
  readonly usePrefixCache: boolean;
  readonly stop: StopConditions;
  readonly output: OutputOptions;
  readonly n: number;
  readonly bestOf: number;
  readonly seed: bigint;
  readonly isGreedy: boolean;
  readonly sequences: Sequence[];
  /** Prompt tokens with log-probabilities, filled during prefill when they were asked for. */
  readonly promptScores: TokenInfo[];
  /** Events held back until all choices are done, to pick the best (best_of > n). */
  readonly held: Map<number, WireEvent[]>;
  readonly arrivedMs: number;
  startedMs: number;
  firstTokenMs: number;
  cachedTokens: number;
  hasStarted: boolean;
  /** Choices still going. */
  live: number;
}
