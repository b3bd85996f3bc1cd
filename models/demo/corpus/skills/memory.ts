// What was said earlier in the same chat: the user's name, city, colour, pet. Other talk lies in between.
import type { Exchange, Piece, Skill } from '../document.js';
import { city, givenName, plural, withArticle } from '../invent.js';
import { ANIMALS, COLOURS, FRUITS, JOBS } from '../lists/nouns.js';
import { casual, loose, systemPrompt } from '../manner.js';
import { phrases, say } from '../phrase.js';
import type { Random } from '../random.js';
import { renderChat, turnsOf } from '../render.js';
import { numberQuestion } from './arithmetic.js';
import { capitalQuestion } from './capitals.js';
import { languageQuestion } from './language.js';
import { smallTalk } from './smalltalk.js';

const TELL_NAME = phrases(`
[My name is|I am|I'm|Call me|You can call me|They call me|People call me|This is] {n}[.|!|]
[Hello|Hi|Hey|Good morning|Good evening][,|!|.] [my name is|I am|I'm|this is] {n}[.|!|]
[Hello|Hi|Hey][,|!|.] {n} here[.|!|]
[Hello|Hi], [I am|my name is] {n}[.|,] [nice to meet you|and you?|how are you?|who are you?][!||]
[Please remember that|Remember:|Remember that|Note that|Just so you know,] my name is {n}[.|]
{n} is [my name|what they call me|how I am called][.|!|]
[Well|So|OK|Ah], [I am|my name is|I'm|call me] {n}[.|, hello.|, nice to be here.|]
[Hello|Hi|Hey] [bot|model|there|friend|assistant], [I am|my name is|you may call me|people call me] {n}[.|!|]
My [first |]name is {n}[, remember that.|, please remember it.|, do not forget it.]`);
const ASK_NAME = phrases(`
[What is|What's|Tell me|Say|Do you know|Do you remember|Can you tell me|Remind me of|Do you still know] my name[?|.|]
[Who am I|What am I called|How am I called|What did I say my name was|Which name did I give you|What name did I tell you|What was my name][?| again?|]
[And what|So what|Now what|And who|Now tell me, what] [is my name|am I called][?|]
[Do you remember|Can you remember|Do you know|Tell me] who I am[?|.|]
[What|Which] name [do I have|is mine|did you hear|have I told you|belongs to me|did I mention|did I give|did I use|am I called by|have I got][?|| at first?| before?| earlier?]
[And|Then|Now|OK,] [what am I called|say my name|who am I][?|.|]
[Please|Now|Can you] [say|repeat|write|tell me] my name[.|?| again.|]`);

interface Fact {
  readonly tell: string;
  readonly told: string;
  readonly ask: string;
  readonly answer: string;
}

function otherFact(random: Random): Fact {
  const kind = random.between(0, 4);
  if (kind === 0) {
    const c = city(random);
    return {
      tell: random.pick([`I live in ${c}.`, `My home is ${c}.`, `I am from ${c}.`]),
      told: `${c} sounds nice.`,
      ask: random.pick(['Where do I live?', 'Which city do I live in?', 'Where is my home?']),
      answer: `You live in ${c}.`,
    };
  }
  if (kind === 1) {
    const o = random.pick(COLOURS);
    return {
      tell: random.pick([`My favourite colour is ${o}.`, `I like the colour ${o}.`]),
      told: `${o.slice(0, 1).toUpperCase()}${o.slice(1)} is a nice colour.`,
      ask: random.pick(['What is my favourite colour?', 'Which colour do I like?']),
      answer: `Your favourite colour is ${o}.`,
    };
  }
  if (kind === 2) {
    const animal = random.pick(ANIMALS);
    const pet = givenName(random);
    return {
      tell: random.pick([`I have ${withArticle(animal)} named ${pet}.`, `My ${animal} is called ${pet}.`]),
      told: `${pet} is a nice name for ${withArticle(animal)}.`,
      ask: random.pick([`What is the name of my ${animal}?`, `What is my ${animal} called?`]),
      answer: `Your ${animal} is called ${pet}.`,
    };
  }
  if (kind === 3) {
    const f = plural(random.pick(FRUITS));
    return {
      tell: `I like ${f}.`,
      told: `I see, you like ${f}.`,
      ask: random.pick(['What do I like?', 'Which fruit do I like?']),
      answer: `You like ${f}.`,
    };
  }
  const j = withArticle(random.pick(JOBS));
  return {
    tell: random.pick([`I am ${j}.`, `I work as ${j}.`]),
    told: `I see, you are ${j}.`,
    ask: random.pick(['What is my job?', 'What do I do for work?']),
    answer: `You are ${j}.`,
  };
}

/** Somebody gives a name, and is greeted by it. */
export function introduction(random: Random, n: string): Exchange {
  return {
    user: loose(random, say(random, TELL_NAME, { n })),
    assistant: `Hello, ${n}! How can I help you?`,
  };
}

function between(random: Random): Exchange[] {
  const count = random.weighted([
    [0, 2],
    [1, 4],
    [2, 4],
    [3, 2],
    [5, 1],
  ] as const);
  return Array.from({ length: count }, () =>
    random.pick([smallTalk, capitalQuestion, numberQuestion, languageQuestion])(random),
  );
}

function emit(random: Random): readonly Piece[] {
  const n = givenName(random);
  const exchanges = [introduction(random, n)];
  const fact = random.chance(0.35) ? otherFact(random) : undefined;
  if (fact !== undefined) exchanges.push({ user: fact.tell, assistant: fact.told });
  exchanges.push(...between(random));
  exchanges.push({ user: casual(random, say(random, ASK_NAME)), assistant: `Your name is ${n}.` });
  if (fact !== undefined)
    exchanges.push(...between(random).slice(0, 1), {
      user: casual(random, fact.ask),
      assistant: fact.answer,
    });
  return renderChat(turnsOf(exchanges), { system: systemPrompt(random, 0.2) });
}

function unknownName(random: Random): readonly Piece[] {
  const exchanges = [
    ...between(random),
    { user: casual(random, say(random, ASK_NAME)), assistant: 'You have not told me your name yet.' },
  ];
  return renderChat(turnsOf(exchanges), {
    system: systemPrompt(random, 0.2)?.replace(/ The user's name is .*?\./, ''),
  });
}

export const memorySkill: Skill = { name: 'memory', share: 4.5, emit };
export const unknownNameSkill: Skill = { name: 'unknown-name', share: 0.5, emit: unknownName };
