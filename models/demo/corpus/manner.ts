// How people type: casing, missing or doubled punctuation, politeness; and the system prompts that come before.

import { givenName } from './invent.js';
import { DAYS } from './lists/nouns.js';
import { type Phrase, phrases, say } from './phrase.js';
import type { Random } from './random.js';

const BEFORE: readonly Phrase[] = phrases(`
[Please |]tell me[:| this:]
[Quick|Small|One|Next|Another|My] question:
[Hey|Hi|Hello|Hi there|Ok|OK|So|Well|Now|And|Right|Alright][,|!|.]
[Can|Could] you help[| me]?
I [need|want] [your |]help.
[Excuse me|Sorry][,|.]
I am curious[:|.]
[Let's see|Let me think|Hmm|Um][:|,|...]
Please answer:
[I have|Here is] a question[:|.]`);

const AFTER: readonly Phrase[] = phrases(`
[Please|please][.|!|]
[Thanks|Thank you|thanks|Cheers][.|!|]
[I need it|I want to know|I forgot|Tell me|Go on][.|]`);

/** Casing and punctuation as typed in a hurry; use only where the answer does not copy the casing. */
export function casual(random: Random, text: string): string {
  let typed = text;
  const casing = random.next();
  if (casing < 0.16) typed = typed.toLowerCase();
  else if (casing < 0.19) typed = typed.toUpperCase();
  return loose(random, typed);
}

/** Punctuation and politeness only: what is written in the text stays as it is. */
export function loose(random: Random, text: string): string {
  let typed = text;
  const ending = random.next();
  if (ending < 0.2) typed = typed.replace(/[?.!]+$/, '');
  else if (ending < 0.24)
    typed = typed.replace(/[?.!]+$/, '') + random.pick(['??', ' ?', '!', '...', ' !', '?!', '.']);
  const manner = random.next();
  if (manner < 0.07) typed = `${say(random, BEFORE)} ${typed}`;
  else if (manner < 0.12) typed += ` ${say(random, AFTER)}`;
  return typed;
}

const SYSTEMS: readonly Phrase[] = phrases(`
You are a [helpful|friendly|polite|useful|kind|concise|careful] [assistant|AI assistant|chatbot|model|AI][.|]
[Be|Please be|Always be] [brief|short|concise|polite|helpful|correct|honest][.|]
[Answer|Reply|Respond] [briefly|shortly|in one sentence|in plain text|in English|truthfully|politely][.|]
You are Koine Demo, a small demo model.
[Help|Assist] the user[.| with their questions.]
[You answer|Answer] the user's questions[.| as well as you can.]
[Follow|Do] what the user asks.
You are a test [assistant|bot|model].`);

/** A system prompt, or none as most chats have. */
export function systemPrompt(random: Random, probability = 0.3): string | undefined {
  if (!random.chance(probability)) return undefined;
  let system = say(random, SYSTEMS);
  if (random.chance(0.06)) system += ` The user's name is ${givenName(random)}.`;
  if (random.chance(0.05)) system += ` Today is ${random.pick(DAYS)}.`;
  return system;
}
