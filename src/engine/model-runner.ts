// The contract the engine needs from any compute. `native` implements it over llama.cpp; test/support has one
// whose model is a table. Runs in the engine process; every call is synchronous and from one thread.

/** KV cache element types offered to users; smaller ones trade accuracy for memory. */
export type KvType = 'f32' | 'f16' | 'bf16' | 'q8_0' | 'q5_1' | 'q5_0' | 'q4_1' | 'q4_0';

/** What a model file says about itself. */
export interface ModelFacts {
  readonly architecture: string;
  /** Human-readable, e.g. `Q8_0`. */
  readonly quantization: string;
  readonly parameters: number;
  readonly sizeBytes: number;
  readonly embeddingSize: number;
  readonly trainedContextTokens: number;
  /** Pooling written in the file; undefined for most chat models. */
  readonly declaredPooling: 'none' | 'mean' | 'cls' | 'last' | 'rank' | undefined;
  readonly chatTemplate: string | undefined;
  readonly bosText: string;
  readonly eosText: string;
  readonly addsBos: boolean;
  /** Fill-in-the-middle markers, when the model has all three. */
  readonly infillTokens:
    | { readonly prefix: number; readonly suffix: number; readonly middle: number }
    | undefined;
  /** False for encoder-only models, which can only embed. */
  readonly canGenerate: boolean;
  readonly adapters: readonly string[];
}

/** Fixed facts of a loaded model and its context. */
export interface RunnerInfo {
  readonly vocabSize: number;
  /** Width of an embedding row. */
  readonly embeddingSize: number;
  /** Sequence ids are 0 .. maxSequences - 1. */
  readonly maxSequences: number;
  /** Most positions one sequence may hold. */
  readonly contextPerSequence: number;
  /** KV cells in all: with streams maxSequences * contextPerSequence, unified the size of the pool. */
  readonly totalCells: number;
  readonly kvLayout: 'streams' | 'unified';
  /** Most tokens of one `decode`. */
  readonly batchTokens: number;
  /** Prompt tokens of one step from which on more are not computed any faster per token. */
  readonly efficientChunk: number;
  /** Whether KV can be taken out, cut at a position and put back (false for recurrent and sliding-window models). */
  readonly canMoveKv: boolean;
  /** Bytes of KV per position, for budgets. 0 when `canMoveKv` is false. */
  readonly kvBytesPerToken: number;
  /** Tokens that end a generation (EOS, end of turn, ...). */
  readonly eogTokens: readonly number[];
  /** Most threads that make sense on this machine; `setThreads` takes 1 .. maxThreads. */
  readonly maxThreads: number;
}

/**
 * The tokens of the next decode call, as parallel arrays owned by the runner. The engine writes entries
 * 0 .. length - 1 and sets `length`; entry i is token `tokens[i]` at `positions[i]` of sequence `sequences[i]`.
 */
export interface StepBatch {
  length: number;
  readonly tokens: Int32Array;
  readonly positions: Int32Array;
  readonly sequences: Int32Array;
  /** 1 where logits are wanted. The k-th such entry becomes row k. */
  readonly wantsLogits: Int8Array;
}

/** Part of a sequence's KV in host memory, for positions `from` .. `from + length - 1`. Opaque to the engine. */
export interface KvBlock {
  readonly length: number;
  readonly bytes: number;
}

/** How a decode call ended. `no-space` leaves the KV as it was before the call. */
export type DecodeOutcome = 'ok' | 'no-space' | 'failed';

/** A grammar at work on one sequence. */
export interface RunnerGrammar {
  /** Tokens allowed next, one bit each. Valid until the next call. */
  mask(): Int32Array;
  accept(tokens: readonly number[]): void;
  forced(): readonly number[];
  dispose(): void;
}

/** Compute for one model. */
export interface ModelRunner {
  readonly info: RunnerInfo;
  readonly batch: StepBatch;
  /** Runs the batch. Afterwards row k (0-based, in batch order) is available from `logits`. */
  decode(): DecodeOutcome;
  /**
   * Runs embedding rows in place of tokens: rows * embeddingSize floats at consecutive positions of one sequence.
   * Logits of the last row are row 0 when wanted.
   */
  decodeRows(rows: Float32Array, sequence: number, position: number, wantsLogits: boolean): DecodeOutcome;
  /** Scores of row k: vocabSize floats in the runner's memory, writable, valid until the next decode. */
  logits(row: number): Float32Array;
  /** Forgets positions `from` .. `to - 1` of a sequence; `to` = -1 means to the end. */
  removeKv(sequence: number, from: number, to: number): void;
  /** Copies positions `from` .. `to - 1` of a sequence into host memory. Only when `canMoveKv`. */
  exportKv(sequence: number, from: number, to: number): KvBlock;
  /** Replaces a sequence's KV by these blocks, which follow each other from position 0. False if it does not fit. */
  importKv(sequence: number, blocks: readonly KvBlock[]): boolean;
  /** Cuts a block in two at `at` positions (0 < at < length); the given block must not be used any more. */
  splitKv(block: KvBlock, at: number): readonly [KvBlock, KvBlock];
  /** Selects the LoRA adapter for the following decodes; null = none. Throws on an unknown name. */
  setAdapter(name: string | null): void;
  setThreads(threads: number): void;
  /** Text to tokens. */
  tokenize(text: string, addSpecial: boolean, parseSpecial: boolean): Int32Array;
  /** The token's text as bytes: its characters' part, or the marker's name for a control token. */
  tokenBytes(token: number): Uint8Array;
  /** True for control tokens, which are not shown unless asked for. */
  isControl(token: number): boolean;
  /**
   * Embeds token sequences, each in a pass of its own context. Result: one vector per input, or one per token
   * with pooling `none`. Vectors are copies.
   */
  embed(inputs: readonly Int32Array[], pooling: 'none' | 'mean' | 'cls' | 'last' | 'rank'): Float32Array[][];
  /**
   * A walk through a GBNF grammar with the start rule `root`; undefined when it cannot be parsed. The slow way, for
   * grammars nobody else reads; runners without one leave it out.
   */
  parseGrammar?(source: string): RunnerGrammar | undefined;
  /** Frees the model; the runner must not be used afterwards. */
  dispose(): void;
}
