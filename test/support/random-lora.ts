// LoRA adapter files with random weights, for models of random-model.ts or any llama-architecture GGUF of that
// shape.

import { type GgufTensor, type GgufValue, writeGguf } from './gguf-writer.js';
import { randomFill } from './random-weights.js';

/** Matrices of a layer an adapter can change. */
export type LoraTarget = 'attn_q' | 'attn_k' | 'attn_v' | 'attn_output' | 'ffn_gate' | 'ffn_up' | 'ffn_down';

export interface RandomLoraOptions {
  /** Shape of the base model. */
  readonly base: {
    readonly layers: number;
    readonly embedding: number;
    readonly heads: number;
    readonly kvHeads: number;
    readonly ffn: number;
  };
  /** Default 4. */
  readonly rank?: number;
  /** The change is scaled by alpha / rank. Default 8. */
  readonly alpha?: number;
  /** Default attn_q, attn_v and ffn_down. */
  readonly targets?: readonly LoraTarget[];
  /** How strong the change is beside the base model's own weights. Default 0.5; 0 changes nothing. */
  readonly strength?: number;
  /** Default 1. */
  readonly seed?: number;
}

const sizes = (
  base: RandomLoraOptions['base'],
  target: LoraTarget,
): readonly [inputs: number, outputs: number] => {
  const kvWidth = (base.embedding / base.heads) * base.kvHeads;
  switch (target) {
    case 'attn_q':
    case 'attn_output':
      return [base.embedding, base.embedding];
    case 'attn_k':
    case 'attn_v':
      return [base.embedding, kvWidth];
    case 'ffn_gate':
    case 'ffn_up':
      return [base.embedding, base.ffn];
    case 'ffn_down':
      return [base.ffn, base.embedding];
  }
};

/** Writes an adapter file of 32-bit floats. */
export function writeRandomLora(path: string, options: RandomLoraOptions): void {
  const { base, rank = 4, alpha = 8, strength = 0.5, seed = 1 } = options;
  const targets = options.targets ?? ['attn_q', 'attn_v', 'ffn_down'];
  const tensors: GgufTensor[] = [];
  for (let layer = 0; layer < base.layers; layer++) {
    for (const target of targets) {
      const [inputs, outputs] = sizes(base, target);
      const name = `blk.${layer}.${target}.weight`;
      const down = randomFill('f32', 1 / Math.sqrt(inputs), seed * 2003 + tensors.length);
      const up = randomFill(
        'f32',
        (strength * rank) / alpha / Math.sqrt(rank),
        seed * 2003 + tensors.length + 1,
      );
      tensors.push({ name: `${name}.lora_a`, shape: [inputs, rank], type: 'f32', fill: down });
      tensors.push({ name: `${name}.lora_b`, shape: [rank, outputs], type: 'f32', fill: up });
    }
  }
  const metadata = new Map<string, GgufValue>([
    ['general.architecture', { kind: 'string', value: 'llama' }],
    ['general.type', { kind: 'string', value: 'adapter' }],
    ['adapter.type', { kind: 'string', value: 'lora' }],
    ['adapter.lora.alpha', { kind: 'f32', value: alpha }],
  ]);
  writeGguf(path, metadata, tensors);
}
