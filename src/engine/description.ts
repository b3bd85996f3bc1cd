// The public description of a loaded model, from its options and what the engine process reports. Server process.

import type { ModelDescription } from '../protocol/index.js';
import type { EngineOptions } from './options.js';
import type { FromEngine } from './process/messages.js';

/** See `ModelDescription`. */
export function describeModel(
  options: EngineOptions,
  { facts, runner }: Extract<FromEngine, { kind: 'ready' }>,
): ModelDescription {
  const chatTemplate = options.chatTemplate ?? facts.chatTemplate;
  return {
    id: options.modelId,
    aliases: options.aliases,
    architecture: facts.architecture,
    quantization: facts.quantization,
    parameters: facts.parameters,
    sizeBytes: facts.sizeBytes,
    vocabSize: runner.vocabSize,
    embeddingSize: facts.embeddingSize,
    contextTokens: runner.contextTokens,
    trainedContextTokens: facts.trainedContextTokens,
    maxSequences: runner.maxSequences,
    pooling: facts.declaredPooling ?? 'mean',
    adapters: facts.adapters,
    ...(chatTemplate === undefined ? {} : { chatTemplate }),
    bosText: facts.bosText,
    eosText: facts.eosText,
    eogTokens: runner.eogTokens,
    canInfill: facts.infillTokens !== undefined,
    loadedAt: Math.floor(Date.now() / 1000),
  };
}
