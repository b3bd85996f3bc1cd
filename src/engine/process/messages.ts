// Everything that crosses between the server process and an engine process: two closed unions of plain JSON.
// One `step` message carries what all sequences produced in a step.

import type { ReplyLead } from '../../chat/index.js';
import type {
  Constraint,
  EngineStatus,
  Failure,
  GenerateEvent,
  OutputOptions,
  Pooling,
  SamplingParams,
  StopConditions,
  TokenSpan,
} from '../../protocol/index.js';
import type { ModelFacts } from '../model-runner.js';
import type { EngineOptions } from '../options.js';

/** Prompt of a submission: chats are rendered before they get here. */
export type PromptInput =
  | {
      readonly kind: 'text';
      readonly text: string;
      readonly addSpecial: boolean;
      readonly parseSpecial: boolean;
    }
  | { readonly kind: 'tokens'; readonly tokens: readonly number[] }
  | { readonly kind: 'infill'; readonly prefix: string; readonly suffix: string }
  /** Tokens and embedding rows in turn; rows are base64 of little-endian float32. */
  | { readonly kind: 'segments'; readonly segments: readonly PromptSegment[] };

/** A run of tokens, or rows of a width the model expects that stand for `count` positions. */
export type PromptSegment =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'rows'; readonly count: number; readonly rows: string };

/** One request as the engine process runs it. `key` is unique for the life of the process. */
export interface Submission {
  readonly key: number;
  readonly id: string;
  readonly prompt: PromptInput;
  /** The seed travels as decimal text: JSON has no integers of 64 bits. */
  readonly sampling: Omit<SamplingParams, 'seed'> & { readonly seed?: string };
  readonly stop: StopConditions;
  readonly constraint?: Constraint;
  /** What may stand in front of constrained output. */
  readonly lead?: ReplyLead;
  readonly output: OutputOptions;
  readonly adapter?: string;
  readonly n: number;
  readonly bestOf: number;
  readonly priority: number;
  readonly truncateTo?: number;
  readonly usePrefixCache: boolean;
  /** Names of control tokens that belong to the text all the same: the chat room reads them. */
  readonly markers: readonly string[];
}

/** Work of one answer. */
export type Query =
  | {
      readonly kind: 'tokenize';
      readonly text: string;
      readonly addSpecial: boolean;
      readonly parseSpecial: boolean;
    }
  | { readonly kind: 'detokenize'; readonly tokens: readonly number[]; readonly showSpecial: boolean }
  | {
      readonly kind: 'embed';
      readonly inputs: readonly (string | readonly number[])[];
      readonly pooling?: Pooling;
      readonly normalize: boolean;
      readonly truncate: boolean;
    };

/** What a query comes back with. Vectors are base64 of little-endian float32. */
export type QueryResult =
  | { readonly kind: 'tokenize'; readonly spans: readonly TokenSpan[] }
  | { readonly kind: 'detokenize'; readonly text: string }
  | {
      readonly kind: 'embed';
      readonly vectors: readonly (readonly string[])[];
      readonly promptTokens: number;
    };

/** Events as they travel: seeds as decimal text. */
export type WireEvent =
  | Exclude<GenerateEvent, { kind: 'choice' }>
  | (Omit<Extract<GenerateEvent, { kind: 'choice' }>, 'seed'> & { readonly seed?: string });

/** A plain delta in its shortest form: request key, choice, text. */
export type TextDelta = readonly [key: number, choice: number, text: string];

/** Figures of an engine process; the supervisor adds state and restarts. */
export type ProcessStatus = Omit<EngineStatus, 'state' | 'restarts'>;

/** Server to engine. */
export type ToEngine =
  | { readonly kind: 'start'; readonly options: EngineOptions }
  | { readonly kind: 'submit'; readonly submission: Submission }
  | { readonly kind: 'cancel'; readonly key: number }
  | { readonly kind: 'query'; readonly key: number; readonly query: Query }
  | { readonly kind: 'cancel-query'; readonly key: number }
  | { readonly kind: 'stop' };

/** Engine to server. */
export type FromEngine =
  | {
      readonly kind: 'ready';
      readonly facts: ModelFacts;
      readonly runner: RunnerSummary;
    }
  | {
      readonly kind: 'step';
      /** Plain text deltas, in order. */
      readonly texts: readonly TextDelta[];
      /** All other events, in order; of one request, its texts of the same step come first. */
      readonly events: readonly (readonly [key: number, event: WireEvent])[];
      readonly status?: ProcessStatus;
    }
  | { readonly kind: 'status'; readonly status: ProcessStatus }
  | { readonly kind: 'answer'; readonly key: number; readonly result: QueryResult }
  | { readonly kind: 'refused'; readonly key: number; readonly failure: Failure }
  | { readonly kind: 'log'; readonly level: 'debug' | 'info' | 'warn' | 'error'; readonly text: string }
  /** The model cannot be served at all; the process ends. */
  | { readonly kind: 'fatal'; readonly message: string };

/** What the server side needs to know of the runner. */
export interface RunnerSummary {
  readonly vocabSize: number;
  readonly contextTokens: number;
  readonly maxSequences: number;
  readonly eogTokens: readonly number[];
  readonly maxEmbedTokens: number;
  readonly kvBytesPerToken: number;
  readonly threads: number;
  readonly librarySource: string;
}
