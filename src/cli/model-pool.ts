// From found models to a pool of engines: how each is to be served so that it fits, and what can be told of it before
// it is loaded.

import { freemem } from 'node:os';
import { engineOptionsOf, type Settings } from '../config/index.js';
import type { EngineOptions } from '../engine/options.js';
import {
  estimateMemory,
  type MemoryPlan,
  type ResolvedModel,
  settlePlan,
  showBytes,
} from '../models/index.js';
import type { ModelDescription } from '../protocol/index.js';
import { UserError } from './explain.js';

/** Share of the memory that is free at the start which models may take when no budget is set. */
const FREE_SHARE = 0.9;

/** A model that was found, with its names and the template that replaces its own. */
export interface ServedModelFile extends ResolvedModel {
  readonly aliases: readonly string[];
  readonly chatTemplate?: string;
}

/** A model with everything settled: engine options, memory, and what is known without loading it. */
export interface PlannedModel {
  readonly options: EngineOptions;
  readonly bytes: number;
  readonly outline: ModelDescription;
}

/** Bytes that models may take together. */
export function memoryBudget({ memoryBudget: asked }: Settings, free: number = freemem()): number {
  return asked > 0 ? asked : Math.floor(free * FREE_SHARE);
}

/** Settles how a model is served. Throws when it cannot fit into the budget at all, saying what would help. */
export function planModel(settings: Settings, model: ServedModelFile, budget: number): PlannedModel {
  const { header, sizeBytes, path, id, aliases, chatTemplate } = model;
  const asked: MemoryPlan = {
    contextTokens: settings.ctxSize,
    parallel: settings.parallel,
    kvType: settings.kvType,
    kvLayout: settings.kvLayout,
    prefixCacheBytes: settings.prefixCache,
  };
  const plan = settlePlan(header, sizeBytes, asked, budget);
  const estimate = estimateMemory(header, sizeBytes, plan);
  if (estimate.total > budget) {
    throw new UserError(
      `${path} needs about ${showBytes(estimate.total)} (weights ${showBytes(estimate.weights)}, KV cache ` +
        `${showBytes(estimate.kv)} for ${plan.parallel} x ${plan.contextTokens} tokens); ${showBytes(budget)} may be used. ` +
        'Use a smaller quantisation, --ctx-size, --parallel or --kv-type, or raise --memory-budget.',
    );
  }
  const found = { id, aliases, path, ...(chatTemplate === undefined ? {} : { chatTemplate }) };
  const options = {
    ...engineOptionsOf(settings, found),
    contextTokens: plan.contextTokens,
    parallel: plan.parallel,
  };
  return { options, bytes: estimate.total, outline: outlineOf(model, options) };
}

/** What a header tells; the engine replaces it once the model is loaded. */
function outlineOf(
  { header, parameters, sizeBytes }: ServedModelFile,
  options: EngineOptions,
): ModelDescription {
  const number = (key: string): number => Number(header.metadata.get(`${header.architecture}.${key}`) ?? 0);
  return {
    id: options.modelId,
    aliases: options.aliases,
    architecture: header.architecture,
    quantization: header.quantization ?? 'unknown',
    parameters,
    sizeBytes,
    vocabSize: number('vocab_size'),
    embeddingSize: number('embedding_length'),
    contextTokens: options.contextTokens,
    trainedContextTokens: header.trainedContextTokens ?? 0,
    maxSequences: options.parallel,
    pooling: 'mean',
    adapters: options.adapters.map(({ name }) => name),
    bosText: '',
    eosText: '',
    eogTokens: [],
    canInfill: false,
    loadedAt: 0,
  };
}
