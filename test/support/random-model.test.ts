// Generated files are read back by an independent reader; that llama.cpp loads them is shown where models run.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gguf } from '@huggingface/gguf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  rawArrayLength,
  readGgufMetadata,
  TENSOR_TYPES,
  type TensorType,
  tensorBytes,
} from './gguf-writer.js';
import { writeRandomLora } from './random-lora.js';
import { type RandomModelOptions, writeRandomModel } from './random-model.js';
import { toHalf } from './random-weights.js';

const SHAPE = { layers: 2, embedding: 64, heads: 4, kvHeads: 2, ffn: 96, context: 256 } as const;
const BASE: RandomModelOptions = { ...SHAPE, weights: 'q8_0', vocabulary: { size: 300 } };

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'koine-gguf-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, options: Partial<RandomModelOptions> = {}): string {
  const path = join(folder, name);
  writeRandomModel(path, { ...BASE, ...options });
  return path;
}

const halfToNumber = (bits: number): number => {
  const exponent = (bits >>> 10) & 31;
  const size = exponent === 0 ? (bits & 1023) / 1024 : 1 + (bits & 1023) / 1024;
  return (bits & 0x8000 ? -1 : 1) * size * 2 ** (Math.max(exponent, 1) - 15);
};

/** The first `blocks` blocks of a tensor as numbers, by the formats' definition. */
function dequantize(type: TensorType, bytes: Buffer, blocks: number): number[] {
  const values: number[] = [];
  for (let b = 0; b < blocks; b++) {
    const at = b * TENSOR_TYPES[type].blockBytes;
    if (type === 'f32') values.push(bytes.readFloatLE(at));
    else if (type === 'f16') values.push(halfToNumber(bytes.readUInt16LE(at)));
    else {
      const scale = halfToNumber(bytes.readUInt16LE(at));
      const quants = bytes.subarray(at + 2, at + TENSOR_TYPES[type].blockBytes);
      if (type === 'q8_0') for (let i = 0; i < 32; i++) values.push(scale * quants.readInt8(i));
      else for (const byte of quants) values.push(scale * ((byte & 15) - 8), scale * ((byte >>> 4) - 8));
    }
  }
  return values;
}

describe('random models', () => {
  it('carry shape, vocabulary and every tensor of the llama architecture', async () => {
    const { metadata, tensorInfos } = await gguf(write('a.gguf', { pooling: 'mean', chatTemplate: 'T' }), {
      allowLocalFile: true,
    });
    expect(metadata).toMatchObject({
      'general.architecture': 'llama',
      'llama.block_count': 2,
      'llama.attention.head_count_kv': 2,
      'llama.rope.dimension_count': 16,
      'llama.pooling_type': 1,
      'tokenizer.chat_template': 'T',
    });
    const tokens = new Map<string, unknown>(Object.entries(metadata)).get(
      'tokenizer.ggml.tokens',
    ) as string[];
    expect(new Set(tokens).size).toBe(300);
    const shapes = Object.fromEntries(tensorInfos.map(({ name, shape }) => [name, shape.map(Number)]));
    expect(Object.keys(shapes)).toHaveLength(2 + 2 * 9);
    expect(shapes).toMatchObject({
      'token_embd.weight': [64, 300],
      'blk.1.attn_k.weight': [64, 32],
      'blk.1.ffn_down.weight': [96, 64],
    });
  });

  it.each(['f32', 'f16', 'q8_0', 'q4_0'] as const)('draw %s weights of the wanted size', async (weights) => {
    const path = write(`w-${weights}.gguf`, { weights, tiedOutput: false });
    const { tensorInfos, tensorDataOffset } = await gguf(path, { allowLocalFile: true });
    const bytes = readFileSync(path);
    const last = tensorInfos.at(-1);
    if (last === undefined) throw new Error('no tensors');
    const from = Number(tensorDataOffset + last.offset);
    const shape = last.shape.map(Number);
    const size = tensorBytes({ name: last.name, shape, type: weights });
    expect(bytes.length - from - size).toBeLessThan(32);
    const blocks = size / TENSOR_TYPES[weights].blockBytes;
    const values = dequantize(weights, bytes.subarray(from, from + size), blocks);
    expect(values).toHaveLength(96 * 64);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const deviation = Math.sqrt(values.reduce((sum, value) => sum + value ** 2, 0) / values.length);
    expect(Math.abs(mean)).toBeLessThan(0.01);
    expect(deviation * Math.sqrt(96)).toBeGreaterThan(0.85);
    expect(deviation * Math.sqrt(96)).toBeLessThan(1.15);
  });

  it('are the same for the same seed and different for another', () => {
    const read = (name: string, seed: number): Buffer => readFileSync(write(name, { seed }));
    expect(read('s1.gguf', 1).equals(read('s2.gguf', 1))).toBe(true);
    expect(read('s1.gguf', 1).equals(read('s3.gguf', 2))).toBe(false);
  });

  it('take over the tokenizer of another file byte for byte', () => {
    const source = write('source.gguf', { chatTemplate: 'S', vocabulary: { size: 400 } });
    const copy = readGgufMetadata(write('copy.gguf', { vocabulary: { from: source } }));
    expect(rawArrayLength(copy, 'tokenizer.ggml.tokens')).toBe(400);
    for (const [key, value] of readGgufMetadata(source)) {
      if (key.startsWith('tokenizer.')) expect(copy.get(key)?.equals(value), key).toBe(true);
    }
    const bare = readGgufMetadata(write('bare.gguf', { vocabulary: { from: source }, chatTemplate: null }));
    expect(bare.has('tokenizer.chat_template')).toBe(false);
  });

  it('refuse shapes that cannot be', () => {
    expect(() => write('x.gguf', { ffn: 100 })).toThrow('rows of 100 weights cannot be q8_0');
    expect(() => write('x.gguf', { kvHeads: 3 })).toThrow('4 heads');
    expect(() => write('x.gguf', { vocabulary: { size: 10 } })).toThrow('not 10');
    expect(() => readGgufMetadata(import.meta.filename)).toThrow('not a GGUF file');
  });
});

describe('random adapters', () => {
  it('have a pair of matrices per target that fits the base', async () => {
    const path = join(folder, 'lora.gguf');
    writeRandomLora(path, { base: SHAPE, rank: 3, alpha: 6, targets: ['attn_k', 'ffn_down'] });
    const { metadata, tensorInfos } = await gguf(path, { allowLocalFile: true });
    expect(metadata).toMatchObject({
      'general.type': 'adapter',
      'adapter.type': 'lora',
      'adapter.lora.alpha': 6,
    });
    expect(tensorInfos.map(({ name, shape }) => [name, ...shape.map(Number)]).slice(0, 4)).toEqual([
      ['blk.0.attn_k.weight.lora_a', 64, 3],
      ['blk.0.attn_k.weight.lora_b', 3, 32],
      ['blk.0.ffn_down.weight.lora_a', 96, 3],
      ['blk.0.ffn_down.weight.lora_b', 3, 64],
    ]);
  });
});

describe('half precision', () => {
  it('rounds to nearest and saturates', () => {
    expect([1, -2, 0.5, 65504, 1e6, 0, 1 + 3 / 4096].map(toHalf)).toEqual([
      0x3c00, 0xc000, 0x3800, 0x7bff, 0x7c00, 0, 0x3c01,
    ]);
  });
});
