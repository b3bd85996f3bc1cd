// The arguments that invented tools can take: what a parameter may be called, what values it has and how people
// mention it in a sentence. A tool's sentence is its verb and noun followed by the mentions of its slots.
import {
  anyName,
  city,
  clockTime,
  email,
  inventWord,
  person,
  plural,
  shortPhrase,
  word,
} from '../../invent.js';
import { COLOURS, DAYS, MONTHS, THINGS } from '../../lists/nouns.js';
import { TOOL_UNITS } from '../../lists/tool-words.js';
import type { Random } from '../../random.js';
import type { Json, ToolParameter } from '../../render.js';

/** One argument: its parameter, its value, and the words that say it. */
export interface Slot {
  readonly key: string;
  readonly parameter: ToolParameter;
  readonly value: Json;
  readonly mention: string;
  /** True if the key has nothing to do with the value: then the order of the parameters is the only clue. */
  readonly renamed?: boolean;
}

type SlotMaker = (random: Random) => Slot;

function text(key: string, value: string, mention: string): Slot {
  return { key, parameter: { type: 'string' }, value, mention };
}

const place: SlotMaker = (random) => {
  const value = city(random);
  return text(
    random.pick(['city', 'place', 'location', 'town', 'destination', 'address', 'where']),
    value,
    `${random.pick(['in', 'in', 'at', 'near'])} ${value}`,
  );
};

const goal: SlotMaker = (random) => {
  const value = random.chance(0.6) ? city(random) : word(random);
  return text(random.pick(['destination', 'to', 'target', 'goal', 'end']), value, `to ${value}`);
};

const origin: SlotMaker = (random) => {
  const value = random.chance(0.7) ? city(random) : word(random);
  return text(random.pick(['origin', 'from', 'source', 'start']), value, `from ${value}`);
};

const someone: SlotMaker = (random) => {
  const value = person(random);
  const key = random.pick([
    'name',
    'person',
    'user',
    'customer',
    'recipient',
    'guest',
    'owner',
    'client',
    'who',
    'friend',
    'member',
  ]);
  return text(
    key,
    value,
    random.pick([`for ${value}`, `for ${value}`, `to ${value}`, `with ${value}`, `of ${value}`]),
  );
};

const mail: SlotMaker = (random) => {
  const value = email(random);
  return text(
    random.pick(['email', 'address', 'to', 'recipient', 'mail']),
    value,
    random.pick([`to ${value}`, `for ${value}`]),
  );
};

const day: SlotMaker = (random) => {
  const value = random.chance(0.7) ? random.pick(DAYS) : `${random.between(1, 28)} ${random.pick(MONTHS)}`;
  return text(random.pick(['day', 'date', 'weekday', 'when']), value, `on ${value}`);
};

const time: SlotMaker = (random) => {
  const value = clockTime(random);
  return text(random.pick(['time', 'hour', 'start_time', 'at', 'when']), value, `at ${value}`);
};

const colour: SlotMaker = (random) => {
  const value = random.pick(COLOURS);
  return text(
    random.pick(['color', 'colour', 'shade', 'tint']),
    value,
    random.pick([`in ${value}`, `in ${value}`, `${value}`, `with the colour ${value}`]),
  );
};

const label: SlotMaker = (random) => {
  const value = random.chance(0.4) ? person(random) : shortPhrase(random, 2);
  return text(
    random.pick(['name', 'title', 'label', 'text', 'note', 'message', 'subject']),
    value,
    random.pick([
      `called ${value}`,
      `named ${value}`,
      `titled ${value}`,
      `with the text ${value}`,
      `saying ${value}`,
    ]),
  );
};

const topic: SlotMaker = (random) => {
  const value = shortPhrase(random, 3);
  return text(
    random.pick(['topic', 'subject', 'query', 'theme', 'about']),
    value,
    random.pick([`about ${value}`, `about ${value}`, `on ${value}`]),
  );
};

const amount: SlotMaker = (random) => {
  const unit = random.chance(0.65)
    ? random.pick(TOOL_UNITS)
    : plural(random.chance(0.7) ? random.pick(THINGS) : inventWord(random, 1, 2));
  const value = random.chance(0.75) ? random.between(2, 60) : random.between(61, 999);
  const key = random.chance(0.75) ? unit : random.pick([`number_of_${unit}`, `${unit}_count`, `num_${unit}`]);
  const type = random.pick(['integer', 'integer', 'number']);
  return {
    key,
    parameter: { type },
    value,
    mention: random.pick([
      `for ${value} ${unit}`,
      `with ${value} ${unit}`,
      `with ${value} ${unit}`,
      `${value} ${unit}`,
      `of ${value} ${unit}`,
    ]),
  };
};

const MEASURES = [
  'level',
  'number',
  'quantity',
  'amount',
  'count',
  'size',
  'speed',
  'volume',
  'limit',
  'price',
  'width',
  'height',
  'temperature',
  'id',
  'floor',
  'age',
  'year',
] as const;

const count: SlotMaker = (random) => {
  const key = random.chance(0.5) ? random.pick(MEASURES) : anyName(random, 0.3);
  const value = random.between(1, random.chance(0.2) ? 2999 : random.chance(0.5) ? 99 : 500);
  return {
    key,
    parameter: { type: random.pick(['integer', 'integer', 'number']) },
    value,
    mention: random.pick([
      `with ${key} ${value}`,
      `to ${key} ${value}`,
      `on ${key} ${value}`,
      `at ${key} ${value}`,
      `with a ${key} of ${value}`,
      `with ${key} ${value}`,
    ]),
  };
};

const named: SlotMaker = (random) => {
  const key = anyName(random, 0.35);
  if (random.chance(0.4)) {
    const value = random.between(0, 999);
    return {
      key,
      parameter: { type: 'integer' },
      value,
      mention: random.pick([
        `with ${key} ${value}`,
        `${key} ${value}`,
        `${key}=${value}`,
        `${key}: ${value}`,
      ]),
    };
  }
  const value = random.chance(0.5) ? word(random) : person(random);
  return text(
    key,
    value,
    random.pick([
      `with ${key} ${value}`,
      `with the ${key} ${value}`,
      `in the ${key} ${value}`,
      `and ${key} ${value}`,
      `using ${key} ${value}`,
      `${key}: ${value}`,
    ]),
  );
};

const choice: SlotMaker = (random) => {
  const [key, choices] = random.pick([
    ['unit', ['celsius', 'fahrenheit']],
    ['size', ['small', 'medium', 'large']],
    ['mode', ['fast', 'slow', 'auto']],
    ['priority', ['low', 'normal', 'high']],
    ['state', ['on', 'off']],
    ['format', ['pdf', 'text', 'html']],
    ['speed', ['slow', 'fast']],
    ['direction', ['north', 'south', 'east', 'west']],
    ['class', ['first', 'second']],
  ] as const);
  const value = random.pick<string>(choices);
  return {
    key,
    parameter: { type: 'string', choices },
    value,
    mention: random.pick([`with ${key} ${value}`, `in ${value} ${key}`, `${key} ${value}`]),
  };
};

const flag: SlotMaker = (random) => {
  const key = random.pick(['urgent', 'private', 'silent', 'public', 'active', 'express', 'fragile', 'loud']);
  const value = random.chance(0.6);
  return {
    key,
    parameter: { type: 'boolean' },
    value,
    mention: value ? random.pick([`and make it ${key}`, `, ${key}`]) : `, not ${key}`,
  };
};

const SLOTS: readonly (readonly [SlotMaker, number])[] = [
  [place, 3],
  [goal, 1.5],
  [origin, 1],
  [someone, 4],
  [mail, 1],
  [day, 2],
  [time, 1.5],
  [colour, 2],
  [label, 3],
  [topic, 1.5],
  [amount, 5],
  [count, 2],
  [named, 4],
  [choice, 1.5],
  [flag, 0.5],
];

// Another key for a value whose mention does not say it: only the tool's parameters tell what it is called.
function renamed(random: Random, slot: Slot): Slot {
  if (slot.mention.includes(slot.key) || slot.parameter.choices !== undefined) return slot;
  const key = anyName(random, 0.35);
  return { ...slot, key: random.chance(0.15) ? `${key}_${anyName(random, 0.2)}` : key, renamed: true };
}

/** Some slots with different keys; a flag, which ends a sentence, comes last. */
export function drawSlots(random: Random, most = 3): readonly Slot[] {
  const wanted = random.weighted([
    [1, 5],
    [2, 5],
    [3, 2],
  ] as const);
  const slots: Slot[] = [];
  for (let tries = 0; tries < 12 && slots.length < Math.min(wanted, most); tries += 1) {
    const usual = random.weighted(SLOTS)(random);
    const slot = random.chance(0.4) ? renamed(random, usual) : usual;
    const clashes = slots.some(
      (other) =>
        other.key === slot.key ||
        (other.mention.split(' ')[0] === slot.mention.split(' ')[0] && random.chance(0.6)),
    );
    if (!clashes || (tries > 6 && !slots.some((other) => other.key === slot.key))) slots.push(slot);
  }
  return slots.sort(
    (one, other) => Number(typeof one.value === 'boolean') - Number(typeof other.value === 'boolean'),
  );
}
