// What the constraint tests share: the built-in model's vocabulary, and a "model" that picks among allowed tokens
// at random.

import { existsSync } from 'node:fs';
import { gguf } from '@huggingface/gguf';
import type { ConstraintHost, Matcher, TokenSource } from '../../src/engine/constraint/index.js';
import type { JsonSchema } from '../../src/protocol/index.js';

/** The byte each character of a byte-level vocabulary stands for (GPT-2's table). */
function byteAlphabet(): ReadonlyMap<string, number> {
  const table = new Map<string, number>();
  let next = 256;
  for (let byte = 0; byte < 256; byte += 1) {
    const isPlain = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    table.set(String.fromCharCode(isPlain ? byte : next), byte);
    if (!isPlain) next += 1;
  }
  return table;
}

export interface TestVocabulary extends TokenSource {
  readonly eogTokens: readonly number[];
}

/** The built-in model's tokens, read from its GGUF file. */
export async function readVocabulary(path: string): Promise<TestVocabulary> {
  if (!existsSync(path)) throw new Error(`the model file ${path} is missing`);
  const file = await gguf(path, { allowLocalFile: true });
  const metadata = file.metadata as unknown as Readonly<Record<string, unknown>>;
  const texts = metadata['tokenizer.ggml.tokens'] as string[];
  const types = metadata['tokenizer.ggml.token_type'] as number[];
  const eos = Number(metadata['tokenizer.ggml.eos_token_id']);
  const alphabet = byteAlphabet();
  const encoder = new TextEncoder();
  const NORMAL = 1;
  const CONTROL = 3;
  const all = texts.map((text, token) =>
    types[token] === NORMAL
      ? Uint8Array.from([...text].map((char) => alphabet.get(char) ?? 63))
      : encoder.encode(text),
  );
  return {
    size: texts.length,
    bytes: (token) => all[token] ?? new Uint8Array(0),
    isControl: (token) => types[token] === CONTROL,
    eogTokens: [eos],
  };
}

/** A vocabulary made up from a seed: all bytes, then words, punctuation, digits and Chinese characters. */
export function inventVocabulary(size: number, seed = 1): TestVocabulary {
  const random = mulberry(seed);
  const encoder = new TextEncoder();
  const all = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte));
  const seen = new Set<string>();
  const letters = 'etaoinshrdlucmfwypvbgkjqxz';
  const signs = '{}[]()":,.;=+-*/<>!?_ \n\t\\';
  const pick = (text: string, power = 1): string => text[Math.floor(random() ** power * text.length)] ?? '';
  while (all.length < size - 1) {
    const kind = random();
    let text = '';
    const length = 1 + Math.floor(random() * 9);
    if (kind < 0.75) {
      for (let index = 0; index < length; index += 1) text += pick(letters, 1.7);
      if (random() < 0.5) text = ` ${text}`;
    } else if (kind < 0.87) for (let index = 0; index < 1 + length / 3; index += 1) text += pick(signs);
    else if (kind < 0.95)
      for (let index = 0; index < 1 + length / 3; index += 1) {
        text += String.fromCodePoint(0x4e00 + Math.floor(random() * 8000));
      }
    else for (let index = 0; index < 1 + length / 3; index += 1) text += pick('0123456789');
    if (seen.has(text)) continue;
    seen.add(text);
    all.push(encoder.encode(text));
  }
  all.push(encoder.encode('<end>'));
  return {
    size,
    bytes: (token) => all[token] ?? new Uint8Array(0),
    isControl: (token) => token === size - 1,
    eogTokens: [size - 1],
  };
}

/** A small generator of reproducible numbers in [0, 1). */
export function mulberry(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

export function allowedTokens(mask: Int32Array): number[] {
  const allowed: number[] = [];
  for (const [word, value] of mask.entries()) {
    for (let bits = value; bits !== 0; bits &= bits - 1)
      allowed.push(word * 32 + 31 - Math.clz32(bits & -bits));
  }
  return allowed;
}

export function waitForMask(matcher: Matcher): Int32Array {
  const mask = matcher.mask(20_000);
  if (mask === 'pending') throw new Error('no mask within 20 s');
  return mask;
}

export interface Generated {
  readonly text: string;
  readonly tokens: number;
  readonly isComplete: boolean;
}

export interface GenerateOptions {
  /** Most tokens. */
  readonly limit?: number;
  /** Tokens after which it prefers what ends strings, lists and the whole output, so that most texts end. */
  readonly calm?: number;
  /** Texts that end plain text, to be written then where a line break is allowed too. */
  readonly ends?: readonly string[];
}

/** What a text follows; `free` when it has come to an end behind which anything may come. */
export interface Follower {
  mask(waitMs: number): Int32Array | 'pending' | 'free';
  accept(tokens: readonly number[]): void;
  isTerminated?(): boolean;
}

/** Generates by picking among allowed tokens. */
export function generate(
  vocabulary: TestVocabulary,
  matcher: Follower,
  random: () => number,
  { limit = 400, calm = 40, ends = [] }: GenerateOptions = {},
): Generated {
  const bytes: number[] = [];
  for (let step = 0; step < limit; step += 1) {
    const mask = matcher.mask(20_000);
    if (mask === 'pending') throw new Error('no mask within 20 s');
    if (mask === 'free') return { text: decode(bytes), tokens: step, isComplete: true };
    const allowed = allowedTokens(mask);
    const [end] = vocabulary.eogTokens.filter((token) => allowed.includes(token));
    if (allowed.length === 0) throw new Error(`nothing is allowed behind ${decode(bytes)}`);
    let token = allowed[Math.floor(random() * allowed.length)] ?? 0;
    if (step >= calm) {
      token = end ?? endOfText(bytes, allowed, ends, random) ?? closing(vocabulary, allowed) ?? token;
    }
    matcher.accept([token]);
    if (vocabulary.eogTokens.includes(token)) {
      if (matcher.isTerminated?.() === false) throw new Error('the end was accepted but the matcher goes on');
      return { text: decode(bytes), tokens: step, isComplete: true };
    }
    for (const byte of vocabulary.bytes(token)) bytes.push(byte);
  }
  return { text: decode(bytes, false), tokens: limit, isComplete: false };
}

const LINE_BREAK = 10;

/** The next byte of a text that ends plain text: one of those that are furthest written. First 256 tokens: the bytes. */
function endOfText(
  bytes: readonly number[],
  allowed: readonly number[],
  ends: readonly string[],
  random: () => number,
): number | undefined {
  const written = ends.flatMap((text) => {
    const end = [...Buffer.from(text)];
    let length = Math.min(end.length - 1, bytes.length);
    while (length > 0 && bytes.slice(-length).some((byte, index) => byte !== end[index])) length -= 1;
    const next = end[length];
    return next !== undefined && allowed.includes(next) ? [{ length, next }] : [];
  });
  const longest = Math.max(0, ...written.map(({ length }) => length));
  if (longest === 0 && !allowed.includes(LINE_BREAK)) return undefined;
  const best = written.filter(({ length }) => length === longest);
  return best[Math.floor(random() * best.length)]?.next;
}

function closing(vocabulary: TestVocabulary, allowed: readonly number[]): number | undefined {
  for (const char of '"}]') {
    const found = allowed.find((token) => {
      const bytes = vocabulary.bytes(token);
      return bytes.length === 1 && bytes[0] === char.charCodeAt(0);
    });
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether output under a schema can be exactly this text. The first 256 tokens are the bytes. */
export async function acceptsExactly(
  host: ConstraintHost,
  vocabulary: TestVocabulary,
  schema: JsonSchema,
  text: string,
): Promise<boolean> {
  const outcome = await host.compile({ kind: 'json-schema', schema, strict: true, whitespace: 'none' });
  if (outcome.kind !== 'compiled') throw new Error(outcome.reason);
  const matcher = outcome.constraint.createMatcher();
  outcome.constraint.release();
  try {
    for (const byte of new TextEncoder().encode(text)) {
      if (!allowedTokens(waitForMask(matcher)).includes(byte)) return false;
      matcher.accept([byte]);
    }
    return vocabulary.eogTokens.some((token) => allowedTokens(waitForMask(matcher)).includes(token));
  } finally {
    matcher.dispose();
  }
}

/** Strict unless the text was cut, perhaps inside a character: output that is not UTF-8 is an error. */
function decode(bytes: readonly number[], fatal = true): string {
  return new TextDecoder('utf-8', { fatal }).decode(Uint8Array.from(bytes));
}
