// Greetings, self-description, thanks, goodbyes and the other small change of a conversation.
import type { Exchange, Skill } from '../document.js';
import { INTENTS } from '../lists/intents.js';
import { casual } from '../manner.js';
import { say } from '../phrase.js';
import type { Random } from '../random.js';
import { chatSkill } from './chat.js';

// The first row rests on these, so they come up more often than the rest.
const FREQUENT = new Set(['greeting', 'identity', 'abilities', 'thanks', 'goodbye', 'how are you']);
const WEIGHTED = INTENTS.map((entry) => [entry, FREQUENT.has(entry.name) ? 3 : 1] as const);

/** One line of small talk and its answer. */
export function smallTalk(random: Random): Exchange {
  const chosen = random.weighted(WEIGHTED);
  return { user: casual(random, say(random, chosen.asks)), assistant: random.pick(chosen.answers) };
}

export const smalltalkSkill: Skill = chatSkill('smalltalk', 12, smallTalk);
