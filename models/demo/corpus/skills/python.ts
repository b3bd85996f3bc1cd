// Small Python functions: written on request, and as plain source text.
import type { Exchange, Piece, Skill } from '../document.js';
import { target } from '../document.js';
import { anyName, inventWord, plural } from '../invent.js';
import { PYTHON_FUNCTIONS, type PythonFunction } from '../lists/python.js';
import { casual } from '../manner.js';
import { phrases, say } from '../phrase.js';
import type { Random } from '../random.js';
import { chatSkill } from './chat.js';

const PAIRS = [
  ['a', 'b'],
  ['a', 'b'],
  ['x', 'y'],
  ['first', 'second'],
  ['m', 'n'],
  ['left', 'right'],
] as const;
const NUMBERS = [
  'n',
  'n',
  'number',
  'value',
  'k',
  'num',
  'x',
  'points',
  'level',
  'age',
  'limit',
  'size',
] as const;
const LISTS = [
  ['items', 'item'],
  ['items', 'item'],
  ['numbers', 'number'],
  ['values', 'value'],
  ['values', 'v'],
  ['numbers', 'n'],
  ['data', 'entry'],
  ['things', 'thing'],
  ['names', 'name'],
  ['rows', 'row'],
  ['scores', 'score'],
  ['books', 'book'],
] as const;
const TEXTS = ['text', 's', 'word', 'line', 'message', 'title', 'name', 'sentence'] as const;
// Single letters that the evaluation does not use.
const LETTERS = [...'abcdefghijklmnorstvxyz'];

function namedList(item: string): readonly [items: string, item: string] {
  return [plural(item), item];
}

/** The text of a function, with a name of its own or an invented one. */
export function writeFunction(random: Random, { names, code }: PythonFunction, inventedShare = 0.2): string {
  const [a = 'a', b = 'b'] = random.chance(0.5)
    ? random.pick(PAIRS)
    : random.chance(0.7)
      ? random.sample(LETTERS, 2)
      : [anyName(random), inventWord(random, 1, 2)];
  const [l, x] = random.chance(0.35) ? random.pick(LISTS) : namedList(anyName(random));
  return say(random, [code], {
    a,
    b,
    f: random.chance(inventedShare) ? inventWord(random, 1, 2) : random.pick(names),
    n: random.chance(0.4) ? random.pick(NUMBERS) : anyName(random),
    l,
    x: random.chance(0.15) ? random.pick(['x', 'item', 'v', 'entry', 'i']) : x,
    s: random.chance(0.4) ? random.pick(TEXTS) : anyName(random),
    o: '{',
    c: '}',
  });
}

const REQUEST = phrases(`
[Write|Give me|Show me|Please write|Can you write|I need|Make|Code] a [Python |small Python |short Python |][function|method] that {d}[.|?||, please]
[Python|A Python] [function|code] that {d}[.|]
[How do I write|How can I write] a [Python |]function that {d}[?|]`);

function request(random: Random): Exchange {
  const chosen = random.pick(PYTHON_FUNCTIONS);
  const code = writeFunction(random, chosen, 0);
  return {
    user: casual(random, say(random, REQUEST, { d: chosen.does })),
    assistant: `\`\`\`python\n${code}\n\`\`\``,
  };
}

function source(random: Random): readonly Piece[] {
  const count = random.between(1, 3);
  const code = Array.from({ length: count }, () => writeFunction(random, random.pick(PYTHON_FUNCTIONS))).join(
    '\n\n',
  );
  return [...splitAtSpace(random, `${code}\n`, /(?<= {4})\S/g), target('<|endoftext|>')];
}

/** Cuts a text before some word now and then, so that prompts that end in spaces are met in training too. */
export function splitAtSpace(
  random: Random,
  text: string,
  where: RegExp,
  probability = 0.5,
): readonly Piece[] {
  const cuts = [...text.matchAll(where)].map((match) => match.index);
  if (cuts.length === 0 || !random.chance(probability)) return [target(text)];
  const at = random.pick(cuts);
  return [target(text.slice(0, at)), target(text.slice(at))];
}

export const pythonChatSkill: Skill = chatSkill('python-chat', 1.2, request, { more: 0.3 });
export const pythonSourceSkill: Skill = { name: 'python-source', share: 1.5, emit: source };
