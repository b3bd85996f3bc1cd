// A made-up byte-level BPE vocabulary of any size: all bytes, pairs of letters, pairs of pairs, control tokens.
// Any text can be tokenized, and every token is readable.

import type { GgufValue } from './gguf-writer.js';

/** Control tokens, at the end of the vocabulary in this order. */
export const SYNTHETIC_CONTROLS = ['<|endoftext|>', '<|im_start|>', '<|im_end|>'] as const;

const NORMAL = 1;
const CONTROL = 3;

/** The printable character that stands for each byte in byte-level vocabularies (GPT-2's table). */
function byteCharacters(): string[] {
  let spare = 256;
  return Array.from({ length: 256 }, (_, byte) => {
    const printable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    return String.fromCodePoint(printable ? byte : spare++);
  });
}

/** Tokenizer metadata for `size` tokens, at least 256 bytes + 3 control tokens and at most 475,000. */
export function syntheticVocabulary(size: number): { size: number; metadata: Map<string, GgufValue> } {
  const controls = SYNTHETIC_CONTROLS.length;
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];
  const bytes = byteCharacters();
  const space = bytes[32] ?? '';
  const pairs = [space, ...letters].flatMap((first) => letters.map((second) => [first, second] as const));
  const tails = pairs.slice(letters.length);
  const most = 256 + pairs.length * (1 + tails.length) + controls;
  if (size < 256 + controls || size > most) {
    throw new RangeError(`a made-up vocabulary has ${256 + controls} to ${most} tokens, not ${size}`);
  }
  const tokens = [...bytes];
  const merges: string[] = [];
  const room = size - controls;
  const add = (first: string, second: string): void => {
    if (tokens.length >= room) return;
    tokens.push(first + second);
    merges.push(`${first} ${second}`);
  };
  for (const [first, second] of pairs) add(first, second);
  for (const tail of tails) {
    if (tokens.length >= room) break;
    for (const pair of pairs) add(pair.join(''), tail.join(''));
  }
  tokens.push(...SYNTHETIC_CONTROLS);
  const types = new Int32Array(size).fill(NORMAL);
  types.fill(CONTROL, room);
  return {
    size,
    metadata: new Map<string, GgufValue>([
      ['tokenizer.ggml.model', { kind: 'string', value: 'gpt2' }],
      ['tokenizer.ggml.pre', { kind: 'string', value: 'gpt-2' }],
      ['tokenizer.ggml.tokens', { kind: 'strings', value: tokens }],
      ['tokenizer.ggml.token_type', { kind: 'i32s', value: types }],
      ['tokenizer.ggml.merges', { kind: 'strings', value: merges }],
      ['tokenizer.ggml.bos_token_id', { kind: 'u32', value: room }],
      ['tokenizer.ggml.eos_token_id', { kind: 'u32', value: room + 2 }],
      ['tokenizer.ggml.eot_token_id', { kind: 'u32', value: room + 2 }],
      ['tokenizer.ggml.add_bos_token', { kind: 'bool', value: false }],
    ]),
  };
}
