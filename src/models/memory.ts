// What serving a model will take, from its header alone: weights, KV cache, compute buffers. An estimate a little on
// the high side, so that a model it lets through does load. Pure.

import type { GgufHeader } from './gguf-header.js';

/** Bytes per element of the KV types, block overhead included. */
const KV_ELEMENT_BYTES: Readonly<Record<string, number>> = {
  f32: 4,
  f16: 2,
  bf16: 2,
  q8_0: 34 / 32,
  q5_1: 24 / 32,
  q5_0: 22 / 32,
  q4_1: 20 / 32,
  q4_0: 18 / 32,
};

/** Longest context given by default, whatever the model was trained for. */
const DEFAULT_CONTEXT_TOKENS = 8192;
/** Sequences at once by default. */
const DEFAULT_PARALLEL = 16;
/** Logits rows kept at once, and tokens of a pass: they decide the size of the compute buffer. */
const LOGITS_ROWS = 64;
const PASS_TOKENS = 512;
/** The process itself: Node, libraries, tokenizer. */
const PROCESS_BYTES = 120 * 2 ** 20;
/** Share of what is left beside the weights that the KV cache may take when its size is ours to choose. */
const KV_SHARE = 0.5;

/** How a model is to be served. 0 = ours to choose. */
export interface MemoryPlan {
  readonly contextTokens: number;
  readonly parallel: number;
  readonly kvType: string;
  readonly kvLayout: 'streams' | 'unified';
  readonly prefixCacheBytes: number;
}

/** Bytes by purpose. */
export interface MemoryEstimate {
  readonly weights: number;
  readonly kv: number;
  readonly compute: number;
  /** All of it, with the process, without the prefix cache, which only fills what is free. */
  readonly total: number;
}

/** KV bytes of one position; 0 for models without attention layers. */
export function kvBytesPerToken(header: GgufHeader, kvType: string): number {
  const number = (key: string): number | undefined => numberOf(header, key);
  const layers = number('block_count') ?? 0;
  const heads = number('attention.head_count') ?? 1;
  if (heads === 0) return 0;
  // Some models give a list with one entry per layer, which the header leaves out; all heads are the upper bound.
  const kvHeads = number('attention.head_count_kv') ?? heads;
  const headSize = (number('embedding_length') ?? 0) / heads;
  const perHead =
    (number('attention.key_length') ?? headSize) + (number('attention.value_length') ?? headSize);
  return layers * kvHeads * perHead * (KV_ELEMENT_BYTES[kvType] ?? 2);
}

/** Bytes of the state that recurrent layers keep of one sequence, however long it is; 0 for models without any. */
export function stateBytesPerSequence(header: GgufHeader): number {
  const number = (key: string): number => numberOf(header, key) ?? 0;
  const inner = number('ssm.inner_size');
  const state = number('ssm.state_size');
  const convolved = inner + 2 * number('ssm.group_count') * state;
  const window = Math.max(0, number('ssm.conv_kernel') - 1);
  // 32-bit floats, and every layer counted: which of a mixed model's layers are recurrent, the header leaves out.
  return number('block_count') * (inner * state + window * convolved) * 4;
}

/** What a plan takes, its zeros filled in as `settlePlan` would with unlimited memory. */
export function estimateMemory(header: GgufHeader, sizeBytes: number, plan: MemoryPlan): MemoryEstimate {
  const contextTokens = plan.contextTokens || defaultContext(header);
  const parallel = plan.parallel || DEFAULT_PARALLEL;
  const cells = plan.kvLayout === 'unified' ? contextTokens : contextTokens * parallel;
  const kv = cells * kvBytesPerToken(header, plan.kvType) + parallel * stateBytesPerSequence(header);
  const vocabulary = numberOf(header, 'vocab_size') ?? 128_000;
  const width = numberOf(header, 'embedding_length') ?? 0;
  const compute = 4 * (vocabulary * Math.max(LOGITS_ROWS, parallel) + PASS_TOKENS * width * 24);
  return { weights: sizeBytes, kv, compute, total: sizeBytes + kv + compute + PROCESS_BYTES };
}

/**
 * Fills in what is ours to choose so that the model fits `availableBytes`: the default context, and as many
 * sequences as half of the memory beside the weights holds, 1 to 16.
 */
export function settlePlan(
  header: GgufHeader,
  sizeBytes: number,
  plan: MemoryPlan,
  availableBytes: number,
): MemoryPlan {
  const contextTokens = plan.contextTokens || defaultContext(header);
  if (plan.parallel > 0) return { ...plan, contextTokens };
  const room = (availableBytes - sizeBytes - PROCESS_BYTES) * KV_SHARE;
  const cells = plan.kvLayout === 'unified' ? 0 : contextTokens;
  const perSequence = cells * kvBytesPerToken(header, plan.kvType) + stateBytesPerSequence(header);
  const fitting = perSequence === 0 ? DEFAULT_PARALLEL : Math.floor(room / perSequence);
  return { ...plan, contextTokens, parallel: Math.max(1, Math.min(DEFAULT_PARALLEL, fitting)) };
}

function defaultContext(header: GgufHeader): number {
  return Math.min(header.trainedContextTokens ?? DEFAULT_CONTEXT_TOKENS, DEFAULT_CONTEXT_TOKENS);
}

function numberOf(header: GgufHeader, key: string): number | undefined {
  const value = header.metadata.get(`${header.architecture}.${key}`);
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : undefined;
}
