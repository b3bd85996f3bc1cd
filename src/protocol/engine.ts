// What an engine can do. The embedded one is one implementation, the fake another; drivers of remote servers will be more.

import type { GenerateEvent, Usage } from './event.js';
import type { ChatInput, GenerateRequest } from './generate.js';
import type { StepFigures } from './step-figures.js';

/** How embeddings of several tokens become one. */
export type Pooling = 'none' | 'mean' | 'cls' | 'last' | 'rank';

/** Facts about a loaded model. */
export interface ModelDescription {
  /** The name it is published under. */
  readonly id: string;
  /** Other names it answers to. */
  readonly aliases: readonly string[];
  readonly architecture: string;
  /** Human-readable quantisation, e.g. `Q8_0`. */
  readonly quantization: string;
  readonly parameters: number;
  readonly sizeBytes: number;
  readonly vocabSize: number;
  readonly embeddingSize: number;
  /** Longest prompt plus output of one sequence, in tokens. */
  readonly contextTokens: number;
  /** What the model was trained for. */
  readonly trainedContextTokens: number;
  /** Sequences that can run at once. */
  readonly maxSequences: number;
  readonly pooling: Pooling;
  readonly adapters: readonly string[];
  /** Jinja source of the chat template, when there is one. */
  readonly chatTemplate?: string;
  readonly bosText: string;
  readonly eosText: string;
  /** Tokens that end a generation. */
  readonly eogTokens: readonly number[];
  readonly canInfill: boolean;
  /** Seconds since the epoch at which the model was loaded. */
  readonly loadedAt: number;
}

/** A token with where it lies in the text it came from. */
export interface TokenSpan {
  readonly id: number;
  /** The token's text; empty for tokens the tokenizer added. */
  readonly text: string;
  /** Half-open range of UTF-8 bytes in the input. 0,0 for tokens the tokenizer added. */
  readonly start: number;
  readonly stop: number;
  readonly special: boolean;
}

export interface TokenizeRequest {
  readonly model: string;
  readonly text: string;
  readonly addSpecial: boolean;
  readonly parseSpecial: boolean;
}

export interface EmbedRequest {
  readonly id: string;
  readonly model: string;
  readonly inputs: readonly (string | readonly number[])[];
  /** Overrides the model's pooling. `none` returns one vector per token. */
  readonly pooling?: Pooling;
  /** Scale vectors to length 1. */
  readonly normalize: boolean;
  readonly adapter?: string;
  /** Cut inputs that are too long instead of refusing them. */
  readonly truncate: boolean;
}

export interface EmbedResult {
  /** One entry per input: one vector, or one per token with pooling `none`. */
  readonly vectors: readonly (readonly Float32Array[])[];
  readonly usage: Usage;
}

/** What an engine is doing right now. `unloaded`: its model will be loaded by the next request. */
export type EngineState = 'unloaded' | 'starting' | 'ready' | 'restarting' | 'draining' | 'stopped';

/** Live figures for health pages, metrics and routing. */
export interface EngineStatus {
  readonly state: EngineState;
  readonly running: number;
  readonly waiting: number;
  readonly swapped: number;
  /** KV cells: total, used by running sequences, and holding finished prefixes that can be taken back. */
  readonly kvCells: { readonly total: number; readonly running: number; readonly cached: number };
  readonly prefixCache: {
    readonly hitTokens: number;
    readonly missTokens: number;
    readonly usedBytes: number;
    readonly budgetBytes: number;
  };
  /** Tokens proposed by prompt lookup and those that were right; absent where there is none. */
  readonly promptLookup?: { readonly proposed: number; readonly accepted: number };
  readonly threads: number;
  readonly steps: number;
  /** Absent where steps cannot be watched. */
  readonly stepFigures?: StepFigures;
  readonly restarts: number;
}

/** Whatever generates text. All methods reject or fail with `KoineError` codes only. */
export interface Engine {
  /** Facts about the model; rejects with `unavailable` until the model is loaded. */
  describe(): Promise<ModelDescription>;
  /** Runs one request. Aborting the signal frees its sequences before the next step and ends the iteration. */
  generate(request: GenerateRequest, signal: AbortSignal): AsyncIterable<GenerateEvent>;
  embed(request: EmbedRequest, signal: AbortSignal): Promise<EmbedResult>;
  tokenize(request: TokenizeRequest): Promise<readonly TokenSpan[]>;
  /** Tokens to text; special tokens are shown when asked. Invalid ids are `invalid_request`. */
  detokenize(tokens: readonly number[], showSpecial: boolean): Promise<string>;
  /** The prompt text a chat would become, without running it. */
  renderChat(chat: ChatInput): Promise<string>;
  status(): EngineStatus;
}

/** Finds the engine for a model name. One embedded engine is the simplest router. */
export interface Router {
  /** Resolves a name or alias; undefined = the default model. Throws `model_not_found`. */
  resolve(model: string | undefined): Engine;
  /** Every model that can be asked for, default first. Of one that was never loaded, only what its file tells. */
  models(): Promise<readonly ModelDescription[]>;
}
