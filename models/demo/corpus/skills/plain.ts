// Plain text to continue: people about themselves, small scenes, capitals, days and numbers.
import type { Piece, Skill } from '../document.js';
import { target } from '../document.js';
import { capitalize, freeCity, freeName, givenName, joinWords, plural, withArticle } from '../invent.js';
import { COUNTRIES } from '../lists/countries.js';
import {
  ANIMALS,
  COLOURS,
  DAYS,
  FRUITS,
  HOBBIES,
  JOBS,
  MONTHS,
  NUMBER_WORDS,
  SEASONS,
  VEGETABLES,
  WEATHERS,
} from '../lists/nouns.js';
import { phrases, say } from '../phrase.js';
import type { Random } from '../random.js';
import { drawSum, written } from './arithmetic.js';
import { splitAtSpace } from './python.js';

const SELF = phrases(`
[|Hello, |Hi, ]My name is {n} and I [live in {c}|am {g} years old|am {j}|am {j} from {c}|work as {j} in {c}|like to {h}|live in {c} and work as {j}].
My name is {n}. I live in {c} and [work as {j}|like to {h}].
I am {n} and I [live in|come from] {c}.`);
const MORE = phrases(`
I like to {i}.
In my free time I {i}.
I have {p} named {m}.
My favourite colour is {o}.
On {d} I {i}.
My best friend is called {m}.
I was born in {t}.
I like {f} and {v}.
Every morning I drink [coffee|tea|milk|water].`);
const SCENES = phrases(`
{n} is {j}. {He} lives in {c} and likes to {h}.
{n} lives in {c}. {He} has {p} named {m}.
Today {n} went to the market. {He} bought {f}, {v} and bread. Then {he} went home and cooked dinner.
The {a} sat on the [mat|chair|wall|roof|table] and looked at the {b}.
In {u} the days are [long|short|warm|cold]. People [stay at home|go outside|drink tea|walk in the park].
Today is {d} and the weather is {w}. Tomorrow it will be [sunny|cloudy|rainy] again.
It was a {w} day in {c}. {n} walked to the [park|market|school|library|station] and met {m}.
{n} and {m} are friends. They [play chess|cook|travel|swim|sing] together every {d}.
On {d} {n} [visits|calls|meets] {m} in {c}.
{n} has a {o} [car|bike|boat|hat|coat]. {He} likes it very much.
The quick brown fox jumps over the lazy dog.
The sun rises in the east and sets in the west.
The future of AI is [open|bright]. Small models will help people [every day|with many tasks].
{n} is hungry, so {he} eats {af}.
{n} is thirsty, so {he} drinks a glass of water.
It is cold outside, so {n} wears a warm coat.
{n} opened the door and went into the house.
{n} reads a book in the garden because the weather is {w}.`);

/** Sentences by or about somebody. */
export function plainSentences(random: Random): string {
  const he = random.pick(['he', 'she']);
  // Two different ones, so that no text says the same twice.
  const [h = '', i = ''] = random.sample(HOBBIES, 2);
  const slots = {
    n: givenName(random),
    m: freeName(random),
    c: freeCity(random),
    g: random.between(18, 80),
    j: withArticle(random.pick(JOBS)),
    h,
    i,
    p: withArticle(random.pick(ANIMALS)),
    o: random.pick(COLOURS),
    d: random.pick(DAYS),
    t: random.pick(MONTHS),
    f: plural(random.pick(FRUITS)),
    v: plural(random.pick(VEGETABLES)),
    he,
    He: capitalize(he),
    a: random.pick(ANIMALS),
    b: random.pick(ANIMALS),
    u: random.pick(SEASONS),
    w: random.pick(WEATHERS),
    af: withArticle(random.pick(FRUITS)),
  };
  if (random.chance(0.5)) return say(random, SCENES, slots);
  const lines = [say(random, SELF, slots)];
  for (const line of random.sample(MORE, random.between(0, 3))) lines.push(say(random, [line], slots));
  return lines.join(' ');
}

/** True statements of the kind the model is asked about. */
export function plainFact(random: Random): string {
  const { name, capital, continent } = random.pick(COUNTRIES);
  const kind = random.next();
  if (kind < 0.4) return `The capital of ${name} is ${capital}.`;
  if (kind < 0.55)
    return `${capitalize(name)} is a country in ${continent}. The capital of ${name} is ${capital}.`;
  if (kind < 0.65) return `${capital} is the capital of ${name}.`;
  if (kind < 0.75) return `${written(drawSum(random))}.`;
  if (kind < 0.85) return `${rotated(random, DAYS).join(', ')}.`;
  if (kind < 0.92) return `${rotated(random, MONTHS).join(', ')}.`;
  if (kind < 0.96) return `${NUMBER_WORDS.slice(1, random.between(6, 13)).map(capitalize).join(', ')}.`;
  return `The colours are ${joinWords(random.sample(COLOURS, 4))}.`;
}

function rotated(random: Random, cycle: readonly string[]): string[] {
  const start = random.chance(0.5) ? 0 : random.between(0, cycle.length - 1);
  const length = random.chance(0.4) ? cycle.length : random.between(4, cycle.length);
  return Array.from({ length }, (_, i) => cycle[(start + i) % cycle.length] ?? '');
}

/** A short plain text. */
export function plainText(random: Random): string {
  return random.chance(0.65) ? plainSentences(random) : plainFact(random);
}

function emit(random: Random): readonly Piece[] {
  const text = random.chance(0.25) ? `${plainText(random)} ${plainSentences(random)}` : plainText(random);
  return [...splitAtSpace(random, text, /(?<=[a-z,] )\S/g, 0.3), target('<|endoftext|>')];
}

export const plainSkill: Skill = { name: 'plain', share: 5, emit };
