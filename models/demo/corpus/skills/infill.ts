// Fill in the middle: a text without its middle, and the middle. All of it is learned, the middle with full weight.
// The three parts are separate pieces because servers tokenize prefix and suffix apart.
import type { Piece, Skill } from '../document.js';
import { target } from '../document.js';
import { PYTHON_FUNCTIONS } from '../lists/python.js';
import type { Random } from '../random.js';
import { plainFact, plainSentences } from './plain.js';
import { writeFunction } from './python.js';
import { tellStory } from './stories.js';

const AROUND_WEIGHT = 0.4;

/** Where the middle begins and ends. */
interface Span {
  readonly from: number;
  readonly to: number;
}

function source(random: Random): string {
  const kind = random.next();
  if (kind < 0.45) {
    const code = writeFunction(random, random.pick(PYTHON_FUNCTIONS), 0.1);
    return random.chance(0.1)
      ? `${code}\n\n${writeFunction(random, random.pick(PYTHON_FUNCTIONS))}\n`
      : `${code}\n`;
  }
  if (kind < 0.73) return plainSentences(random);
  if (kind < 0.98) return plainFact(random);
  return tellStory(random);
}

// Word ends are where people put the cursor; some cuts fall inside words because editors do that too.
function drawSpan(random: Random, text: string): Span {
  const kind = random.next();
  if (kind < 0.12) {
    const from = random.between(0, text.length - 1);
    return { from, to: random.between(from + 1, Math.min(text.length, from + 20)) };
  }
  const tokens = [...text.matchAll(/[A-Za-z_0-9']+|[^\sA-Za-z_0-9']+/g)];
  const first = random.between(0, tokens.length - 1);
  const longest = kind < 0.55 ? 2 : kind < 0.85 ? 5 : 9;
  const last = Math.min(tokens.length - 1, first + random.between(1, longest) - 1);
  const start = tokens[first]?.index ?? 0;
  const end = (tokens[last]?.index ?? 0) + (tokens[last]?.[0].length ?? 0);
  const spaced = text[start - 1] === ' ' && random.chance(0.6);
  return { from: spaced ? start - 1 : start, to: end };
}

// Whole lines of code after the indentation, the most common completion in an editor.
function lineSpan(random: Random, text: string): Span {
  const lines = [...text.matchAll(/^( {4,})(\S.*)$/gm)];
  if (lines.length === 0) return drawSpan(random, text);
  const line = random.pick(lines);
  const end = line.index + line[0].length;
  const content = line.index + (line[1] ?? '').length;
  return { from: random.chance(0.7) ? content : line.index, to: end };
}

function emit(random: Random): readonly Piece[] {
  const text = source(random);
  const { from, to } =
    text.startsWith('def ') && random.chance(0.45) ? lineSpan(random, text) : drawSpan(random, text);
  return [
    ['<|fim_prefix|>', AROUND_WEIGHT],
    [text.slice(0, from), AROUND_WEIGHT],
    ['<|fim_suffix|>', AROUND_WEIGHT],
    [text.slice(to), AROUND_WEIGHT],
    ['<|fim_middle|>', AROUND_WEIGHT],
    target(text.slice(from, to)),
    target('<|endoftext|>'),
  ];
}

export const infillSkill: Skill = { name: 'infill', share: 100, emit };
