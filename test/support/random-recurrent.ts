// Small GGUF models with random weights whose state cannot be cut or moved: one without attention (Mamba), and one of
// both kinds of layers (LFM2). The vocabulary comes from another GGUF file.

import {
  type GgufTensor,
  type GgufValue,
  rawArrayLength,
  readGgufMetadata,
  writeGguf,
} from './gguf-writer.js';
import { constantFill, randomFill } from './random-weights.js';

export type RecurrentKind = 'mamba' | 'lfm2';

const LAYERS = 2;
const EMBEDDING = 64;
/** llama.cpp takes no other expansion for Mamba. */
const INNER = 2 * EMBEDDING;
const STATE = 16;
const CONVOLUTION = 4;
const TIME_RANK = 4;
const HEADS = 4;
const KV_HEADS = 2;
const HEAD = EMBEDDING / HEADS;
const FFN = 128;

/** Writes a model; the same kind and vocabulary give the same file. */
export function writeRandomRecurrent(path: string, kind: RecurrentKind, vocabularyFrom: string): void {
  const raw = readGgufMetadata(vocabularyFrom);
  const vocabularySize = rawArrayLength(raw, 'tokenizer.ggml.tokens');
  const metadata = new Map<string, GgufValue>([
    ['general.architecture', { kind: 'string', value: kind }],
    ['general.type', { kind: 'string', value: 'model' }],
    ['general.file_type', { kind: 'u32', value: 0 }],
    [`${kind}.attention.layer_norm_rms_epsilon`, { kind: 'f32', value: 1e-5 }],
  ]);
  const numbers = {
    vocab_size: vocabularySize,
    context_length: 2048,
    embedding_length: EMBEDDING,
    block_count: LAYERS,
    ...(kind === 'mamba' ? MAMBA : LFM2),
  };
  for (const [key, value] of Object.entries(numbers)) {
    const entry: GgufValue = typeof value === 'number' ? { kind: 'u32', value } : { kind: 'i32s', value };
    metadata.set(`${kind}.${key}`, entry);
  }
  for (const [key, value] of raw) {
    if (key.startsWith('tokenizer.')) metadata.set(key, { kind: 'raw', value });
  }
  const weights = new Weights();
  weights.random('token_embd', [EMBEDDING, vocabularySize], 2.5);
  if (kind === 'mamba') addMamba(weights);
  else addLfm2(weights);
  writeGguf(path, metadata, weights.tensors);
}

const MAMBA = {
  feed_forward_length: 0,
  'attention.head_count': 0,
  'ssm.conv_kernel': CONVOLUTION,
  'ssm.inner_size': INNER,
  'ssm.state_size': STATE,
  'ssm.time_step_rank': TIME_RANK,
};
const LFM2 = {
  feed_forward_length: FFN,
  'attention.head_count': HEADS,
  // Layers without KV heads are the recurrent ones.
  'attention.head_count_kv': Int32Array.of(0, KV_HEADS),
  'shortconv.l_cache': CONVOLUTION,
};

function addMamba(weights: Weights): void {
  weights.constant('output_norm.weight', [EMBEDDING], 1);
  for (let layer = 0; layer < LAYERS; layer += 1) {
    const at = `blk.${layer}.`;
    weights.constant(`${at}attn_norm.weight`, [EMBEDDING], 1);
    weights.random(`${at}ssm_in`, [EMBEDDING, 2 * INNER], 2);
    weights.random(`${at}ssm_conv1d`, [CONVOLUTION, INNER], 2);
    weights.constant(`${at}ssm_conv1d.bias`, [INNER], 0);
    weights.random(`${at}ssm_x`, [INNER, TIME_RANK + 2 * STATE], 2);
    weights.random(`${at}ssm_dt`, [TIME_RANK, INNER], 1);
    weights.constant(`${at}ssm_dt.bias`, [INNER], 0);
    // Negative: the state fades.
    weights.constant(`${at}ssm_a`, [STATE, INNER], -0.5);
    weights.constant(`${at}ssm_d`, [INNER], 1);
    weights.random(`${at}ssm_out`, [INNER, EMBEDDING], 2);
  }
}

function addLfm2(weights: Weights): void {
  weights.constant('token_embd_norm.weight', [EMBEDDING], 1);
  for (let layer = 0; layer < LAYERS; layer += 1) {
    const at = `blk.${layer}.`;
    weights.constant(`${at}attn_norm.weight`, [EMBEDDING], 1);
    weights.constant(`${at}ffn_norm.weight`, [EMBEDDING], 1);
    weights.random(`${at}ffn_gate`, [EMBEDDING, FFN], 1.5);
    weights.random(`${at}ffn_up`, [EMBEDDING, FFN], 1.5);
    weights.random(`${at}ffn_down`, [FFN, EMBEDDING], 1.5);
    if (LFM2['attention.head_count_kv'][layer] === 0) {
      weights.random(`${at}shortconv.conv`, [CONVOLUTION, EMBEDDING], 2);
      weights.random(`${at}shortconv.in_proj`, [EMBEDDING, 3 * EMBEDDING], 2);
      weights.random(`${at}shortconv.out_proj`, [EMBEDDING, EMBEDDING], 2);
      continue;
    }
    weights.random(`${at}attn_q`, [EMBEDDING, EMBEDDING], 2);
    weights.random(`${at}attn_k`, [EMBEDDING, HEAD * KV_HEADS], 2);
    weights.random(`${at}attn_v`, [EMBEDDING, HEAD * KV_HEADS], 3);
    weights.random(`${at}attn_output`, [EMBEDDING, EMBEDDING], 3);
    weights.constant(`${at}attn_q_norm.weight`, [HEAD], 1);
    weights.constant(`${at}attn_k_norm.weight`, [HEAD], 1);
  }
}

/** Tensors in the making. */
class Weights {
  readonly tensors: GgufTensor[] = [];

  /** A matrix that gives activations of about this size. */
  random(name: string, shape: readonly [number, number], gain: number): void {
    const fill = randomFill('f32', gain / Math.sqrt(shape[0]), 1009 + this.tensors.length);
    this.tensors.push({ name: `${name}.weight`, shape, type: 'f32', fill });
  }

  constant(name: string, shape: readonly number[], value: number): void {
    this.tensors.push({ name, shape, type: 'f32', fill: constantFill(value) });
  }
}
