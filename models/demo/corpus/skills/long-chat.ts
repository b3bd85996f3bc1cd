// Long conversations over everything, so that far positions are met in training and late answers stay right.
import type { Exchange, Piece, Skill } from '../document.js';
import { givenName } from '../invent.js';
import { systemPrompt } from '../manner.js';
import type { Random } from '../random.js';
import { renderChat, turnsOf } from '../render.js';
import { numberQuestion } from './arithmetic.js';
import { capitalQuestion } from './capitals.js';
import { languageQuestion } from './language.js';
import { introduction } from './memory.js';
import { refusal } from './refusals.js';
import { smallTalk } from './smalltalk.js';
import { storyRequest } from './stories.js';

const MAKERS = [
  [smallTalk, 4],
  [capitalQuestion, 4],
  [numberQuestion, 4],
  [languageQuestion, 5],
  [refusal, 1],
  [storyRequest, 0.3],
] as const;

function mixed(random: Random, rounds: number): Exchange[] {
  return Array.from({ length: rounds }, () => random.weighted<(random: Random) => Exchange>(MAKERS)(random));
}

function long(random: Random): readonly Piece[] {
  const name = givenName(random);
  const exchanges = [
    introduction(random, name),
    ...mixed(random, random.chance(0.8) ? random.between(15, 60) : random.between(60, 180)),
  ];
  exchanges.push({ user: 'What is my name?', assistant: `Your name is ${name}.` });
  return renderChat(turnsOf(exchanges), { system: systemPrompt(random) });
}

export const mixedChatSkill: Skill = {
  name: 'mixed-chat',
  share: 4,
  emit: (random) =>
    renderChat(turnsOf(mixed(random, random.between(3, 8))), { system: systemPrompt(random) }),
};
export const longChatSkill: Skill = { name: 'long-chat', share: 0.1, emit: long };
