// What the native room is handed. Plain data.

import type { KvType } from '../engine/model-runner.js';

/** How to load one model into a runner. */
export interface RunnerOptions {
  /** Absolute path of the GGUF file (first part of a split one). */
  readonly modelPath: string;
  /** Adapters by name. */
  readonly adapters: readonly { readonly name: string; readonly path: string }[];
  /** Positions per sequence (streams) or in the pool (unified); 0 = from the model, at most 8,192. */
  readonly contextTokens: number;
  /** Sequences at once, 1 .. 256. */
  readonly parallel: number;
  /** Most tokens per decode call. */
  readonly batchTokens: number;
  /** 0 = what the machine grants. */
  readonly threads: number;
  /** Layers on the GPU; -1 = all. */
  readonly gpuLayers: number;
  readonly kvType: KvType;
  readonly kvLayout: 'streams' | 'unified';
  /** Folder of the user's own llama.cpp build. */
  readonly libraryDir?: string;
}

/** A line of llama.cpp's own log. */
export interface NativeLogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly text: string;
}
