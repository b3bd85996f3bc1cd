// JSON out of sentences: by default names, by the keys asked for, or by a JSON schema.
import type { Exchange, Piece, Skill } from '../document.js';
import { city, email, inventWord, person, word } from '../invent.js';
import { ANIMALS, COLOURS, DAYS, FRUITS, JOBS } from '../lists/nouns.js';
import { systemPrompt } from '../manner.js';
import { type Phrase, phrases, say } from '../phrase.js';
import type { Random } from '../random.js';
import { type Json, renderChat, toJson } from '../render.js';

/** What a sentence says, under its usual keys. */
export interface Statement {
  readonly sentence: string;
  readonly fields: Readonly<Record<string, string | number>>;
}

interface Pattern {
  readonly keys: readonly string[];
  readonly says: readonly Phrase[];
}

function pattern(keys: string, says: string): Pattern {
  return { keys: keys.split(' '), says: phrases(says) };
}

const PATTERNS: readonly (readonly [Pattern, number])[] = [
  [
    pattern(
      'name age',
      `
{name} is {age} years old[.|]
{name} is {age}[.|]
{name}, [aged {age}|{age} years old|{age} years|{age}][.|]
{name} ({age})
[My name is|I am|I'm] {name} and I am {age} years old[.|]
{name} [turned|just turned|has turned] {age}[.|| today.| this week.]
[This is|Meet|Here is] {name}, [who is {age} years old|{age} years old|aged {age}][.|]
[A|The] {age} year old [called|named] {name}[.|]`,
    ),
    8,
  ],
  [
    pattern(
      'name age city',
      `
{name} is {age} years old and lives in {city}[.|]
{name}, {age}, [from|lives in|of] {city}[.|]
{name} lives in {city} and is {age} years old[.|]
[My name is|I am|I'm] {name}, I am {age} and I live in {city}[.|]
{name} is {age} and [comes from|is from|lives in] {city}[.|]`,
    ),
    4,
  ],
  [
    pattern(
      'name city',
      `
{name} [lives in|is from|comes from|moved to|works in] {city}[.|]
[My name is|I am|I'm] {name} and I [live in|come from|am from] {city}[.|]
{name} from {city}[.|]`,
    ),
    3,
  ],
  [
    pattern(
      'name age job',
      `
{name} is {age} years old and [works as|is] a {job}[.|]
{name}, a {job}, is {age}[ years old|][.|]
{name} ({age}) [works as|is] a {job}[.|]`,
    ),
    3,
  ],
  [
    pattern(
      'name job',
      `
{name} [is|works as] a {job}[.|]
[My name is|I am|I'm] {name} and I [work as|am] a {job}[.|]`,
    ),
    2,
  ],
  [
    pattern(
      'product price',
      `
The {product} costs {price} [euros|dollars|pounds|coins][.|]
[A|One|This] {product} [for|costs|is] {price} [euros|dollars|pounds][.|]
{product}: {price} [euros|dollars]
I [bought|sold|found|paid for] a {product} for {price} [euros|dollars|pounds][.|]`,
    ),
    4,
  ],
  [
    pattern(
      'product price color',
      `
The {color} {product} costs {price} [euros|dollars|pounds][.|]
A {color} {product} for {price} [euros|dollars][.|]`,
    ),
    2,
  ],
  [
    pattern(
      'name email',
      `
{name} [has the email|uses the email|can be reached at|writes from|has the address] {email}[.|]
[Write to|Contact|The email of] {name} [at|is] {email}[.|]`,
    ),
    2,
  ],
  [
    pattern(
      'name city day',
      `
{name} [travels|flies|goes|drives] to {city} on {day}[.|]
On {day} {name} [arrives in|visits|leaves for] {city}[.|]`,
    ),
    2,
  ],
  [
    pattern(
      'animal name',
      `
The {animal} is called {name}[.|]
I have a {animal} named {name}[.|]`,
    ),
    1.5,
  ],
  [
    pattern(
      'quantity product',
      `
[I would like|I want|Please send|I order|We need] {quantity} {product}s[.|]
{quantity} {product}s, please[.|]`,
    ),
    1.5,
  ],
];

const RENAMED: Readonly<Record<string, readonly string[]>> = {
  name: ['full_name', 'person', 'user', 'first_name', 'username', 'who', 'customer', 'fullName'],
  age: ['years', 'age_years', 'age_in_years', 'years_old'],
  city: ['town', 'location', 'place', 'home', 'address', 'destination'],
  job: ['work', 'profession', 'occupation', 'role'],
  product: ['item', 'article', 'thing', 'object', 'product_name'],
  price: ['cost', 'amount', 'value', 'euros', 'total'],
  color: ['colour', 'shade'],
  email: ['mail', 'address', 'contact'],
  day: ['date', 'weekday', 'when'],
  animal: ['pet', 'species', 'kind'],
  quantity: ['count', 'amount', 'number'],
};

/** A sentence with its facts. */
export function drawRecord(random: Random): Statement {
  const { keys, says } = random.weighted(PATTERNS);
  const values: Readonly<Record<string, () => string | number>> = {
    name: () => person(random),
    age: () => random.between(1, 99),
    city: () => city(random),
    job: () => random.pick(JOBS),
    product: () => (random.chance(0.3) ? random.pick(FRUITS) : word(random)),
    price: () => random.between(1, random.chance(0.5) ? 99 : 999),
    color: () => random.pick(COLOURS),
    email: () => email(random),
    day: () => random.pick(DAYS),
    animal: () => random.pick(ANIMALS),
    quantity: () => random.between(2, 99),
  };
  const fields: Record<string, string | number> = {};
  for (const key of keys) fields[key] = values[key]?.() ?? '';
  return { sentence: say(random, says, fields).replace(/\b([Aa]) (?=[aeiou])/g, '$1n '), fields };
}

/** A JSON schema as people write one for a flat object. */
export function schemaOf(random: Random, fields: Readonly<Record<string, string | number>>): Json {
  const properties: Record<string, Json> = {};
  for (const [key, value] of Object.entries(fields))
    properties[key] = {
      type: typeof value === 'number' ? random.pick(['integer', 'integer', 'number']) : 'string',
    };
  const extra: Record<string, Json> = random.chance(0.6) ? { required: Object.keys(fields) } : {};
  return { type: 'object', properties, ...extra };
}

const DEFAULT = phrases(`
[Extract|Extract:|Parse:|JSON:|As JSON:|To JSON:|Convert to JSON:|Turn into JSON:|Extract as JSON:|Extract the data:|Extract the data as JSON:|Extract JSON from:|Extract information:|Make JSON from this:] {s}
[Extract|Return|Give me|Write|Find] [the |]{f} [as JSON|in JSON|as a JSON object][:| from:| from this text:| of:] {s}
[Return|Give me|Write|Make] JSON with {f}[:| for:| from:] {s}
{s} [Answer|Reply|Respond|Return it|Give it to me|Write it] [in JSON|as JSON][.|]
{s} [Return|Give me|Make] JSON with {f}[.|]
{s} [Extract the|Give me the] {f} as JSON[.|]
[Read|Take] this [text|sentence] and [answer|reply] [in|with|as] JSON: {s}
[What are|Tell me] the {f}[?| in JSON?| as JSON?] {s}
[Extract|Find|Read|Take|Please give me] [all facts|the details|everything|the data|all you can find] [to|into|as|in] JSON[:| from:| from this:] {s}
[Turn|Make|Write|Convert|Change] [this|the text|the sentence|it] [into|as|to] [JSON|a JSON object][:|.] {s}
{s} [In JSON|As JSON|To JSON|JSON], please[.|]
{s} [Make|Write|Now make|Please make] [JSON|a JSON object] [of|from] [this|that|it][.|]
[I want|We need|Please] JSON [of|from|for] [the following|this sentence|this text]: {s}`);
const KEYED = phrases(`
[Return|Give me|Write|Make|Extract|Answer with|Reply with] [JSON|a JSON object] with [the keys|the fields|keys|fields] {k}[:| for:| from:] {s}
{s} [Answer|Reply|Return|Respond] [in|with|as] JSON with [the keys|keys|the fields] {k}[.|]
[Extract|Find] {k} as JSON[:| from:] {s}
[Keys|Fields]: {k}. Text: {s}
[Make|Write|Give me|I want] [JSON|a JSON object] with [the keys |the fields |]{k} [from|out of|for] [this|the text|this sentence]: {s}
[Use|Take] the keys {k} and write JSON from this: {s}
{s} [Give me|Write|I want|Please return] [JSON|a JSON object] with [only |][the keys |the fields |]{k}[.|]
[JSON|A JSON object] with {k}: {s}
[Extract|Return|Convert] [as|to|in the format|in the form|like] {x}[:| for:| from:] {s}
{s} [Use|Follow|Answer in] the [format|form] {x}[.|]
[Format|Form|Template]: {x} Text: {s}`);
const BY_SCHEMA = phrases(`
[Extract the data|Extract|Answer|Return JSON|Extract JSON|Convert] [with|by|following|using|according to] [this|the] [schema|JSON schema] {j}: {s}
{s} [Use|Follow|Answer with|Answer in JSON with] [this|the] [schema|JSON schema][:|] {j}
[Schema|JSON schema]: {j} [Text|Sentence|Input]: {s}
{s} {j}`);
const SYSTEM_SCHEMA = phrases(`
[Answer|Reply|Respond|Extract data|You answer] [in|as|with] JSON [with|that follows|matching|by|following] [this|the] [schema|JSON schema]: {j}
[You extract data|Extract the user's data|Convert the text] [as|to|into] JSON[. Schema:| with the schema] {j}
[Here is|This is|Use] the [JSON schema|schema] [to follow|for your answer|of your answer][:|] {j}`);
const SYSTEM_JSON = phrases(`
[Answer|Reply|Respond|Always answer|Only answer] [in|with|as] JSON[.|| only.]
You [extract|return|answer with] [JSON|data as JSON][.|]`);
const BESIDE_SYSTEM = phrases(`
{s}
{s}
Extract[:|] {s}
[Text|Input|Sentence]: {s}`);

interface Extraction extends Exchange {
  readonly system?: string;
}

function extraction(random: Random): Extraction {
  const { sentence, fields } = drawRecord(random);
  const kind = random.next();
  const slots = { s: sentence, f: joined(Object.keys(fields)) };
  if (kind < 0.32) return { user: say(random, DEFAULT, slots), assistant: toJson(fields) };
  if (kind < 0.36)
    return {
      system: say(random, SYSTEM_JSON),
      user: say(random, BESIDE_SYSTEM, slots),
      assistant: toJson(fields),
    };
  const wanted = reshaped(random, fields);
  const assistant = toJson(wanted);
  if (kind < 0.64) {
    const sample: Record<string, Json> = {};
    for (const [key, value] of Object.entries(wanted))
      sample[key] = typeof value === 'number' ? 'integer' : 'string';
    return {
      user: say(random, KEYED, { ...slots, k: joined(Object.keys(wanted)), x: toJson(sample) }),
      assistant,
    };
  }
  const j = toJson(schemaOf(random, wanted));
  if (kind < 0.83) return { user: say(random, BY_SCHEMA, { ...slots, j }), assistant };
  return { system: say(random, SYSTEM_SCHEMA, { j }), user: say(random, BESIDE_SYSTEM, slots), assistant };
}

// Other names for the keys, another order, or one field less: what the request asks for is what counts.
function reshaped(
  random: Random,
  fields: Readonly<Record<string, string | number>>,
): Record<string, string | number> {
  let entries = Object.entries(fields).map(([key, value]): [string, string | number] => {
    if (random.chance(0.08)) return [inventWord(random, 1, 2), value];
    const others = RENAMED[key];
    return [others !== undefined && random.chance(0.5) ? random.pick(others) : key, value];
  });
  if (random.chance(0.3)) entries = random.sample(entries, entries.length);
  if (entries.length > 2 && random.chance(0.25)) entries = entries.slice(0, -1);
  return Object.fromEntries(entries);
}

function joined(keys: readonly string[]): string {
  return keys.length < 2
    ? keys.join('')
    : `${keys.slice(0, -1).join(', ')} and ${keys[keys.length - 1] ?? ''}`;
}

function emit(random: Random): readonly Piece[] {
  const first = extraction(random);
  const turns = [
    { role: 'user', text: first.user },
    { role: 'assistant', text: first.assistant },
  ] as { role: 'user' | 'assistant'; text: string }[];
  // Further requests may not lean on the system prompt's schema, so only chats without one go on.
  if (first.system !== undefined) return renderChat(turns, { system: first.system });
  while (turns.length < 8 && random.chance(0.5)) {
    const next = extraction(random);
    if (next.system !== undefined) break;
    turns.push({ role: 'user', text: next.user }, { role: 'assistant', text: next.assistant });
  }
  return renderChat(turns, { system: systemPrompt(random, 0.12) });
}

const ALL = phrases(`
[Extract|List|Return|Give me] [all|the] people as [JSON|a JSON list|a JSON array][:|] {s}
[Turn this into|Convert to] a JSON [list|array]: {s}`);

function peopleList(random: Random): readonly Piece[] {
  const people = Array.from({ length: random.between(2, 5) }, () => ({
    name: person(random),
    age: random.between(1, 99),
  }));
  const form = random.pick([
    '{n} is {a} years old.',
    '{n} is {a}.',
    '{n} ({a})',
    '{n}, {a} years',
    '{n}: {a}',
  ]);
  const s = people
    .map(({ name, age }) => form.replace('{n}', name).replace('{a}', String(age)))
    .join(random.pick([' ', '\n', ', ']));
  return renderChat(
    [
      { role: 'user', text: say(random, ALL, { s }) },
      { role: 'assistant', text: toJson(people) },
    ],
    { system: systemPrompt(random, 0.1) },
  );
}

export const extractionSkill: Skill = { name: 'extraction', share: 12, emit };
export const peopleListSkill: Skill = { name: 'people-list', share: 1.5, emit: peopleList };
