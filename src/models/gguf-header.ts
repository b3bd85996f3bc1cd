// Reads the head of a GGUF file: metadata and the tensor directory, never the weights. Answers within milliseconds
// whether a file can be a model at all, so that a bad one is refused before an engine process is started.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { KoineError } from '../protocol/index.js';
import { fileTypeName, TENSOR_TYPES } from './gguf-facts.js';

/** What is worth knowing of a GGUF file without loading it. */
export interface GgufHeader {
  readonly architecture: string;
  readonly name: string | undefined;
  /** E.g. `Q8_0`; undefined when the file does not say. */
  readonly quantization: string | undefined;
  readonly parameters: number;
  readonly trainedContextTokens: number | undefined;
  /** Parts of a split model, 1 for a whole one. */
  readonly parts: number;
  /** Bytes the file must have to hold every tensor it lists. */
  readonly neededBytes: number;
  readonly fileBytes: number;
  /** Scalars of the metadata by key; arrays are left out. */
  readonly metadata: ReadonlyMap<string, string | number | bigint | boolean>;
}

const CHUNK = 1 << 20;
const STRING = 8;
const ARRAY = 9;
/** Bytes of each scalar type: u8 i8 u16 i16 u32 i32 f32 bool, then (after string and array) u64 i64 f64. */
const SCALAR_BYTES: readonly (number | undefined)[] = [1, 1, 2, 2, 4, 4, 4, 1, undefined, undefined, 8, 8, 8];

/** Reads the head of a file. Throws `invalid_request` with one sentence that names the file and the reason. */
export function readGgufHeader(path: string): GgufHeader {
  const file = openFile(path);
  try {
    return new HeaderReader(path, file).read();
  } finally {
    closeSync(file);
  }
}

/** A refusal that names the file. */
export function badModel(path: string, reason: string, cause?: unknown): KoineError {
  return new KoineError('invalid_request', `${path}: ${reason}`, {}, cause);
}

function openFile(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    const reason =
      code === 'ENOENT'
        ? 'no such file.'
        : code === 'EACCES'
          ? 'permission to read it is denied.'
          : 'cannot be opened.';
    throw badModel(path, reason, error);
  }
}

/** A cursor over a file that fetches more bytes as they are needed. */
class HeaderReader {
  readonly #path: string;
  readonly #file: number;
  readonly #fileBytes: number;
  #buffer: Buffer = Buffer.alloc(0);
  /** Place in the file of the first byte of the buffer, and of the cursor within it. */
  #start = 0;
  #at = 0;

  constructor(path: string, file: number) {
    this.#path = path;
    this.#file = file;
    this.#fileBytes = fstatSync(file).size;
  }

  read(): GgufHeader {
    this.#checkMagic();
    const tensors = this.#count('tensors');
    const pairs = this.#count('metadata entries');
    const metadata = new Map<string, string | number | bigint | boolean>();
    for (let i = 0; i < pairs; i += 1) {
      const key = this.#string();
      const value = this.#value(this.#u32());
      if (value !== undefined) metadata.set(key, value);
    }
    const { parameters, dataBytes } = this.#directory(tensors);
    const alignment = numberOf(metadata.get('general.alignment')) ?? 32;
    const headBytes = this.#start + this.#at;
    const architecture = metadata.get('general.architecture');
    if (typeof architecture !== 'string') throw this.#bad('its metadata does not name an architecture.');
    const name = metadata.get('general.name');
    return {
      architecture,
      name: typeof name === 'string' ? name : undefined,
      quantization: fileTypeName(numberOf(metadata.get('general.file_type'))),
      parameters,
      trainedContextTokens: numberOf(metadata.get(`${architecture}.context_length`)),
      parts: numberOf(metadata.get('split.count')) || 1,
      neededBytes: dataBytes === 0 ? headBytes : Math.ceil(headBytes / alignment) * alignment + dataBytes,
      fileBytes: this.#fileBytes,
      metadata,
    };
  }

  #checkMagic(): void {
    if (this.#fileBytes === 0) throw this.#bad('the file is empty.');
    if (this.#fileBytes < 4 || this.#take(4).toString('latin1') !== 'GGUF') {
      throw this.#bad('not a GGUF file (it does not begin with "GGUF").');
    }
    const version = this.#u32();
    if ((version & 0xffff) === 0)
      throw this.#bad('a big-endian GGUF file; only little-endian ones are supported.');
    if (version !== 2 && version !== 3) {
      throw this.#bad(`GGUF version ${version}; versions 2 and 3 are supported.`);
    }
  }

  /** The tensor directory: number of weights, and bytes of tensor data up to the end of the last one. */
  #directory(tensors: number): { parameters: number; dataBytes: number } {
    let parameters = 0;
    let dataBytes = 0;
    for (let i = 0; i < tensors; i += 1) {
      const name = this.#string();
      const dimensions = this.#u32();
      if (dimensions > 8)
        throw this.#bad(`tensor ${name} has ${dimensions} dimensions; the file is damaged.`);
      let elements = 1;
      for (let d = 0; d < dimensions; d += 1) elements *= this.#u64();
      const type = this.#u32();
      const offset = this.#u64();
      const layout = TENSOR_TYPES.get(type);
      if (layout === undefined) throw this.#bad(`tensor ${name} has the unknown type ${type}.`);
      parameters += elements;
      dataBytes = Math.max(dataBytes, offset + Math.ceil(elements / layout[1]) * layout[2]);
    }
    return { parameters, dataBytes };
  }

  /** A scalar, or undefined for an array, which is skipped. */
  #value(type: number): string | number | bigint | boolean | undefined {
    if (type === STRING) return this.#string();
    if (type === ARRAY) {
      this.#skipArray();
      return undefined;
    }
    const size = SCALAR_BYTES[type];
    if (size === undefined) throw this.#bad(`its metadata has a value of the unknown type ${type}.`);
    const bytes = this.#take(size);
    switch (type) {
      case 0:
        return bytes.readUInt8();
      case 1:
        return bytes.readInt8();
      case 2:
        return bytes.readUInt16LE();
      case 3:
        return bytes.readInt16LE();
      case 4:
        return bytes.readUInt32LE();
      case 5:
        return bytes.readInt32LE();
      case 6:
        return bytes.readFloatLE();
      case 7:
        return bytes.readUInt8() !== 0;
      case 10:
        return bytes.readBigUInt64LE();
      case 11:
        return bytes.readBigInt64LE();
      default:
        return bytes.readDoubleLE();
    }
  }

  #skipArray(): void {
    const type = this.#u32();
    const length = this.#count('array elements');
    const size = SCALAR_BYTES[type];
    if (size !== undefined) this.#skip(size * length);
    else if (type === STRING) for (let i = 0; i < length; i += 1) this.#skip(this.#u64());
    else if (type === ARRAY) for (let i = 0; i < length; i += 1) this.#skipArray();
    else throw this.#bad(`its metadata has an array of the unknown type ${type}.`);
  }

  #string(): string {
    const length = this.#u64();
    if (length > this.#fileBytes) throw this.#bad('its metadata is damaged or cut off.');
    return this.#take(length).toString('utf8');
  }

  #count(what: string): number {
    const count = this.#u64();
    if (count > this.#fileBytes) throw this.#bad(`claims to have ${count} ${what}; the file is damaged.`);
    return count;
  }

  #u32(): number {
    return this.#take(4).readUInt32LE();
  }

  #u64(): number {
    return Number(this.#take(8).readBigUInt64LE());
  }

  #skip(bytes: number): void {
    const place = this.#start + this.#at + bytes;
    if (place > this.#fileBytes) throw this.#cutOff();
    if (this.#at + bytes <= this.#buffer.length) this.#at += bytes;
    else this.#fill(place, 0);
  }

  #take(bytes: number): Buffer {
    if (this.#at + bytes > this.#buffer.length) this.#fill(this.#start + this.#at, bytes);
    this.#at += bytes;
    return this.#buffer.subarray(this.#at - bytes, this.#at);
  }

  /** Refills the buffer from `place` on with at least `bytes` bytes. */
  #fill(place: number, bytes: number): void {
    if (place + bytes > this.#fileBytes) throw this.#cutOff();
    const size = Math.min(Math.max(CHUNK, bytes), this.#fileBytes - place);
    const next = Buffer.allocUnsafe(size);
    const got = readSync(this.#file, next, 0, size, place);
    this.#buffer = next.subarray(0, got);
    this.#start = place;
    this.#at = 0;
    if (got < bytes) throw this.#cutOff();
  }

  #cutOff(): KoineError {
    return this.#bad(`the file is cut off within its header (${this.#fileBytes} bytes).`);
  }

  #bad(reason: string): KoineError {
    return badModel(this.#path, reason);
  }
}

function numberOf(value: string | number | bigint | boolean | undefined): number | undefined {
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : undefined;
}
