// A model's tokens as bytes in shared memory, packed once and read by every worker.

import { isNeverUtf8 } from './utf8.js';

/** The tokens of a model, as the engine knows them. */
export interface TokenSource {
  readonly size: number;
  /** The token's own bytes. */
  bytes(token: number): Uint8Array;
  /** Control tokens never stand for text. */
  isControl(token: number): boolean;
}

/** Tokens packed for workers. A token without bytes is never allowed, unless it ends the output. */
export interface Vocabulary {
  readonly size: number;
  readonly bytes: Uint8Array;
  /** Token i is `bytes[offsets[i] .. offsets[i + 1]]`. */
  readonly offsets: Int32Array;
  /** Control tokens that are part of how calls are written: allowed in calls only. */
  readonly markers: readonly number[];
  readonly eogTokens: readonly number[];
}

/** Tokens as they stand in a reply's text, remembered; empty for those that do not: ends, and control tokens but `markers`. */
export function createTextOf(
  source: TokenSource,
  eogTokens: readonly number[],
  markers: readonly string[],
): (token: number) => Uint8Array {
  const wanted = new Set(markers);
  const ends = new Set(eogTokens);
  const known: (Uint8Array | undefined)[] = [];
  const none = new Uint8Array(0);
  const find = (token: number): Uint8Array => {
    if (ends.has(token)) return none;
    const bytes = source.bytes(token);
    return source.isControl(token) && !wanted.has(new TextDecoder().decode(bytes)) ? none : bytes;
  };
  return (token) => {
    const bytes = known[token] ?? find(token);
    known[token] = bytes;
    return bytes;
  };
}

/** Packs a vocabulary. `markers` are texts of control tokens with which the model writes calls. */
export function packVocabulary(
  source: TokenSource,
  eogTokens: readonly number[],
  markers: readonly string[],
): Vocabulary {
  const wanted = new Set(markers);
  const ends = new Set(eogTokens);
  const decoder = new TextDecoder();
  const markerTokens: number[] = [];
  const parts: Uint8Array[] = [];
  const offsets = new Int32Array(new SharedArrayBuffer((source.size + 1) * Int32Array.BYTES_PER_ELEMENT));
  let total = 0;
  for (let token = 0; token < source.size; token += 1) {
    let bytes = source.bytes(token);
    if (ends.has(token)) bytes = new Uint8Array(0);
    else if (source.isControl(token)) {
      if (wanted.has(decoder.decode(bytes))) markerTokens.push(token);
      else bytes = new Uint8Array(0);
    }
    if (isNeverUtf8(bytes)) bytes = new Uint8Array(0);
    parts.push(bytes);
    total += bytes.length;
    offsets[token + 1] = total;
  }
  const all = new Uint8Array(new SharedArrayBuffer(Math.max(1, total)));
  for (const [token, part] of parts.entries()) all.set(part, offsets[token] ?? 0);
  return { size: source.size, bytes: all, offsets, markers: markerTokens, eogTokens };
}

/** A token's bytes, without copying them. */
export function tokenBytes(vocabulary: Vocabulary, token: number): Uint8Array {
  return vocabulary.bytes.subarray(vocabulary.offsets[token] ?? 0, vocabulary.offsets[token + 1] ?? 0);
}
