// Names, places and words, listed or invented. Four in ten are made from random syllables, so that copying what was
// said is the only way to get them right; nothing held out is ever returned.
import { HELD_SET, HELD_TOOL_WORDS } from './heldout.js';
import { BOYS, CITIES, FAMILY_NAMES, GIRLS, GIVEN_NAMES } from './lists/names.js';
import { ANIMALS, COLOURS, FRUITS, JOBS, PLAIN_WORDS, THINGS, VEGETABLES } from './lists/nouns.js';
import { RESULT_KEYS, TOOL_NOUNS, TOOL_UNITS, TOOL_VERBS } from './lists/tool-words.js';
import type { Random } from './random.js';

const ONSETS = [
  'b',
  'c',
  'd',
  'f',
  'g',
  'h',
  'j',
  'k',
  'l',
  'm',
  'n',
  'p',
  'r',
  's',
  't',
  'v',
  'w',
  'z',
  'br',
  'ch',
  'cl',
  'dr',
  'fl',
  'fr',
  'gl',
  'gr',
  'kr',
  'ph',
  'pl',
  'pr',
  'sh',
  'sk',
  'sl',
  'sp',
  'st',
  'th',
  'tr',
  'wh',
  'qu',
  'y',
  '',
  '',
] as const;
const VOWELS = [
  'a',
  'e',
  'i',
  'o',
  'u',
  'a',
  'e',
  'i',
  'o',
  'ai',
  'ea',
  'ee',
  'ia',
  'ie',
  'io',
  'oo',
  'ou',
  'y',
] as const;
const CODAS = [
  '',
  '',
  '',
  '',
  'n',
  'r',
  'l',
  's',
  'm',
  't',
  'd',
  'x',
  'ck',
  'nd',
  'rt',
  'st',
  'ng',
  'tt',
  'll',
  'rd',
  'ne',
  'na',
] as const;
const INVENTED_SHARE = 0.4;
const ANY_WORDS: readonly string[] = [
  ...new Set([
    ...PLAIN_WORDS,
    ...PLAIN_WORDS,
    ...THINGS,
    ...ANIMALS,
    ...FRUITS,
    ...VEGETABLES,
    ...JOBS,
    ...COLOURS,
    ...RESULT_KEYS,
    ...TOOL_NOUNS,
    ...TOOL_UNITS,
    ...TOOL_VERBS,
  ]),
].filter((listed) => !HELD_TOOL_WORDS.has(listed));

const BLENDED_SHARE = 0.4;

// The beginning of one word and the end of another: letters in orders that English has.
function blend(random: Random): string {
  const [head = '', tail = ''] = [random.pick(ANY_WORDS), random.pick(ANY_WORDS)];
  const kept = random.between(Math.ceil(head.length * 0.35), Math.ceil(head.length * 0.75));
  return head.slice(0, kept) + tail.slice(random.between(Math.floor(tail.length * 0.3), tail.length - 1));
}

/** A pronounceable word that most likely nobody ever wrote. */
export function inventWord(random: Random, fewest = 1, most = 3): string {
  for (;;) {
    let word = '';
    const syllables = random.between(fewest, most);
    if (random.chance(BLENDED_SHARE)) word = blend(random);
    else
      for (let i = 0; i < syllables; i += 1) {
        word += random.pick(ONSETS) + random.pick(VOWELS) + (random.chance(0.5) ? random.pick(CODAS) : '');
      }
    if (word.length >= 2 && word.length <= 14 && /^[a-z]+$/.test(word) && !HELD_SET.has(word)) return word;
  }
}

/** A given name. */
export function givenName(random: Random): string {
  return random.chance(INVENTED_SHARE) ? capitalize(inventWord(random, 1, 3)) : random.pick(GIVEN_NAMES);
}

/** A name for somebody whom nobody has named: from a short list, because a model that makes up letters gets stuck. */
export function freeName(random: Random): string {
  return random.pick(random.chance(0.5) ? BOYS : GIRLS);
}

/** A given name and a family name. */
export function fullName(random: Random): string {
  const family = random.chance(INVENTED_SHARE)
    ? capitalize(inventWord(random, 1, 3))
    : random.pick(FAMILY_NAMES);
  return `${givenName(random)} ${family}`;
}

/** A person, sometimes with a family name. */
export function person(random: Random): string {
  return random.chance(0.2) ? fullName(random) : givenName(random);
}

/** A city. */
export function city(random: Random): string {
  return random.chance(INVENTED_SHARE) ? capitalize(inventWord(random, 1, 3)) : random.pick(CITIES);
}

/** A city that nobody has named. */
export function freeCity(random: Random): string {
  return random.pick(CITIES);
}

/** A common noun or an invented word in lower case. */
export function word(random: Random): string {
  if (random.chance(INVENTED_SHARE)) return inventWord(random);
  return random.chance(0.6) ? random.pick(PLAIN_WORDS) : random.pick(THINGS);
}

/** A name for a tool, a key or a variable: any word of the lists or an invented one, so that only reading tells it. */
export function anyName(random: Random, inventedShare = 0.45): string {
  return random.chance(inventedShare) ? inventWord(random, 1, 3) : random.pick(ANY_WORDS);
}

/** One to `most` words, sometimes with a colour in front. */
export function shortPhrase(random: Random, most = 3): string {
  const count = random.between(1, most);
  const words = Array.from({ length: count }, () => word(random));
  if (random.chance(0.15)) words[0] = random.pick(COLOURS);
  return words.join(' ');
}

/** An address at a domain that is reserved for examples. */
export function email(random: Random): string {
  const user = random.chance(0.5) ? givenName(random).toLowerCase() : inventWord(random, 1, 2);
  return `${user}@${random.pick(['example.com', 'example.org', 'mail.example', 'test.com'])}`;
}

/** A clock time such as 7:05 or 19:30. */
export function clockTime(random: Random): string {
  const minute = random.chance(0.6)
    ? random.pick(['00', '15', '30', '45'])
    : String(random.between(0, 59)).padStart(2, '0');
  return `${random.between(0, 23)}:${minute}`;
}

/** First letter in upper case, the rest unchanged. */
export function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** The noun with its article: a ball, an apple. */
export function withArticle(noun: string): string {
  return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`;
}

const IRREGULAR: Readonly<Record<string, string>> = {
  mouse: 'mice',
  sheep: 'sheep',
  wolf: 'wolves',
  knife: 'knives',
  leaf: 'leaves',
  shelf: 'shelves',
  child: 'children',
  fish: 'fish',
};

/** The plural of an English noun. */
export function plural(noun: string): string {
  const irregular = IRREGULAR[noun];
  if (irregular !== undefined) return irregular;
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  if (/(s|x|ch|sh|ato|ango)$/.test(noun)) return `${noun}es`;
  return `${noun}s`;
}

/** Items joined as prose: a, b and c. */
export function joinWords(items: readonly string[]): string {
  if (items.length < 2) return items.join('');
  return `${items.slice(0, -1).join(', ')} and ${items[items.length - 1] ?? ''}`;
}
