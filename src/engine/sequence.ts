// A request in the engine and its generations in flight. Three numbers say where a sequence stands: `promptLength`, `length` (prompt and output tokens)
// and `computed` (positions whose KV exists); the rest follows from them. Engine process.

import type { FinishReason, OutputOptions, StopConditions, TokenInfo } from '../protocol/index.js';
import type { Tenant } from './cache/places.js';
import type { KvBlock } from './model-runner.js';
import type { SequenceOutput } from './output.js';
import type { WireEvent } from './process/messages.js';
import type { SequenceSampler } from './sampling/index.js';

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

/** Rows that stand at consecutive positions in place of tokens. */
export interface RowSpan {
  readonly from: number;
  readonly to: number;
  /** (to - from) * embeddingSize floats. */
  readonly rows: Float32Array;
}

/** Share of proposed tokens taken to be right before anything is known. */
export const FIRST_DRAFT_RATE = 0.7;

/** A constraint at work on one sequence. `Matcher` of the constraint room is one, the native grammar another. */
export interface OutputMatcher {
  /**
   * Tokens allowed next, one bit each, null = all; waits up to so long for them. Throws `constraint` when it is lost.
   */
  mask(waitMs: number): Int32Array | 'pending' | null;
  /** Moves on by tokens that were allowed. */
  accept(tokens: readonly number[]): void;
  /** Tokens that must come next whatever the model says. To be asked once `mask` has given one. */
  forced(tokenize: (text: string) => ArrayLike<number>): readonly number[];
  /** Whether everything is allowed for now, so that tokens may be taken before a mask is asked for. Default false. */
  readonly isFree?: boolean;
  /** Asked where nothing may be picked: true when it was a rule that could be given up, and has been. */
  letGo?(): boolean;
  dispose(): void;
}

/** Where a sequence is in its life: waiting -> running -> ended, with swapped in between when it had to give way. */
export type Phase = 'waiting' | 'running' | 'swapped' | 'ended';

/** A prompt as the engine runs it. Positions of rows hold negative pseudo-tokens that stand for their content. */
export interface Prompt {
  readonly tokens: Int32Array;
  readonly rowSpans: readonly RowSpan[];
}

/** What a sequence is made of. */
export interface SequenceParts {
  readonly choice: number;
  readonly prompt: Prompt;
  readonly sampler: SequenceSampler;
  readonly output: SequenceOutput;
  /** Most tokens prompt and output may have together. */
  readonly maxLength: number;
  /** What the output must look like, when the request says so. */
  readonly matcher: OutputMatcher | undefined;
}

/** See the head of this file. Invariant: 0 <= computed <= length, promptLength <= length. */
export class Sequence implements Tenant {
  phase: Phase = 'waiting';
  tokens: Int32Array;
  length: number;
  computed = 0;
  /** Tokens there were to compute when it was seated. */
  work = 0;
  place = -1;
  /** KV in host memory while swapped. */
  swapped: KvBlock | undefined;
  /** Another sequence that is computing a prefix this one shares, and how much of it to wait for. */
  waitsFor: { readonly leader: Sequence; readonly positions: number } | undefined;
  /** Whether the wait for a leader has been considered; once is enough, unless the leader ends. */
  hasLookedForLeader = false;
  /** Whether it has had a place before. */
  wasSeated = false;
  reason: FinishReason | undefined;
  /** Tokens its constraint has decided, which are taken one by one because their scores are wanted. */
  due: number[] = [];
  /** Share of the tokens proposed for it that are expected to be right (prompt-lookup.ts). */
  draftRate = FIRST_DRAFT_RATE;
  /** Logits of a decode whose constraint was not ready to say what is allowed; the token is picked from them later. */
  heldRow: Float32Array | undefined;
  readonly group: Group;
  readonly choice: number;
  readonly rowSpans: readonly RowSpan[];
  readonly sampler: SequenceSampler;
  readonly output: SequenceOutput;
  readonly maxLength: number;
  readonly matcher: OutputMatcher | undefined;
  readonly promptLength: number;

  constructor(group: Group, { choice, prompt, sampler, output, maxLength, matcher }: SequenceParts) {
    this.group = group;
    this.choice = choice;
    this.rowSpans = prompt.rowSpans;
    this.sampler = sampler;
    this.output = output;
    this.maxLength = maxLength;
    this.matcher = matcher;
    this.promptLength = prompt.tokens.length;
    this.length = prompt.tokens.length;
    this.tokens = new Int32Array(Math.min(maxLength, prompt.tokens.length + 256));
    this.tokens.set(prompt.tokens);
  }

  get scope(): string {
    return this.group.scope;
  }

  get usePrefixCache(): boolean {
    return this.group.usePrefixCache;
  }

  get generated(): number {
    return this.length - this.promptLength;
  }

  /** Tokens whose KV is still to be computed; 1 while decoding. */
  get remaining(): number {
    return this.length - this.computed;
  }

  /** Appends a sampled token. */
  append(token: number): void {
    if (this.length === this.tokens.length) {
      const larger = new Int32Array(Math.min(this.maxLength, this.tokens.length * 2));
      larger.set(this.tokens);
      this.tokens = larger;
    }
    this.tokens[this.length++] = token;
  }

  /** The row span that covers a position, if any. */
  rowSpanAt(position: number): RowSpan | undefined {
    return this.rowSpans.find((span) => position >= span.from && position < span.to);
  }

  /** First position at or after `from` where tokens change to rows or back; the length if none. */
  nextBorder(from: number): number {
    for (const span of this.rowSpans) {
      if (from < span.from) return span.from;
      if (from < span.to) return span.to;
    }
    return this.length;
  }
}
