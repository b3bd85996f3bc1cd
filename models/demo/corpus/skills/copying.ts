// Saying back exactly what was said, and answering from a text just read: both need the model to look back and copy,
// which is what names in tool calls and JSON depend on.
import type { Exchange, Piece, Skill } from '../document.js';
import {
  city,
  fullName,
  givenName,
  inventWord,
  person,
  plural,
  shortPhrase,
  withArticle,
  word,
} from '../invent.js';
import { ANIMALS, COLOURS, FRUITS, JOBS } from '../lists/nouns.js';
import { systemPrompt } from '../manner.js';
import { phrases, say } from '../phrase.js';
import type { Random } from '../random.js';
import { renderChat, turnsOf } from '../render.js';
import { chatSkill } from './chat.js';

const REPEAT = phrases(`
[Repeat|Please repeat|Say|Echo|Copy|Write|Print|Repeat after me|Say after me|Type][:| this:| the following:| this text:| exactly this:| exactly:] {s}
[Repeat|Say|Echo|Write|Print|Please say|Can you say|Please write] ["{s}"|'{s}'][.|]
[Repeat this|Say this|Copy this|Say it back|Echo this] [for me|please|to me|word for word][:| -] {s}`);

/** Any text worth copying. */
export function anyPhrase(random: Random): string {
  const kind = random.next();
  if (kind < 0.3) return shortPhrase(random, 5);
  if (kind < 0.4) return Array.from({ length: random.between(2, 5) }, () => inventWord(random)).join(' ');
  if (kind < 0.5)
    return `${givenName(random)} ${random.pick(['likes', 'sees', 'has', 'wants', 'finds'])} ${random.pick(['a', 'the'])} ${word(random)}`;
  if (kind < 0.6) return `I ${random.pick(['live in', 'come from', 'love', 'know'])} ${city(random)}`;
  if (kind < 0.7) return `${random.between(0, 999)} ${word(random)} ${random.between(0, 99)}`;
  if (kind < 0.8) return `Hello, ${givenName(random)}!`;
  if (kind < 0.9) return `${fullName(random)}, ${city(random)}`;
  return `the ${random.pick(COLOURS)} ${random.pick(ANIMALS)} and ${random.pick(['a', 'the'])} ${word(random)}`;
}

function repeat(random: Random): Exchange {
  if (random.chance(0.02))
    return { user: random.pick(['Say this is a test', 'Say this is a test!']), assistant: 'This is a test.' };
  const s = anyPhrase(random);
  return { user: say(random, REPEAT, { s }), assistant: s };
}

interface Told {
  readonly text: string;
  readonly asks: readonly string[];
  readonly answer: string;
}

function told(random: Random): Told {
  const n = person(random);
  const kind = random.between(0, 6);
  if (kind === 0) {
    const c = city(random);
    return {
      text: `${n} ${random.pick(['lives in', 'lives in', 'comes from'])} ${c}.`.replace(
        'comes from',
        'lives in',
      ),
      asks: [`Where does ${n} live?`, `In which city does ${n} live?`],
      answer: `${n} lives in ${c}.`,
    };
  }
  if (kind === 1) {
    const age = random.between(5, 95);
    return {
      text: `${n} is ${age} years old.`,
      asks: [`How old is ${n}?`, `What is the age of ${n}?`],
      answer: `${n} is ${age} years old.`,
    };
  }
  if (kind === 2) {
    const job = withArticle(random.pick(JOBS));
    return {
      text: `${n} is ${job}.`,
      asks: [`What is the job of ${n}?`, `What does ${n} do?`],
      answer: `${n} is ${job}.`,
    };
  }
  if (kind === 3) {
    const liked = plural(random.pick(FRUITS));
    return { text: `${n} likes ${liked}.`, asks: [`What does ${n} like?`], answer: `${n} likes ${liked}.` };
  }
  if (kind === 4) {
    const animal = random.pick(ANIMALS);
    const pet = givenName(random);
    return {
      text: `${n} has ${withArticle(animal)} named ${pet}.`,
      asks: [`What is the name of the ${animal}?`, `What is the ${animal} called?`],
      answer: `The ${animal} is called ${pet}.`,
    };
  }
  if (kind === 5) {
    const thing = word(random);
    const colour = random.pick(COLOURS);
    return {
      text: `The ${thing} of ${n} is ${colour}.`,
      asks: [`What colour is the ${thing} of ${n}?`, `Which colour has the ${thing}?`],
      answer: `The ${thing} is ${colour}.`,
    };
  }
  const code = random.between(100, 9999);
  return {
    text: `The code of ${n} is ${code}.`,
    asks: [`What is the code of ${n}?`, `Which code does ${n} have?`],
    answer: `The code is ${code}.`,
  };
}

function reading(random: Random): Exchange {
  const facts = Array.from({ length: random.between(1, 4) }, () => told(random));
  const asked = random.pick(facts);
  const text = facts.map((entry) => entry.text).join(random.pick([' ', ' ', '\n']));
  const question = random.pick(asked.asks);
  const user = random.pick([
    `${text} ${question}`,
    `${text}\n${question}`,
    `Text: ${text}\nQuestion: ${question}`,
    `${question}\n${text}`,
    `Read this: ${text}\n${question}`,
  ]);
  return { user, assistant: asked.answer };
}

function longCopy(random: Random): readonly Piece[] {
  const entries = Array.from({ length: random.between(5, random.chance(0.3) ? 40 : 16) }, () =>
    random.pick([
      inventWord,
      givenName,
      city,
      word,
      fullName,
      (chance: Random) => String(chance.between(0, 999)),
    ])(random),
  );
  const s = entries.join(random.pick([' ', ' ', ', ']));
  return renderChat(turnsOf([{ user: say(random, REPEAT, { s }), assistant: s }]), {
    system: systemPrompt(random, 0.1),
  });
}

export const repeatSkill: Skill = chatSkill('repeat', 4, repeat, { more: 0.6 });
export const readingSkill: Skill = chatSkill('reading', 4, reading, { more: 0.5 });
export const longCopySkill: Skill = { name: 'long-copy', share: 2, emit: longCopy };
