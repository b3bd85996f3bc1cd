// Small talk, refusals, memory of a name, and thinking only when asked.
import { HELD_NAMES } from '../../corpus/heldout.js';
import { HELD_BEYOND, HELD_PHRASINGS, HELD_TALK } from '../../corpus/heldout-phrasings.js';
import { around, assistant, type Case, contains, endsInNumber, fill, question, user } from '../case.js';
import type { Reply } from '../client.js';
import { heldPairs } from './numbers.js';

const CAPITALS = [
  ['France', 'Paris'],
  ['Japan', 'Tokyo'],
  ['Kenya', 'Nairobi'],
  ['Peru', 'Lima'],
  ['Norway', 'Oslo'],
  ['Canada', 'Ottawa'],
  ['Egypt', 'Cairo'],
  ['Cuba', 'Havana'],
  ['Greece', 'Athens'],
  ['Poland', 'Warsaw'],
] as const;

function smallTalk(): Case[] {
  return HELD_TALK.map(([wording, expected]) =>
    question('greetings and self-description', wording, contains(expected)),
  );
}

function refusals(): Case[] {
  return HELD_BEYOND.map((wording) => question('says that it cannot', wording, contains('small demo model')));
}

function memory(): Case[] {
  return Array.from({ length: 40 }, (_, i): Case => {
    const n = around(HELD_NAMES, i);
    const [country, capital] = around(CAPITALS, i);
    const messages = [
      user(fill(around(HELD_PHRASINGS.introduce, i), { n })),
      assistant(`Hello, ${n}! How can I help you?`),
      user(`What is the capital of ${country}?`),
      assistant(`The capital of ${country} is ${capital}.`),
      ...(i % 2 === 0 ? [user('Thanks!'), assistant('You are welcome!')] : []),
      user(around(HELD_PHRASINGS.askName, i + Math.floor(i / 4))),
    ];
    return {
      row: 'memory of a name two turns before',
      shown: messages.map(({ content }) => content).join(' / '),
      ask: { kind: 'chat', messages },
      isRight: contains(n),
    };
  });
}

/** True if the reply has thoughts, parsed apart or still in the text. */
function hasThought({ reasoning, text }: Reply): boolean {
  return reasoning.trim() !== '' || text.includes('<think>');
}

// What comes after the thought, for servers that leave it in the text.
function afterThought(reply: Reply): Reply {
  return { ...reply, text: reply.text.replace(/^[\s\S]*<\/think>/, '') };
}

function thinking(): Case[] {
  const asked: readonly (readonly [string, (reply: Reply) => boolean])[] = [
    ...Array.from({ length: 15 }, (_, i) => {
      const [country, capital] = around(CAPITALS, i);
      return [fill(around(HELD_PHRASINGS.capital, i), { c: country }), contains(capital)] as const;
    }),
    ...heldPairs('+', 15, 3).map(
      ([a, b], i) => [fill(around(HELD_PHRASINGS.add, i), { a, b }), endsInNumber(a + b)] as const,
    ),
    ...heldPairs('-', 10, 4).map(
      ([a, b], i) => [fill(around(HELD_PHRASINGS.subtract, i), { a, b }), endsInNumber(a - b)] as const,
    ),
  ];
  return asked.flatMap(([text, isRight]): Case[] => [
    {
      row: 'thinks first when asked to',
      shown: text,
      ask: { kind: 'chat', messages: [user(text)], thinking: true },
      isRight: (reply) => hasThought(reply) && isRight(afterThought(reply)),
    },
    {
      row: 'does not think otherwise',
      shown: text,
      ask: { kind: 'chat', messages: [user(text)] },
      isRight: (reply) => !hasThought(reply) && isRight(reply),
    },
  ]);
}

/** All cases of this file. */
export function talkCases(): Case[] {
  return [...smallTalk(), ...refusals(), ...memory(), ...thinking()];
}
