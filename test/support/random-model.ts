// Small or large GGUF models of the llama architecture with random weights, for tests and benchmarks. The same
// options give the same file. The vocabulary comes from another GGUF file or is made up.

import {
  type GgufTensor,
  type GgufValue,
  rawArrayLength,
  readGgufMetadata,
  type TensorType,
  writeGguf,
} from './gguf-writer.js';
import { constantFill, randomFill } from './random-weights.js';
import { syntheticVocabulary } from './synthetic-vocabulary.js';

export type RandomPooling = 'none' | 'mean' | 'cls' | 'last';

export interface RandomModelOptions {
  readonly layers: number;
  /** Width of the residual stream; a multiple of 32 for quantized weights, and of 2 * heads. */
  readonly embedding: number;
  readonly heads: number;
  /** Divides `heads`. */
  readonly kvHeads: number;
  readonly ffn: number;
  /** Trained context in tokens. */
  readonly context: number;
  readonly weights: TensorType;
  /** Type of the token embeddings (and of a tied output); default `weights`. */
  readonly embeddingWeights?: TensorType;
  /** Output shares the token embeddings. Default true. */
  readonly tiedOutput?: boolean;
  /** Tokenizer and tokens of a GGUF file, or a made-up byte-level one of this many tokens. */
  readonly vocabulary: { readonly from: string } | { readonly size: number };
  /** Jinja source; null = none; absent = the source file's (none when made up). */
  readonly chatTemplate?: string | null;
  /** Begins every prompt. Absent: what the vocabulary's source says. */
  readonly bosToken?: number;
  /** Declared in the metadata. Absent: nothing declared. */
  readonly pooling?: RandomPooling;
  /** Default 1. */
  readonly seed?: number;
  readonly name?: string;
}

const POOLING_NUMBER: Readonly<Record<RandomPooling, number>> = { none: 0, mean: 1, cls: 2, last: 3 };
const FILE_TYPE: Readonly<Record<TensorType, number>> = { f32: 0, f16: 1, q4_0: 2, q8_0: 7 };
const PREFIX = 'tokenizer.';
const TEMPLATE = 'tokenizer.chat_template';

interface Vocabulary {
  readonly size: number;
  readonly metadata: ReadonlyMap<string, GgufValue>;
}

function readVocabulary(path: string): Vocabulary {
  const raw = readGgufMetadata(path);
  const metadata = new Map<string, GgufValue>();
  for (const [key, value] of raw) if (key.startsWith(PREFIX)) metadata.set(key, { kind: 'raw', value });
  return { size: rawArrayLength(raw, 'tokenizer.ggml.tokens'), metadata };
}

function buildMetadata(options: RandomModelOptions, vocabulary: Vocabulary): Map<string, GgufValue> {
  const { layers, embedding, heads, kvHeads, ffn, context, weights, pooling, chatTemplate } = options;
  const number = (value: number): GgufValue => ({ kind: 'u32', value });
  const metadata = new Map<string, GgufValue>([
    ['general.architecture', { kind: 'string', value: 'llama' }],
    ['general.type', { kind: 'string', value: 'model' }],
    ['general.name', { kind: 'string', value: options.name ?? 'random' }],
    ['general.file_type', number(FILE_TYPE[weights])],
    ['general.quantization_version', number(2)],
    ['llama.vocab_size', number(vocabulary.size)],
    ['llama.context_length', number(context)],
    ['llama.embedding_length', number(embedding)],
    ['llama.block_count', number(layers)],
    ['llama.feed_forward_length', number(ffn)],
    ['llama.attention.head_count', number(heads)],
    ['llama.attention.head_count_kv', number(kvHeads)],
    ['llama.attention.layer_norm_rms_epsilon', { kind: 'f32', value: 1e-5 }],
    ['llama.rope.freq_base', { kind: 'f32', value: 10_000 }],
    ['llama.rope.dimension_count', number(embedding / heads)],
  ]);
  if (pooling !== undefined) metadata.set('llama.pooling_type', number(POOLING_NUMBER[pooling]));
  for (const [key, value] of vocabulary.metadata) metadata.set(key, value);
  if (options.bosToken !== undefined) {
    metadata.set('tokenizer.ggml.bos_token_id', number(options.bosToken));
    metadata.set('tokenizer.ggml.add_bos_token', { kind: 'bool', value: true });
  }
  if (chatTemplate === null) metadata.delete(TEMPLATE);
  else if (chatTemplate !== undefined) metadata.set(TEMPLATE, { kind: 'string', value: chatTemplate });
  return metadata;
}

/**
 * Weights keep activations near 1. Queries and keys are drawn larger, so that attention picks few positions and
 * the context matters; layers write more than the embedding does, so that a tied output does not repeat its input.
 */
function buildTensors(options: RandomModelOptions, vocabularySize: number): GgufTensor[] {
  const { layers, embedding, heads, kvHeads, ffn, weights, seed = 1, tiedOutput = true } = options;
  const { embeddingWeights = weights } = options;
  const kvWidth = (embedding / heads) * kvHeads;
  const tensors: GgufTensor[] = [];
  const matrix = (
    name: string,
    [inputs, outputs]: readonly [number, number],
    gain: number,
    type = weights,
  ): void => {
    const fill = randomFill(type, gain / Math.sqrt(inputs), seed * 1009 + tensors.length);
    tensors.push({ name: `${name}.weight`, shape: [inputs, outputs], type, fill });
  };
  const norm = (name: string): void => {
    tensors.push({ name: `${name}.weight`, shape: [embedding], type: 'f32', fill: constantFill(1) });
  };
  matrix('token_embd', [embedding, vocabularySize], 2.5, embeddingWeights);
  norm('output_norm');
  if (!tiedOutput) matrix('output', [embedding, vocabularySize], 2.5);
  for (let layer = 0; layer < layers; layer++) {
    const at = `blk.${layer}.`;
    norm(`${at}attn_norm`);
    matrix(`${at}attn_q`, [embedding, embedding], 2);
    matrix(`${at}attn_k`, [embedding, kvWidth], 2);
    matrix(`${at}attn_v`, [embedding, kvWidth], 1);
    matrix(`${at}attn_output`, [embedding, embedding], 1);
    norm(`${at}ffn_norm`);
    matrix(`${at}ffn_gate`, [embedding, ffn], 1.5);
    matrix(`${at}ffn_up`, [embedding, ffn], 1.5);
    matrix(`${at}ffn_down`, [ffn, embedding], 1);
  }
  return tensors;
}

/** Writes a model file. Throws RangeError when the shape and the weights' type do not go together. */
export function writeRandomModel(path: string, options: RandomModelOptions): void {
  const { embedding, heads, kvHeads } = options;
  if (embedding % (2 * heads) !== 0)
    throw new RangeError(`embedding ${embedding} must be a multiple of 2 * ${heads}`);
  if (heads % kvHeads !== 0) throw new RangeError(`${heads} heads cannot share ${kvHeads} kv heads`);
  const source = options.vocabulary;
  const vocabulary = 'from' in source ? readVocabulary(source.from) : syntheticVocabulary(source.size);
  writeGguf(path, buildMetadata(options, vocabulary), buildTensors(options, vocabulary.size));
}
