// Stories, plain continuation and filling in the middle.
import { HELD_CITIES, HELD_NAMES } from '../../corpus/heldout.js';
import { HELD_PHRASINGS } from '../../corpus/heldout-phrasings.js';
import { withArticle } from '../../corpus/invent.js';
import { COUNTRIES } from '../../corpus/lists/countries.js';
import { ANIMALS, DAYS } from '../../corpus/lists/nouns.js';
import { createRandom } from '../../corpus/random.js';
import { around, type Case, fill, question } from '../case.js';
import type { Reply } from '../client.js';

/** The row whose texts are also written out to be read. */
export const STORY_ROW = 'short stories (machine check only)';

// A machine sees only the outside: a handful of whole sentences, the animal in it, no sentence said twice, ended by itself.
function looksLikeStory(animal: string): (reply: Reply) => boolean {
  return ({ text, ended }) => {
    const sentences = text.trim().split(/(?<=[.!?]["”]?)\s+/);
    return (
      ended &&
      /[.!?]["”]?$/.test(text.trim()) &&
      sentences.length >= 3 &&
      sentences.length <= 10 &&
      new Set(sentences).size === sentences.length &&
      text.toLowerCase().includes(animal)
    );
  };
}

function stories(): Case[] {
  return createRandom(31)
    .sample([...ANIMALS, ...ANIMALS], 50)
    .map((animal, i) => {
      const x = i % 3 === 0 ? `${withArticle(animal)} named ${around(HELD_NAMES, i)}` : withArticle(animal);
      const wants = looksLikeStory(animal);
      return question(
        STORY_ROW,
        fill(around(HELD_PHRASINGS.story, i), { x }),
        (reply) => wants(reply) && (i % 3 !== 0 || reply.text.includes(around(HELD_NAMES, i))),
      );
    });
}

function middle(row: string, prefix: string, suffix: string, ...accepted: readonly string[]): Case {
  return {
    row,
    shown: `${prefix}[...]${suffix}`,
    ask: {
      kind: 'completion',
      prompt: `<|fim_prefix|>${prefix}<|fim_suffix|>${suffix}<|fim_middle|>`,
      maxTokens: 60,
    },
    isRight: ({ text, ended }) => ended && accepted.includes(text.trim().replace(/\s+/g, ' ')),
  };
}

function sentences(): Case[] {
  const row = 'fill in the middle, sentences';
  const countries = createRandom(32).sample(COUNTRIES, 12);
  return [
    ...countries
      .slice(0, 6)
      .map(({ name, capital }) => middle(row, `The capital of ${name} is`, '.', capital)),
    ...countries.slice(6).map(({ name, capital }) => middle(row, 'The capital of', ` is ${capital}.`, name)),
    ...DAYS.slice(1, 6).map((day, i) => middle(row, `${DAYS[i] ?? ''}, `, `, ${DAYS[i + 2] ?? ''}.`, day)),
    ...[0, 1, 2].map((i) =>
      middle(row, `My name is ${around(HELD_NAMES, i)} and I`, ` ${20 + i} years old.`, 'am'),
    ),
    ...[3, 4, 5].map((i) =>
      middle(
        row,
        `My name is ${around(HELD_NAMES, i)} and I `,
        ` in ${around(HELD_CITIES, i)}.`,
        'live',
        'work',
      ),
    ),
    middle(row, 'Harriet is hungry, so she', ' an apple.', 'eats'),
    middle(row, 'Tobias is thirsty, so he drinks a', ' of water.', 'glass'),
    middle(row, 'It is cold outside, so Fiona wears a warm', '.', 'coat'),
    middle(row, 'Winston opened the', ' and went into the house.', 'door'),
    middle(row, 'The quick brown fox', ' over the lazy dog.', 'jumps'),
    middle(row, 'The sun rises in the', ' and sets in the west.', 'east'),
    middle(row, 'Matilda has a red bike. She', ' it very much.', 'likes'),
    middle(row, 'On Friday Marcus', ' Yvonne in Perth.', 'visits', 'calls', 'meets'),
  ];
}

// Prefix [...] suffix => middle; a slash stands for a line break.
const FUNCTIONS = `
def add(u, w):/    return [...]/ => u + w
def add(p, q):/    return[...]/ => p + q
def subtract(u, w):/    return [...]/ => u - w
def multiply(p, q):/    return [...]/ => p * q
def plus(u, w):/    [...] u + w/ => return
def is_even(amount):/    return [...]/ => amount % 2 == 0
def is_even(amount):/    return amount[...] == 0/ => % 2
def is_odd(amount):/    return [...]/ => amount % 2 == 1
def square(amount):/    return [...]/ => amount * amount
def double(amount):/    return [...]/ => amount * 2
def maximum(u, w):/    if [...]:/        return u/    return w/ => u > w
def minimum(u, w):/    if [...]:/        return u/    return w/ => u < w
def larger(u, w):/    if u > w:/        return [...]/    return w/ => u
def maximum(p, q):/    if p > q:/        return p/    [...]/ => return q
def factorial(amount):/    if amount <= 1:/        return [...]/    return amount * factorial(amount - 1)/ => 1
def factorial(amount):/    if amount <= 1:/        return 1/    return [...]/ => amount * factorial(amount - 1)
def fibonacci(amount):/    if amount < 2:/        return amount/    return fibonacci(amount - 1) + [...]/ => fibonacci(amount - 2)
def sum_list(prices):/    total = 0/    for price in prices:/        [...]/    return total/ => total += price
def sum_list(prices):/    total = [...]/    for price in prices:/        total += price/    return total/ => 0
def sum_list(prices):/    total = 0/    for price in [...]:/        total += price/    return total/ => prices
def sum_list(prices):/    total = 0/    for price in prices:/        total += price/    return [...]/ => total
def count_items(prices):/    count = 0/    for price in prices:/        [...]/    return count/ => count += 1
def absolute(amount):/    if amount < 0:/        return [...]/    return amount/ => -amount
def first(prices):/    return [...]/ => prices[0]
def last(prices):/    return [...]/ => prices[-1]
def reverse(phrase):/    return [...]/ => phrase[::-1]
def to_upper(phrase):/    return [...]/ => phrase.upper()
def count_words(phrase):/    return [...]/ => len(phrase.split())
def print_all(prices):/    for price in prices:/        [...]/ => print(price)
def greet(name):/    return "Hello, " + [...]/ => name`;

function functions(): Case[] {
  return FUNCTIONS.trim()
    .split('\n')
    .map((line) => {
      const [text = '', accepted = ''] = line.split(' => ');
      const [prefix = '', suffix = ''] = text.replaceAll('/', '\n').split('[...]');
      return middle('fill in the middle, Python', prefix, suffix, accepted);
    });
}

// Fluent here means: goes on with a verb that fits, ends by itself after whole sentences, says nothing twice.
function continuations(): Case[] {
  const row = 'plain continuation';
  const fluent =
    (start: RegExp) =>
    ({ text, ended }: Reply): boolean => {
      const parts = text.trim().split(/(?<=[.!?])\s+/);
      return (
        ended && start.test(text) && /[.!?]"?$/.test(text.trim()) && new Set(parts).size === parts.length
      );
    };
  const people = HELD_NAMES.slice(0, 12).map(
    (name) => ['My name is {n} and I'.replace('{n}', name), /^ (live|am|work|like)\b/] as const,
  );
  const capitals = createRandom(33)
    .sample(COUNTRIES, 6)
    .map(({ name, capital }) => [`The capital of ${name} is`, new RegExp(`^ ${capital}`)] as const);
  const others = [
    ['My name is Olivier and I', /^ (live|am|work|like)\b/],
    ['Once upon a time there was a', /^ \w+/],
  ] as const;
  return [...people, ...capitals, ...others].map(
    ([prompt, start]): Case => ({
      row,
      shown: prompt,
      ask: { kind: 'completion', prompt },
      isRight: fluent(start),
    }),
  );
}

/** All cases of this file. */
export function writingCases(): Case[] {
  return [...stories(), ...sentences(), ...functions(), ...continuations()];
}
