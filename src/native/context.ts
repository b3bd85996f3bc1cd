// One generation context of a model: its KV memory, threads and limits. Engine process.

import { cpus } from 'node:os';
import type { LlamaLibrary } from './library.js';
import { grantedThreads } from './machine.js';
import type { NativeModel } from './model.js';
import type { RunnerOptions } from './options.js';
import { type ContextParams, GGML_TYPES, type Pointer, threadpoolParams } from './structs.js';

/** Context when none is asked for: enough for conversations, small enough for many places. */
const DEFAULT_CONTEXT = 8192;
/** Tokens per pass over the weights. Larger ones cost memory and gain nothing on a CPU. */
export const MICRO_BATCH = 512;
/** How long idle ggml threads spin before they sleep; the library's own default. */
const POLL_LEVEL = 50;

/** A context and what was really granted. */
export interface NativeContext {
  readonly handle: Pointer;
  /** Threads that live as long as the process; undefined where the CPU backend has none to offer. */
  readonly pool: Pointer | undefined;
  /** Null for encoder-only models. */
  readonly memory: Pointer | null;
  readonly contextPerSequence: number;
  readonly batchTokens: number;
  readonly maxThreads: number;
  /** One plain attention cache: no recurrent state, no sliding window. */
  readonly hasPlainKv: boolean;
}

/** Creates the context. Throws an `Error` of one line when memory does not suffice or a setting is refused. */
export function createContext(
  library: LlamaLibrary,
  model: NativeModel,
  options: RunnerOptions,
  lastError: () => string | undefined,
): NativeContext {
  // More threads than cores wait for one another at every step.
  const maxThreads = options.threads > 0 ? Math.min(options.threads, cpus().length) : grantedThreads();
  const params = contextParams(library, model, options, maxThreads);
  const handle = library.contextCreate(model.handle, params);
  if (handle === null) {
    throw new Error(
      `cannot create a context of ${params.n_ctx} tokens for ${options.modelPath}: ` +
        `${lastError() ?? 'not enough memory'}; try a smaller --ctx-size or --parallel`,
    );
  }
  const pool = library.createThreadpool(threadpoolParams(maxThreads, POLL_LEVEL));
  return {
    handle,
    pool,
    memory: library.memory(handle),
    contextPerSequence: library.contextSizePerSequence(handle),
    batchTokens: library.contextBatch(handle),
    maxThreads,
    hasPlainKv:
      !library.modelIsRecurrent(model.handle) &&
      !library.modelIsHybrid(model.handle) &&
      library.modelSlidingWindow(model.handle) === 0,
  };
}

function contextParams(
  library: LlamaLibrary,
  model: NativeModel,
  options: RunnerOptions,
  threads: number,
): ContextParams {
  const trained = model.facts.trainedContextTokens;
  const perSequence = options.contextTokens > 0 ? options.contextTokens : Math.min(trained, DEFAULT_CONTEXT);
  const unified = options.kvLayout === 'unified';
  const kvType = GGML_TYPES[options.kvType];
  // A step holds one token of every running sequence, whatever was asked for.
  const batchTokens = Math.max(options.batchTokens, options.parallel);
  return {
    ...library.contextDefaultParams(),
    n_ctx: unified ? perSequence : perSequence * options.parallel,
    n_batch: batchTokens,
    n_ubatch: Math.min(batchTokens, MICRO_BATCH),
    n_seq_max: options.parallel,
    n_threads: threads,
    n_threads_batch: threads,
    type_k: kvType,
    type_v: kvType,
    no_perf: true,
    kv_unified: unified,
  };
}
