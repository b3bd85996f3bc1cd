// A small GGUF model without attention (Mamba) and with random weights, for tests of what holds where state cannot be
// cut or moved. The vocabulary comes from another GGUF file.

import {
  type GgufTensor,
  type GgufValue,
  rawArrayLength,
  readGgufMetadata,
  writeGguf,
} from './gguf-writer.js';
import { constantFill, randomFill } from './random-weights.js';

const LAYERS = 2;
const EMBEDDING = 64;
/** llama.cpp takes no other expansion. */
const INNER = 2 * EMBEDDING;
const STATE = 16;
const CONVOLUTION = 4;
const TIME_RANK = 4;

/** Writes the model; the same vocabulary gives the same file. */
export function writeRandomMamba(path: string, vocabularyFrom: string): void {
  const raw = readGgufMetadata(vocabularyFrom);
  const metadata = settings();
  for (const [key, value] of raw) {
    if (key.startsWith('tokenizer.')) metadata.set(key, { kind: 'raw', value });
  }
  writeGguf(path, metadata, tensors(rawArrayLength(raw, 'tokenizer.ggml.tokens')));
}

function settings(): Map<string, GgufValue> {
  const numbers: Readonly<Record<string, number>> = {
    'mamba.context_length': 2048,
    'mamba.embedding_length': EMBEDDING,
    'mamba.feed_forward_length': 0,
    'mamba.attention.head_count': 0,
    'mamba.block_count': LAYERS,
    'mamba.ssm.conv_kernel': CONVOLUTION,
    'mamba.ssm.inner_size': INNER,
    'mamba.ssm.state_size': STATE,
    'mamba.ssm.time_step_rank': TIME_RANK,
    'general.file_type': 0,
  };
  return new Map<string, GgufValue>([
    ['general.architecture', { kind: 'string', value: 'mamba' }],
    ['general.type', { kind: 'string', value: 'model' }],
    ['mamba.attention.layer_norm_rms_epsilon', { kind: 'f32', value: 1e-5 }],
    ...Object.entries(numbers).map(([key, value]) => [key, { kind: 'u32' as const, value }] as const),
  ]);
}

function tensors(vocabularySize: number): GgufTensor[] {
  const all: GgufTensor[] = [];
  const random = (name: string, shape: readonly number[], gain: number): void => {
    const fill = randomFill('f32', gain / Math.sqrt(shape[0] ?? 1), 1009 + all.length);
    all.push({ name, shape, type: 'f32', fill });
  };
  const constant = (name: string, shape: readonly number[], value: number): void => {
    all.push({ name, shape, type: 'f32', fill: constantFill(value) });
  };
  random('token_embd.weight', [EMBEDDING, vocabularySize], 2.5);
  constant('output_norm.weight', [EMBEDDING], 1);
  for (let layer = 0; layer < LAYERS; layer += 1) {
    const at = `blk.${layer}.`;
    constant(`${at}attn_norm.weight`, [EMBEDDING], 1);
    random(`${at}ssm_in.weight`, [EMBEDDING, 2 * INNER], 2);
    random(`${at}ssm_conv1d.weight`, [CONVOLUTION, INNER], 2);
    constant(`${at}ssm_conv1d.bias`, [INNER], 0);
    random(`${at}ssm_x.weight`, [INNER, TIME_RANK + 2 * STATE], 2);
    random(`${at}ssm_dt.weight`, [TIME_RANK, INNER], 1);
    constant(`${at}ssm_dt.bias`, [INNER], 0);
    // Negative: the state fades.
    constant(`${at}ssm_a`, [STATE, INNER], -0.5);
    constant(`${at}ssm_d`, [INNER], 1);
    random(`${at}ssm_out.weight`, [INNER, EMBEDDING], 2);
  }
  return all;
}
