// Random weights in GGUF's tensor types, fast and the same for the same seed. Blocks are made directly in their
// quantized form. Leaves names, shapes and scales to its callers.

import type { TensorType } from './gguf-writer.js';

/** Most distinct values a tensor of floats is drawn from. */
const TABLE_SIZE = 1 << 16;
/** Standard deviation of a byte (-128 .. 127) and of a 4-bit weight (-8 .. 7), drawn evenly. */
const BYTE_DEVIATION = Math.sqrt((256 ** 2 - 1) / 12);
const NIBBLE_DEVIATION = Math.sqrt((16 ** 2 - 1) / 12);

/** A 32-bit generator (xorshift). */
export function createRandom(seed: number): () => number {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

/** A number's half-precision bits, rounded to nearest; tiny numbers become 0, numbers over the range infinity. */
export function toHalf(value: number): number {
  const bits = new Uint32Array(Float32Array.of(value).buffer)[0] ?? 0;
  const sign = (bits >>> 16) & 0x8000;
  const rounded = (bits & 0x7fffffff) + 0x1000;
  if (rounded >= 0x47800000) return sign | 0x7c00;
  if (rounded < 0x38800000) return sign;
  return sign | ((rounded - 0x38000000) >>> 13);
}

/** Fills parts of a tensor with weights of mean 0 and this standard deviation. */
export function randomFill(type: TensorType, deviation: number, seed: number): (part: Buffer) => void {
  const random = createRandom(seed);
  for (let i = 0; i < 8; i++) random();
  switch (type) {
    case 'f32':
      return fillFrom(Buffer.from(Float32Array.from(gaussians(random, deviation)).buffer), 4, random);
    case 'f16':
      return fillFrom(Buffer.from(Uint16Array.from(gaussians(random, deviation), toHalf).buffer), 2, random);
    case 'q8_0':
      return fillBlocks(34, deviation / BYTE_DEVIATION, random);
    case 'q4_0':
      return fillBlocks(18, deviation / NIBBLE_DEVIATION, random);
  }
}

/** Fills a tensor of 32-bit floats with one value. */
export function constantFill(value: number): (part: Buffer) => void {
  return (part) => {
    for (let at = 0; at < part.length; at += 4) part.writeFloatLE(value, at);
  };
}

function gaussians(random: () => number, deviation: number): Float64Array {
  const values = new Float64Array(TABLE_SIZE);
  for (let i = 0; i < TABLE_SIZE; i++) {
    const radius = Math.sqrt(-2 * Math.log((random() + 1) / 2 ** 32));
    values[i] = deviation * radius * Math.cos((2 * Math.PI * random()) / 2 ** 32);
  }
  return values;
}

/** Draws values of `size` bytes from a table. */
function fillFrom(table: Buffer, size: 2 | 4, random: () => number): (part: Buffer) => void {
  return (part) => {
    for (let at = 0; at < part.length; at += size) {
      const from = (random() >>> 16) * size;
      table.copy(part, at, from, from + size);
    }
  };
}

/**
 * Draws blocks of a half-precision scale and evenly drawn small integers. Scales differ by up to a quarter and
 * in sign: the integers' mean is not quite 0, and the signs cancel that out.
 */
function fillBlocks(blockBytes: 18 | 34, scale: number, random: () => number): (part: Buffer) => void {
  const scales = Uint16Array.from({ length: 256 }, (_, i) =>
    toHalf((i % 2 === 0 ? scale : -scale) * (0.75 + i / 510)),
  );
  return (part) => {
    for (let at = 0; at < part.length; at += blockBytes) {
      const half = scales[random() >>> 24] ?? 0;
      part[at] = half & 0xff;
      part[at + 1] = half >>> 8;
      for (let i = at + 2; i < at + blockBytes; i += 4) {
        const bits = random();
        part[i] = bits;
        part[i + 1] = bits >>> 8;
        part[i + 2] = bits >>> 16;
        part[i + 3] = bits >>> 24;
      }
    }
  };
}
