// GGUF version 3 files for tests and benchmarks: reads a file's metadata as raw bytes, writes metadata and tensors
// in one pass to disk. Knows the container only; what goes in is random-model.ts's and random-lora.ts's.

import { closeSync, openSync, readSync, writeSync } from 'node:fs';

const MAGIC = 0x46554747;
const VERSION = 3;
const ALIGNMENT = 32;

/** Numbers the container gives to value types. */
const VALUE_TYPE = {
  u8: 0,
  i8: 1,
  u16: 2,
  i16: 3,
  u32: 4,
  i32: 5,
  f32: 6,
  bool: 7,
  string: 8,
  array: 9,
  u64: 10,
  i64: 11,
  f64: 12,
} as const;
const VALUE_SIZE: Readonly<Record<number, number>> = {
  0: 1,
  1: 1,
  2: 2,
  3: 2,
  4: 4,
  5: 4,
  6: 4,
  7: 1,
  10: 8,
  11: 8,
  12: 8,
};

/** Numbers of tensor types, with bytes and weights per block. */
export const TENSOR_TYPES = {
  f32: { id: 0, blockBytes: 4, blockWeights: 1 },
  f16: { id: 1, blockBytes: 2, blockWeights: 1 },
  q4_0: { id: 2, blockBytes: 18, blockWeights: 32 },
  q8_0: { id: 8, blockBytes: 34, blockWeights: 32 },
} as const;

export type TensorType = keyof typeof TENSOR_TYPES;

/** A metadata value to write. `raw` is a value type and value as they stand in a file. */
export type GgufValue =
  | { readonly kind: 'u32' | 'i32' | 'f32'; readonly value: number }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'strings'; readonly value: readonly string[] }
  | { readonly kind: 'i32s'; readonly value: Int32Array }
  | { readonly kind: 'raw'; readonly value: Buffer };

/** A tensor to write. */
export interface GgufTensor {
  readonly name: string;
  /** Sizes, the fastest-moving dimension first; it must be a whole number of blocks. */
  readonly shape: readonly number[];
  readonly type: TensorType;
  /** Fills consecutive parts of the tensor's bytes; every part is a whole number of blocks. */
  readonly fill: (part: Buffer) => void;
}

/** Metadata of a file: each value with its type in front, as in the file. */
export type RawMetadata = ReadonlyMap<string, Buffer>;

/** Bytes of a tensor in the file, without padding. */
export function tensorBytes(tensor: Pick<GgufTensor, 'shape' | 'type' | 'name'>): number {
  const { blockBytes, blockWeights } = TENSOR_TYPES[tensor.type];
  const [row = 0] = tensor.shape;
  if (row % blockWeights !== 0) {
    throw new RangeError(
      `${tensor.name}: rows of ${row} weights cannot be ${tensor.type} (blocks of ${blockWeights})`,
    );
  }
  return (tensor.shape.reduce((count, size) => count * size, 1) / blockWeights) * blockBytes;
}

const pad = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'utf8');
  return Buffer.concat([u64(bytes.length), bytes]);
}

function encode(entry: GgufValue): Buffer {
  switch (entry.kind) {
    case 'u32':
      return Buffer.concat([u32(VALUE_TYPE.u32), u32(entry.value)]);
    case 'i32':
      return Buffer.concat([u32(VALUE_TYPE.i32), u32(entry.value >>> 0)]);
    case 'f32':
      return Buffer.concat([u32(VALUE_TYPE.f32), Buffer.from(Float32Array.of(entry.value).buffer)]);
    case 'bool':
      return Buffer.concat([u32(VALUE_TYPE.bool), Buffer.of(entry.value ? 1 : 0)]);
    case 'string':
      return Buffer.concat([u32(VALUE_TYPE.string), text(entry.value)]);
    case 'strings':
      return Buffer.concat([
        u32(VALUE_TYPE.array),
        u32(VALUE_TYPE.string),
        u64(entry.value.length),
        ...entry.value.map(text),
      ]);
    case 'i32s': {
      const { buffer, byteOffset, byteLength } = entry.value;
      const bytes = Buffer.from(buffer, byteOffset, byteLength);
      return Buffer.concat([u32(VALUE_TYPE.array), u32(VALUE_TYPE.i32), u64(entry.value.length), bytes]);
    }
    case 'raw':
      return entry.value;
  }
}

/** Writes a file; tensors are filled in order, a few MB at a time. */
export function writeGguf(
  path: string,
  metadata: ReadonlyMap<string, GgufValue>,
  tensors: readonly GgufTensor[],
): void {
  const head: Buffer[] = [u32(MAGIC), u32(VERSION), u64(tensors.length), u64(metadata.size)];
  for (const [key, value] of metadata) head.push(text(key), encode(value));
  let offset = 0;
  for (const tensor of tensors) {
    head.push(text(tensor.name), u32(tensor.shape.length), ...tensor.shape.map(u64));
    head.push(u32(TENSOR_TYPES[tensor.type].id), u64(offset));
    offset += pad(tensorBytes(tensor));
  }
  const bytes = Buffer.concat(head);
  const file = openSync(path, 'w');
  try {
    write(file, bytes);
    write(file, Buffer.alloc(pad(bytes.length) - bytes.length));
    for (const tensor of tensors) writeTensor(file, tensor);
  } finally {
    closeSync(file);
  }
}

function writeTensor(file: number, tensor: GgufTensor): void {
  const total = tensorBytes(tensor);
  const { blockBytes } = TENSOR_TYPES[tensor.type];
  const buffer = Buffer.alloc(Math.min(total, blockBytes * 131_072));
  for (let at = 0; at < total; at += buffer.length) {
    const part = buffer.subarray(0, Math.min(buffer.length, total - at));
    tensor.fill(part);
    write(file, part);
  }
  write(file, Buffer.alloc(pad(total) - total));
}

function write(file: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}

/** Reads a file's metadata. Throws on anything that is not a GGUF file of version 2 or 3. */
export function readGgufMetadata(path: string): RawMetadata {
  const reader = new HeaderReader(path);
  try {
    if (reader.u32() !== MAGIC) throw new Error(`${path} is not a GGUF file`);
    const version = reader.u32();
    if (version !== 2 && version !== 3) throw new Error(`${path}: GGUF version ${version} is not known`);
    reader.u64();
    const count = reader.u64();
    const metadata = new Map<string, Buffer>();
    for (let i = 0; i < count; i++) {
      const key = reader.take(reader.u64()).toString('utf8');
      const type = reader.u32();
      metadata.set(key, Buffer.concat([u32(type), reader.value(type)]));
    }
    return metadata;
  } finally {
    reader.close();
  }
}

/** How many entries an array in raw metadata has; throws when the key is missing or no array. */
export function rawArrayLength(metadata: RawMetadata, key: string): number {
  const raw = metadata.get(key);
  if (raw === undefined || raw.readUInt32LE(0) !== VALUE_TYPE.array) throw new Error(`${key} is no array`);
  return Number(raw.readBigUInt64LE(8));
}

/** Reads a header front to back through a growing buffer. */
class HeaderReader {
  readonly #file: number;
  readonly #path: string;
  #bytes = Buffer.alloc(0);
  #at = 0;

  constructor(path: string) {
    this.#path = path;
    this.#file = openSync(path, 'r');
  }

  take(length: number): Buffer {
    while (this.#at + length > this.#bytes.length) {
      const more = Buffer.alloc(Math.max(1 << 20, length));
      const read = readSync(this.#file, more, 0, more.length, this.#bytes.length);
      if (read === 0) throw new Error(`${this.#path} ends inside its header`);
      this.#bytes = Buffer.concat([this.#bytes, more.subarray(0, read)]);
    }
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  u32(): number {
    return this.take(4).readUInt32LE(0);
  }

  u64(): number {
    return Number(this.take(8).readBigUInt64LE(0));
  }

  /** The bytes of a value whose type was just read. */
  value(type: number): Buffer {
    const size = VALUE_SIZE[type];
    if (size !== undefined) return this.take(size);
    const start = this.#at;
    if (type === VALUE_TYPE.string) this.take(this.u64());
    else if (type === VALUE_TYPE.array) this.#skipArray();
    else throw new Error(`${this.#path}: value type ${type} is not known`);
    return this.#bytes.subarray(start, this.#at);
  }

  close(): void {
    closeSync(this.#file);
  }

  #skipArray(): void {
    const type = this.u32();
    const count = this.u64();
    const size = VALUE_SIZE[type];
    if (size !== undefined) this.take(size * count);
    else for (let i = 0; i < count; i++) this.value(type);
  }
}
