// Capitals, opposites, colours, days, months, translations, spelling and capitals letters.
import { HELD_NAMES, HELD_WORDS } from '../../corpus/heldout.js';
import { HELD_PHRASINGS } from '../../corpus/heldout-phrasings.js';
import { COUNTRIES } from '../../corpus/lists/countries.js';
import { COLOURS, DAYS, MONTHS, NUMBER_WORDS } from '../../corpus/lists/nouns.js';
import { LANGUAGES, OPPOSITES, TRANSLATIONS } from '../../corpus/lists/pairs.js';
import { createRandom } from '../../corpus/random.js';
import { around, type Case, contains, fill, question, says } from '../case.js';

function capitals(): Case[] {
  return createRandom(21)
    .sample(COUNTRIES, 120)
    .map(({ name, capital }, i) =>
      question(
        'capitals of 120 countries',
        fill(around(HELD_PHRASINGS.capital, i), { c: name }),
        contains(capital),
      ),
    );
}

function startsWith(expected: string): Case['isRight'] {
  return ({ text }) => text.trim().startsWith(expected);
}

function words(): Case[] {
  const row = 'opposites, colours, days, months';
  const opposites = createRandom(22)
    .sample([...OPPOSITES], 30)
    .map(([w, other], i) =>
      question(row, fill(around(HELD_PHRASINGS.opposite, i), { w }), contains(`is ${other}`)),
    );
  const days = DAYS.flatMap((x, i) => [
    question(row, fill(around(HELD_PHRASINGS.dayAfter, i), { x }), ({ text }) =>
      new RegExp(`^(${around(DAYS, i + 1)}|Tomorrow is ${around(DAYS, i + 1)})`).test(text.trim()),
    ),
    question(row, fill(around(HELD_PHRASINGS.dayBefore, i), { x }), startsWith(around(DAYS, i + 6))),
  ]);
  const months = MONTHS.flatMap((x, i) => [
    question(row, fill(around(HELD_PHRASINGS.monthAfter, i), { x }), startsWith(around(MONTHS, i + 1))),
    ...(i % 2 === 0
      ? [
          question(
            row,
            fill(around(HELD_PHRASINGS.monthBefore, i), { x }),
            startsWith(around(MONTHS, i + 11)),
          ),
        ]
      : []),
  ]);
  const colours = [2, 3, 4, 5].map((count, i) =>
    question(
      row,
      fill(around(HELD_PHRASINGS.colours, i), { k: i % 2 === 0 ? count : (NUMBER_WORDS[count] ?? '') }),
      ({ text }) =>
        new Set((text.toLowerCase().match(/[a-z]+/g) ?? []).filter((word) => COLOURS.includes(word))).size ===
        count,
    ),
  );
  return [...opposites, ...days, ...months, ...colours];
}

function translations(): Case[] {
  const all = TRANSLATIONS.flatMap((entry) => LANGUAGES.map((l) => [entry, l] as const));
  return createRandom(23)
    .sample(all, 60)
    .map(([entry, l], i) =>
      question(
        'translation of listed words',
        fill(around(HELD_PHRASINGS.translate, i), { w: entry.English, l }),
        contains(entry[l]),
      ),
    );
}

function letters(): Case[] {
  const spelling = HELD_WORDS.map((w, i) =>
    question(
      'spelling of new words',
      fill(around(HELD_PHRASINGS.spell, i), { w }),
      contains([...w].join('-')),
    ),
  );
  const upper = HELD_WORDS.map((w, i) => {
    const text =
      i % 3 === 0
        ? w
        : i % 3 === 1
          ? `${w} ${around(HELD_WORDS, i + 5)}`
          : `${around(HELD_NAMES, i)} sees a ${w}`;
    return question(
      'upper-casing of new words',
      fill(around(HELD_PHRASINGS.upper, i), { w: text }),
      says(text.toUpperCase()),
    );
  });
  return [...spelling, ...upper];
}

/** All cases of this file. */
export function knowledgeCases(): Case[] {
  return [...capitals(), ...words(), ...translations(), ...letters()];
}
