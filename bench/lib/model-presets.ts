// Shapes of the random-weight models the benchmarks use.

import type { RandomModelOptions } from '../../test/support/random-model.js';

const CHATML =
  '{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}' +
  '{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}';

const HALF_BILLION = {
  layers: 24,
  embedding: 896,
  heads: 14,
  kvHeads: 2,
  ffn: 4864,
  context: 32_768,
  embeddingWeights: 'q8_0',
  vocabulary: { size: 151_936 },
  chatTemplate: CHATML,
} as const;

/** Named models. */
export const PRESETS = {
  /** 494M parameters, as a common 0.5B model has them. */
  '0.5b-q4_0': { ...HALF_BILLION, weights: 'q4_0', name: 'random-0.5b-q4_0' },
  '0.5b-q8_0': { ...HALF_BILLION, weights: 'q8_0', name: 'random-0.5b-q8_0' },
  /** The demo model's shape with a long context. */
  'demo-16k': {
    layers: 6,
    embedding: 256,
    heads: 4,
    kvHeads: 2,
    ffn: 704,
    context: 16_384,
    weights: 'q8_0',
    vocabulary: { size: 4096 },
    chatTemplate: CHATML,
    name: 'random-demo-16k',
  },
  /** 71M parameters: large enough that, as in most models, attention is the smaller part of the work at 2,000 tokens. */
  '70m-q4_0': {
    layers: 6,
    embedding: 1024,
    heads: 16,
    kvHeads: 4,
    ffn: 2816,
    context: 8192,
    weights: 'q4_0',
    vocabulary: { size: 4096 },
    chatTemplate: CHATML,
    name: 'random-70m-q4_0',
  },
  /** Loads in an instant. */
  tiny: {
    layers: 2,
    embedding: 64,
    heads: 2,
    kvHeads: 1,
    ffn: 128,
    context: 512,
    weights: 'f32',
    vocabulary: { size: 512 },
    chatTemplate: CHATML,
    name: 'random-tiny',
  },
} as const satisfies Record<string, RandomModelOptions>;

export type Preset = keyof typeof PRESETS;

export const isPreset = (name: string): name is Preset => Object.hasOwn(PRESETS, name);
