// What the engine room is handed. Plain data that crosses to the engine process; no room imports `config`.

import type { KvType } from './model-runner.js';

export type { KvType } from './model-runner.js';

/** A LoRA adapter to load beside the model. */
export interface AdapterOption {
  readonly name: string;
  readonly path: string;
}

/** Everything needed to run one model in one engine process. */
export interface EngineOptions {
  /** Name the model is published under. */
  readonly modelId: string;
  readonly aliases: readonly string[];
  /** Absolute path of the GGUF file (first part of a split one). */
  readonly modelPath: string;
  readonly adapters: readonly AdapterOption[];
  /** Longest sequence in tokens (streams) or size of the shared pool (unified). 0 = chosen from the model. */
  readonly contextTokens: number;
  /** Sequences that run at once, 1 .. 256. */
  readonly parallel: number;
  /** Most tokens of one step. */
  readonly batchTokens: number;
  /** Threads to start with and not to exceed; 0 = as many as the machine grants. */
  readonly threads: number;
  /** Adapt the number of threads to what the machine lets us have. */
  readonly adaptThreads: boolean;
  /** Layers kept on the GPU; -1 = all. */
  readonly gpuLayers: number;
  readonly kvType: KvType;
  readonly kvLayout: 'streams' | 'unified';
  /** Host memory for finished prefixes. 0 = no prefix cache. */
  readonly prefixCacheBytes: number;
  /** Most tokens that prompt lookup proposes in a step of one sequence alone. 0 = no prompt lookup. */
  readonly promptLookup: number;
  /** Requests that may wait for a place before `overloaded`. */
  readonly maxWaiting: number;
  /** Jinja source that replaces the model's own chat template. */
  readonly chatTemplate?: string;
  /** Reply format of tool calls and reasoning; `auto` = read it off the template. */
  readonly replyFormat: string;
  /** Folder with the user's own llama.cpp libraries (KOINE_LLAMA_LIB_DIR). */
  readonly libraryDir?: string;
  /** Prompt texts may appear in debug logs. */
  readonly logPrompts: boolean;
  readonly logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
}
