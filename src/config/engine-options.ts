// Hands the engine room its options: settings in, plain engine options out.

import type { EngineOptions } from '../engine/options.js';
import type { Settings } from './table.js';

/** What is known of a model once it has been found on disk. */
export interface FoundModel {
  readonly id: string;
  readonly aliases: readonly string[];
  /** Absolute path of the GGUF file (first part of a split one). */
  readonly path: string;
  /** Source of the chat template that replaces the model's own. */
  readonly chatTemplate?: string;
}

/** The options of the engine that serves one model. */
export function engineOptionsOf(settings: Settings, model: FoundModel): EngineOptions {
  return {
    modelId: model.id,
    aliases: model.aliases,
    modelPath: model.path,
    adapters: settings.lora,
    contextTokens: settings.ctxSize,
    parallel: settings.parallel,
    batchTokens: settings.batchSize,
    threads: settings.threads,
    adaptThreads: settings.adaptThreads,
    gpuLayers: settings.gpuLayers,
    kvType: settings.kvType,
    kvLayout: settings.kvLayout,
    prefixCacheBytes: settings.prefixCache,
    promptLookup: settings.promptLookup,
    maxWaiting: settings.maxWaiting,
    ...(model.chatTemplate === undefined ? {} : { chatTemplate: model.chatTemplate }),
    replyFormat: settings.replyFormat,
    ...(settings.llamaLibDir === undefined ? {} : { libraryDir: settings.llamaLibDir }),
    logPrompts: settings.logPrompts,
    logLevel: settings.logLevel,
  };
}
