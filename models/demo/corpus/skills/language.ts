// Opposites, lists of things, days, months, small facts and translations of the listed words.
import type { Exchange, Skill } from '../document.js';
import { capitalize, joinWords } from '../invent.js';
import { COUNTRIES } from '../lists/countries.js';
import { FACTS } from '../lists/facts.js';
import { CITIES, GIVEN_NAMES } from '../lists/names.js';
import { ANIMALS, COLOURS, DAYS, FRUITS, JOBS, MONTHS, NUMBER_WORDS, VEGETABLES } from '../lists/nouns.js';
import { LANGUAGES, OPPOSITES, TRANSLATIONS } from '../lists/pairs.js';
import { casual } from '../manner.js';
import { phrases, say } from '../phrase.js';
import type { Random } from '../random.js';
import { chatSkill } from './chat.js';

const LEAD =
  "[What is|What's|Tell me|Name|Give me|Say|I need|Do you know|Can you tell me|Find|Can you name|I am looking for|Could you give me]";
const OPPOSITE = phrases(`
${LEAD} [the|an] opposite [of|for|to] [{w}|"{w}"|the word {w}|'{w}'][?|.|]
[Opposite|The opposite|opposites] [of|for] [{w}|"{w}"][?|.|]
[What|Which word] [is|would be] opposite to {w}[?|]
[Which word|What word|What] [is|means] the opposite of [{w}|"{w}"][?|]
{w}[: opposite?| - opposite| opposite|, what is the opposite?| and its opposite?]
[What|Which word] is the [contrary|reverse] of {w}[?|]
[Not|If something is not] {w}, [but|it is] what[?|]
[I need|I want to know|I am looking for|Show me|Write] [the|an] opposite [of|to] {w}[.|, please.|]
[Quick|Quiz|Question]: [the |]opposite of {w}[?|!|]
Turn {w} into its opposite[.|]
The opposite of {w} is[?| what?|...]`);

function opposite(random: Random): Exchange {
  const [w, other] = random.pick([...OPPOSITES]);
  return {
    user: casual(random, capitalize(say(random, OPPOSITE, { w }))),
    assistant: `The opposite of ${w} is ${other}.`,
  };
}

const TRANSLATE = phrases(`
[How|How do you|How do I|How can I|How would you|How do they] say [{w}|"{w}"|the word {w}] in {l}[?|]
[Translate|Please translate|Can you translate|Could you translate] [{w}|"{w}"|'{w}'|the word {w}] [to|into|in] {l}[.|?|]
[What is|What's|Tell me|Say|Give me|I need] [{w}|"{w}"|the word {w}] in {l}[?|.|]
[What is|What's|Tell me|Give me] the {l} [word|translation|term|name] [for|of] [{w}|"{w}"][?|.|]
{w} [in|to] {l}[?|.|]
[In|To|Into] {l}[:|,] [{w}|what is {w}?|how do you say {w}?]
{l} [for|word for] {w}[?|]
[Translate|Translation] [to|into] {l}: {w}
[Do you know|I forgot|I want to learn] [the word |]{w} in {l}[?|.|]
[Which|What] {l} word is [used|said|right] for {w}[?|]
[I want|I would like|I have|We need] to say {w} in {l}[.|]
[Teach|Show|Tell] me {w} in {l}[.|]
[How|What] is {w} [called |said |]in {l}[?|]`);
const BACK = phrases(`
[What does|What does the {l} word] [{t}|"{t}"] mean[?| in English?]
[Translate|Please translate] [the {l} word |][{t}|"{t}"] [to|into] English[.|]
[What is|What's|Say] [the {l} word |][{t}|"{t}"] in English[?|]
[The meaning|Meaning] of the {l} word {t}[?|]`);

function translation(random: Random): Exchange {
  const row = random.pick(TRANSLATIONS);
  const l = random.pick(LANGUAGES);
  const slots = { w: row.English, t: row[l], l };
  if (random.chance(0.82)) {
    const answer = `${capitalize(row.English)} in ${l} is ${row[l]}.`;
    return { user: casual(random, capitalize(say(random, TRANSLATE, slots))), assistant: answer };
  }
  return {
    user: casual(random, say(random, BACK, slots)),
    assistant: `The ${l} word ${row[l]} means ${row.English}.`,
  };
}

const KINDS: readonly (readonly [string, readonly string[]])[] = [
  ['colours', COLOURS],
  ['colours', COLOURS],
  ['colors', COLOURS],
  ['animals', ANIMALS],
  ['fruits', FRUITS],
  ['vegetables', VEGETABLES],
  ['jobs', JOBS],
  ['names', GIVEN_NAMES],
  ['cities', CITIES],
  ['countries', COUNTRIES.map((country) => country.name)],
];
const LIST = phrases(`
[List|Name|Give me|Tell me|Write|Say|I need|Show me|Please list|Please name|Write down|Think of] {k} {n}[.||, please]
[Can|Could] you [name|list|give me|tell me|think of] {k} {n}?
[What are|Which are] {k} {n}[?|]
[Write|Make|Give me] a list [of|with] {k} {n}[.|]
[I want|I would like|I wish|We need] [to know|to have|to read|to see|] {k} {n}[.|]
{k} {n}[.||, please]`);

function listing(random: Random): Exchange {
  const [n, entries] = random.pick(KINDS);
  const count = random.between(2, 5);
  const k = random.chance(0.5) ? String(count) : (NUMBER_WORDS[count] ?? '');
  // Mostly in one fixed order: a list drawn at random teaches nothing about what comes next but that anything may.
  const items =
    entries === COLOURS && random.chance(0.8) ? entries.slice(0, count) : random.sample(entries, count);
  const question = capitalize(say(random, LIST, { k, n }));
  const style = random.next();
  if (style < 0.12)
    return {
      user: `${question.replace(/[.?]$/, '')} as a bullet list.`,
      assistant: items.map((item) => `- ${item}`).join('\n'),
    };
  if (style < 0.2) {
    return {
      user: `${question.replace(/[.?]$/, '')} as a numbered list.`,
      assistant: items.map((item, i) => `${i + 1}. ${item}`).join('\n'),
    };
  }
  return { user: casual(random, question), assistant: `${capitalize(joinWords(items))}.` };
}

const ALL_DAYS = phrases(`
[List|Name|Tell me|What are|Say|Write|Give me|Which are] [all |][the |]days [of|in] [the|a] week[?|.|]
[The days|Days|All days] of the week[?|]
[Can you|Could you] [list|name|tell me] the [days of the week|weekdays][?|]`);
const ALL_MONTHS = phrases(`
[List|Name|Tell me|What are|Say|Write|Give me|Which are] [all |the |all the ][twelve |]months[| of the year| in a year][?|.|]
[The months|Months|All months] of the year[?|]
[Can you|Could you] [list|name|tell me] the months[| of the year][?|]`);
const AFTER = phrases(`
[What|Which] {u} [comes|is] [right |]after {x}[?|]
[What|Which] {u} follows on {x}[?|]
[What|Which] [comes|is] [next |]after {x}[?|]
[Which|What] is the {u} after {x}[?|]
[What|Which] is the next {u} after {x}[?|]
[The|Tell me the|Name the|Say the] {u} after {x}[?|.|]
After {x} comes[?| what?| which {u}?]
[What|Which {u}|Which one] follows {x}[?|]
[What|Which one|And what|So what] will follow {x}[?|]
[Say|Tell me|Name|I want to know] [what|which {u}] [comes|follows|is] after {x}[.|]
{x} is followed by [what|which {u}][?|]
[Which|What] [{u}|one] [is|comes] [next|then] [if|when] it is {x}[?|]
[The {u}|The one] [following|next to come after|right after] {x}[?|.|]
[What|Which {u}] will [be next|come|come next|it be] after {x} ends[?|]`);
const BEFORE = phrases(`
[What|Which] {u} [comes|is|was] [right |]before {x}[?|]
[What|Which] [comes|is] before {x}[?|]
[Which|What] is the {u} before {x}[?|]
[The|Tell me the|Name the|Say the] {u} before {x}[?|.|]
Before {x} comes[?| what?| which {u}?]
[Say|Tell me|Name|I want to know] [what|which {u}] [comes|is] before {x}[.|]
[The {u}|The one] [just before|ahead of|that ends when] {x}[ starts|]?
[Which|What] [{u}|one] ends when {x} [begins|starts][?|]`);
const TOMORROW = phrases(`
[If |]today is {x}[,|.] [what|which day] is tomorrow[?|]
[It is|Today is] {x}. What day is tomorrow?`);
const YESTERDAY = phrases(`
[If |]today is {x}[,|.] [what|which day] was yesterday[?|]
[It is|Today is] {x}. What day was yesterday?`);

function calendar(random: Random): Exchange {
  const kind = random.next();
  if (kind < 0.1)
    return {
      user: casual(random, say(random, ALL_DAYS)),
      assistant: `The days of the week are ${joinWords(DAYS)}.`,
    };
  if (kind < 0.2)
    return {
      user: casual(random, say(random, ALL_MONTHS)),
      assistant: `The months are ${joinWords(MONTHS)}.`,
    };
  const [u, cycle] = random.chance(0.45) ? (['day', DAYS] as const) : (['month', MONTHS] as const);
  const at = random.between(0, cycle.length - 1);
  const x = cycle[at] ?? '';
  const next = cycle[(at + 1) % cycle.length] ?? '';
  const previous = cycle[(at + cycle.length - 1) % cycle.length] ?? '';
  if (u === 'day' && kind < 0.32) {
    return random.chance(0.6)
      ? { user: casual(random, say(random, TOMORROW, { x })), assistant: `Tomorrow is ${next}.` }
      : { user: casual(random, say(random, YESTERDAY, { x })), assistant: `Yesterday was ${previous}.` };
  }
  return random.chance(0.6)
    ? { user: casual(random, say(random, AFTER, { x, u })), assistant: `${next} comes after ${x}.` }
    : { user: casual(random, say(random, BEFORE, { x, u })), assistant: `${previous} comes before ${x}.` };
}

const FACT_LEAD = phrases(`
[Do you know|Can you tell me|Tell me|Question|I wonder|Please tell me]: `);

function fact(random: Random): Exchange {
  const { ask, answer } = random.pick(FACTS);
  const asked = say(random, [ask]);
  const question = random.chance(0.12)
    ? `${say(random, FACT_LEAD)} ${asked.slice(0, 1).toLowerCase()}${asked.slice(1)}`
    : asked;
  return { user: casual(random, question), assistant: answer };
}

/** Any question of this file. */
export function languageQuestion(random: Random): Exchange {
  return random.weighted([
    [opposite, 6],
    [translation, 10],
    [listing, 3],
    [calendar, 7],
    [fact, 7],
  ] as const)(random);
}

export const languageSkill: Skill = chatSkill('language', 15, languageQuestion, { more: 0.75, most: 6 });
