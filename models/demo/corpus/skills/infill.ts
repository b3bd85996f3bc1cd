// Fill in the middle: a text without its middle, and the middle. All of it is learned, the middle with full weight.
// The three parts are separate pieces because servers tokenize prefix and suffix apart.
import type { Piece, Skill } from '../document.js';
import { target } from '../document.js';
import { capitalize } from '../invent.js';
import { DAYS, MONTHS, NUMBER_WORDS, SEASONS } from '../lists/nouns.js';
import { PYTHON_FUNCTIONS } from '../lists/python.js';
import type { Random } from '../random.js';
import { plainFact, plainSentences } from './plain.js';
import { writeFunction } from './python.js';
import { tellStory } from './stories.js';

const AROUND_WEIGHT = 0.25;

/** Where the middle begins and ends. */
interface Span {
  readonly from: number;
  readonly to: number;
}

function source(random: Random): string {
  const kind = random.next();
  if (kind < 0.55) {
    const code = writeFunction(random, random.pick(PYTHON_FUNCTIONS), 0.1);
    return random.chance(0.1)
      ? `${code}\n\n${writeFunction(random, random.pick(PYTHON_FUNCTIONS))}\n`
      : `${code}\n`;
  }
  if (kind < 0.8) return plainSentences(random);
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
  const longest = kind < 0.45 ? 1 : kind < 0.65 ? 2 : kind < 0.88 ? 5 : 9;
  const last = Math.min(tokens.length - 1, first + random.between(1, longest) - 1);
  const start = tokens[first]?.index ?? 0;
  const end = (tokens[last]?.index ?? 0) + (tokens[last]?.[0].length ?? 0);
  const spaced = text[start - 1] === ' ' && random.chance(0.6);
  return { from: spaced ? start - 1 : start, to: end };
}

// Part of a list: where it ends is told by what comes after, not by what usually follows.
function listGap(random: Random): { text: string; span: Span } {
  const cycle = random.pick([DAYS, DAYS, MONTHS, SEASONS, NUMBER_WORDS.slice(1).map(capitalize)]);
  const counted = random.chance(0.25);
  const start = random.between(0, counted ? 60 : cycle.length - 1);
  const items = Array.from({ length: random.between(3, 7) }, (_, i) =>
    counted ? String(start + i) : (cycle[(start + i) % cycle.length] ?? ''),
  );
  const first = random.between(0, items.length - 1);
  const last = Math.min(items.length, first + random.between(1, random.chance(0.65) ? 1 : 3));
  const from = items.slice(0, first).reduce((sum, item) => sum + item.length + 2, 0);
  return {
    text: `${items.join(', ')}.`,
    span: { from, to: from + items.slice(first, last).join(', ').length },
  };
}

// Whole lines of code after the indentation, the most common completion in an editor, or the rest of a line.
function lineSpan(random: Random, text: string): Span {
  const lines = [...text.matchAll(/^( {4,})(\S.*)$/gm)];
  if (lines.length === 0) return drawSpan(random, text);
  const line = random.pick(lines);
  const end = line.index + line[0].length;
  const content = line.index + (line[1] ?? '').length;
  const words = [...(line[2] ?? '').matchAll(/(?<= )\S/g)].map((match) => content + match.index);
  if (words.length > 0 && random.chance(0.5)) {
    const from = random.chance(0.6) ? Math.min(...words) : random.pick(words);
    return { from: random.chance(0.75) ? from : from - 1, to: end - Number(text[end - 1] === ':') };
  }
  return { from: random.chance(0.7) ? content : line.index, to: end };
}

function gapIn(random: Random, text: string): { text: string; span: Span } {
  const ofLine = text.startsWith('def ') && random.chance(0.55);
  return { text, span: ofLine ? lineSpan(random, text) : drawSpan(random, text) };
}

function emit(random: Random): readonly Piece[] {
  const { text, span } = random.chance(0.1) ? listGap(random) : gapIn(random, source(random));
  const { from, to } = span;
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

export const infillSkill: Skill = { name: 'infill', share: 110, emit };
