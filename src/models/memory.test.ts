import { describe, expect, it } from 'vitest';
import type { GgufHeader } from './gguf-header.js';
import { estimateMemory, kvBytesPerToken, type MemoryPlan, settlePlan } from './memory.js';

const PLAN: MemoryPlan = {
  contextTokens: 0,
  parallel: 0,
  kvType: 'f16',
  kvLayout: 'streams',
  prefixCacheBytes: 0,
};

/** Llama 3 8B's shape: 32 layers, 8 KV heads of 128. */
function header(overrides: Record<string, number> = {}): GgufHeader {
  const shape = {
    block_count: 32,
    embedding_length: 4096,
    'attention.head_count': 32,
    'attention.head_count_kv': 8,
    vocab_size: 128_256,
    ...overrides,
  };
  return {
    architecture: 'llama',
    name: undefined,
    quantization: 'Q4_K_M',
    parameters: 8e9,
    trainedContextTokens: 131_072,
    parts: 1,
    neededBytes: 0,
    fileBytes: 0,
    metadata: new Map(Object.entries(shape).map(([key, value]) => [`llama.${key}`, value])),
  };
}

const GIB = 2 ** 30;

describe('memory estimates', () => {
  it('count 128 KiB of f16 KV per token for an 8B Llama, and less for smaller types', () => {
    expect(kvBytesPerToken(header(), 'f16')).toBe(131_072);
    expect(kvBytesPerToken(header(), 'q8_0')).toBe((131_072 * 34) / 64);
    expect(
      kvBytesPerToken(header({ 'attention.key_length': 256, 'attention.value_length': 256 }), 'f16'),
    ).toBe(262_144);
  });

  it('multiply KV by sequences with streams and not in one pool', () => {
    const streams = estimateMemory(header(), 5 * GIB, { ...PLAN, contextTokens: 1024, parallel: 4 });
    const unified = estimateMemory(header(), 5 * GIB, {
      ...PLAN,
      contextTokens: 1024,
      parallel: 4,
      kvLayout: 'unified',
    });
    expect(streams.kv).toBe(4 * 1024 * 131_072);
    expect(unified.kv).toBe(1024 * 131_072);
    expect(streams.total).toBeGreaterThan(streams.weights + streams.kv);
  });

  it('choose as many sequences as memory holds, from 1 to 16', () => {
    const parallel = (available: number): number => settlePlan(header(), 5 * GIB, PLAN, available).parallel;
    expect(settlePlan(header(), 5 * GIB, PLAN, 64 * GIB).contextTokens).toBe(8192);
    expect(parallel(64 * GIB)).toBe(16);
    expect(parallel(16 * GIB)).toBe(5);
    expect(parallel(6 * GIB)).toBe(1);
  });

  it('count the state of recurrent layers, which does not grow, beside attention or without any', () => {
    const ssm = { 'ssm.inner_size': 5120, 'ssm.state_size': 16, 'ssm.conv_kernel': 4 };
    const mamba = header({ 'attention.head_count': 0, 'attention.head_count_kv': 0, ...ssm });
    expect(kvBytesPerToken(mamba, 'f16')).toBe(0);
    const state = 32 * (5120 * 16 + 3 * 5120) * 4;
    const plan = { ...PLAN, contextTokens: 1024, parallel: 4 };
    expect(estimateMemory(mamba, GIB, plan).kv).toBe(4 * state);
    expect(estimateMemory(header(ssm), GIB, plan).kv).toBe(4 * 1024 * 131_072 + 4 * state);
    for (const kvLayout of ['streams', 'unified'] as const) {
      expect(settlePlan(mamba, GIB, { ...PLAN, kvLayout }, 64 * GIB).parallel).toBe(16);
      const tight = settlePlan(mamba, GIB, { ...PLAN, kvLayout }, GIB + 200 * 2 ** 20).parallel;
      expect(tight).toBe(3);
    }
  });

  it('leave alone what was asked for', () => {
    const asked = { ...PLAN, contextTokens: 100_000, parallel: 99 };
    expect(settlePlan(header(), 5 * GIB, asked, GIB)).toEqual(asked);
  });
});
