// What the fake runner can be told and asked, beside the contract: options with their defaults, counters, steps.

import type { DecodeOutcome, ModelFacts, ModelRunner } from '../../src/engine/model-runner.js';
import type { FakeScript } from './fake-scores.js';
import type { FakeVocabulary } from './fake-vocabulary.js';

export interface FakeRunnerOptions {
  /** Default 4. */
  readonly maxSequences?: number;
  /** Default 64 with streams, all cells when unified. */
  readonly contextPerSequence?: number;
  /** Size of the unified pool; default maxSequences * 64. Ignored with streams. */
  readonly totalCells?: number;
  /** Default streams. */
  readonly kvLayout?: 'streams' | 'unified';
  /** Default 32. */
  readonly batchTokens?: number;
  /** Default true. */
  readonly canMoveKv?: boolean;
  /** Default 16. */
  readonly kvBytesPerToken?: number;
  /** Default 8. */
  readonly embeddingSize?: number;
  /** Default 4. */
  readonly maxThreads?: number;
  /** Names `setAdapter` accepts. Default none. */
  readonly adapters?: readonly string[];
  /** What the model says after given texts, instead of what its table says. */
  readonly script?: readonly FakeScript[];
  /** Added to the scores of tokens that end a generation; the default -30 keeps the model talking. */
  readonly endBias?: number;
  /** Keep a record of every decode in `steps`. Default true. */
  readonly recordSteps?: boolean;
  /** Differences from the facts of a small chat model that declares no pooling and has no template. */
  readonly facts?: Partial<ModelFacts>;
  /** Called at every decode before it takes effect, e.g. to advance a test's clock. */
  readonly onDecode?: (step: FakeStep) => void;
}

/** Tokens of one sequence in one decode. */
export interface FakeStepPart {
  readonly sequence: number;
  /** First position. */
  readonly from: number;
  readonly count: number;
  /** Rows of logits wanted. */
  readonly rows: number;
}

/** One decode call. */
export interface FakeStep {
  readonly kind: 'tokens' | 'rows';
  readonly parts: readonly FakeStepPart[];
  readonly tokens: number;
  readonly adapter: string | null;
  readonly threads: number;
  readonly outcome: DecodeOutcome;
}

/** Counted since the runner was made. Tokens are positions. */
export interface FakeCounters {
  decodes: number;
  decodedTokens: number;
  exports: number;
  exportedTokens: number;
  exportedBytes: number;
  imports: number;
  importedTokens: number;
  importedBytes: number;
  splits: number;
  removals: number;
}

/** The fake's face for tests, beside the contract. */
export interface FakeRunner extends ModelRunner {
  readonly facts: ModelFacts;
  readonly vocabulary: FakeVocabulary;
  readonly counters: FakeCounters;
  readonly steps: readonly FakeStep[];
  readonly isDisposed: boolean;
  /** Makes the next `times` decodes end this way. */
  failNext(outcome: 'no-space' | 'failed', times?: number): void;
  /** Makes the next import answer false. */
  failNextImport(): void;
  /** Positions a sequence holds. */
  kvLength(sequence: number): number;
  /** Tokens a sequence holds; -1 for embedding rows. */
  kvTokens(sequence: number): readonly number[];
  /** Cells in use by all sequences. */
  usedCells(): number;
  /** What greedy sampling must answer to these tokens, computed apart from the runner's state. */
  expectGreedy(prompt: Iterable<number>, count: number, adapter?: string | null): number[];
}

/** Options with every default filled in. */
export type FakeSettings = Required<Omit<FakeRunnerOptions, 'onDecode'>> &
  Pick<FakeRunnerOptions, 'onDecode'>;

/** Fills in the defaults. */
export function settle(options: FakeRunnerOptions): FakeSettings {
  const maxSequences = options.maxSequences ?? 4;
  const kvLayout = options.kvLayout ?? 'streams';
  const pool = options.totalCells ?? maxSequences * 64;
  const contextPerSequence = options.contextPerSequence ?? (kvLayout === 'unified' ? pool : 64);
  return {
    batchTokens: 32,
    canMoveKv: true,
    kvBytesPerToken: 16,
    embeddingSize: 8,
    maxThreads: 4,
    adapters: [],
    script: [],
    endBias: -30,
    recordSteps: true,
    facts: {},
    ...options,
    maxSequences,
    kvLayout,
    contextPerSequence,
    totalCells: kvLayout === 'unified' ? pool : maxSequences * contextPerSequence,
  };
}
