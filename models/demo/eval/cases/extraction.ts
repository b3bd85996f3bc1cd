// JSON from sentences about people and things that the corpus does not name.
import { HELD_CITIES, HELD_NAMES, HELD_WORDS } from '../../corpus/heldout.js';
import { HELD_PHRASINGS } from '../../corpus/heldout-phrasings.js';
import { around, type Case, fill, isJson, user } from '../case.js';
import type { Message } from '../client.js';

type Fields = Readonly<Record<string, string | number>>;

interface Fact {
  readonly sentence: string;
  readonly fields: Fields;
}

function fact(i: number): Fact {
  const name = around(HELD_NAMES, i);
  const city = around(HELD_CITIES, i);
  const product = around(HELD_WORDS, i);
  const age = 11 + ((i * 17) % 80);
  return around<Fact>(
    [
      { sentence: `${name} is ${age} years old.`, fields: { name, age } },
      { sentence: `${name} lives in ${city}.`, fields: { name, city } },
      { sentence: `The ${product} costs ${age} euros.`, fields: { product, price: age } },
      { sentence: `${name} is ${age} years old and lives in ${city}.`, fields: { name, age, city } },
      {
        sentence: `${name} is ${age} years old and works as a teacher.`,
        fields: { name, age, job: 'teacher' },
      },
    ],
    i,
  );
}

const RENAMED: Readonly<Record<string, string>> = {
  name: 'full_name',
  age: 'years',
  city: 'town',
  product: 'item',
  price: 'cost',
  job: 'profession',
};

function renamed(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [RENAMED[key] ?? key, value]));
}

function schema(fields: Fields): string {
  const properties = Object.entries(fields).map(
    ([key, value]) => `"${key}": {"type": "${typeof value === 'number' ? 'integer' : 'string'}"}`,
  );
  return `{"type": "object", "properties": {${properties.join(', ')}}, "required": [${Object.keys(fields)
    .map((key) => `"${key}"`)
    .join(', ')}]}`;
}

function joined(keys: readonly string[]): string {
  return keys.length < 2
    ? keys.join('')
    : `${keys.slice(0, -1).join(', ')} and ${keys[keys.length - 1] ?? ''}`;
}

/** All cases of this file. */
export function extractionCases(): Case[] {
  return Array.from({ length: 60 }, (_, i): Case => {
    const { sentence, fields } = fact(i);
    const kind = i % 4;
    const wanted = kind === 0 ? fields : i % 3 === 0 ? fields : renamed(fields);
    const messages: Message[] = around(
      [
        [user(fill(around(HELD_PHRASINGS.extract, Math.floor(i / 4)), { s: sentence }))],
        [user(fill(around(HELD_PHRASINGS.extractKeys, i), { s: sentence, k: joined(Object.keys(wanted)) }))],
        [
          {
            role: 'system',
            content: `Always answer with JSON that fits this schema: ${schema(wanted)}`,
          } as const,
          user(sentence),
        ],
        [user(`Extract the facts with this JSON schema: ${schema(wanted)} Text: ${sentence}`)],
      ],
      kind,
    );
    return {
      row: kind < 2 ? 'JSON extraction, keys by name' : 'JSON extraction, by schema',
      shown: messages.map(({ content }) => content).join(' / '),
      ask: { kind: 'chat', messages },
      isRight: isJson(wanted),
    };
  });
}
