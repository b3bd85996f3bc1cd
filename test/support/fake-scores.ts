// The fake model itself: from what a sequence's KV holds to the scores of the next token, with an optional
// script. Pure; memory is fake-kv.ts's.

import { mix } from './fake-kv.js';
import type { FakeVocabulary } from './fake-vocabulary.js';

/** After a text ending in `after`, the model says `say`, then ends. Control tokens may be written by name. */
export interface FakeScript {
  readonly after: string;
  readonly say: string;
  /** What follows `say`: the end of the generation, or the table again. Default end. */
  readonly then?: 'end' | 'table';
}

/** Fills a row of scores. `state` is the hash of the KV's contents, `tokens` those contents. */
export type FakeScores = (row: Float32Array, state: number, tokens: readonly number[]) => void;

/** Score of a scripted token: far above all others, so that any usual temperature follows the script. */
const SCRIPTED = 60;
/** Offset of tokens the table should not say by itself: controls and lone bytes. */
const UNLIKELY = -30;

/** Hash of a text. */
export function hashText(text: string): number {
  let hash = 0x2545f491;
  for (let i = 0; i < text.length; i++) hash = mix(hash, text.charCodeAt(i));
  return hash;
}

interface Line {
  readonly after: string;
  /** Tokens to say, with the text said before each. */
  readonly tokens: readonly number[];
  readonly before: readonly string[];
}

function compile(vocabulary: FakeVocabulary, { after, say, then }: FakeScript): Line {
  const tokens = [...vocabulary.tokenize(say, false, true)];
  if (then !== 'table') tokens.push(vocabulary.eos);
  const before: string[] = [];
  let text = '';
  for (const token of tokens) {
    before.push(text);
    text += vocabulary.latin(token);
  }
  return { after: Buffer.from(after, 'utf8').toString('latin1'), tokens, before };
}

function nextOf(lines: readonly Line[], text: string): number | undefined {
  for (const line of lines) {
    for (let i = 0; i < line.tokens.length; i++) {
      if (text.endsWith(line.after + line.before[i])) return line.tokens[i];
    }
  }
  return undefined;
}

/** Makes the model: scores in [-4, 4) drawn from the state; ends shifted by `endBias`, then the script's word. */
export function createFakeScores(
  vocabulary: FakeVocabulary,
  script: readonly FakeScript[],
  endBias: number,
): FakeScores {
  const lines = script.map((entry) => compile(vocabulary, entry));
  const bias = new Float32Array(vocabulary.size);
  bias.fill(UNLIKELY, 0, vocabulary.controls);
  bias.fill(UNLIKELY, vocabulary.fallback);
  bias[vocabulary.eos] = endBias;
  bias[vocabulary.endOfTurn] = endBias;
  return (row, state, tokens) => {
    let random = mix(state, 0x6c8e9cf5) | 1;
    for (let i = 0; i < row.length; i++) {
      random ^= random << 13;
      random ^= random >>> 17;
      random ^= random << 5;
      row[i] = (random >>> 8) / 2 ** 21 - 4 + (bias[i] ?? 0);
    }
    if (lines.length === 0) return;
    const text = tokens.map((token) => (token < 0 ? '' : vocabulary.latin(token))).join('');
    const next = nextOf(lines, text);
    if (next !== undefined) row[next] = SCRIPTED;
  };
}
