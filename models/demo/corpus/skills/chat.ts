// Turns single exchanges into chats of one or more turns, which is how most skills are taught: several answers share
// one context, so more of each document is text to be learned.
import type { Exchange, Piece, Skill } from '../document.js';
import { systemPrompt } from '../manner.js';
import type { Random } from '../random.js';
import { renderChat, turnsOf } from '../render.js';

/** Makes one exchange. */
export type ExchangeMaker = (random: Random) => Exchange;

/** How a skill's chats are put together. */
export interface ChatShape {
  /** Chance that another exchange follows. */
  readonly more?: number;
  /** Most exchanges in one chat. */
  readonly most?: number;
}

/** A skill whose documents are chats of its own exchanges. */
export function chatSkill(name: string, share: number, make: ExchangeMaker, shape: ChatShape = {}): Skill {
  return { name, share, emit: (random) => chatOf(random, make, shape) };
}

/** A chat of exchanges from one maker. */
export function chatOf(
  random: Random,
  make: ExchangeMaker,
  { more = 0.55, most = 5 }: ChatShape = {},
): readonly Piece[] {
  const exchanges = [make(random)];
  while (exchanges.length < most && random.chance(more)) exchanges.push(make(random));
  return renderChat(turnsOf(exchanges), { system: systemPrompt(random) });
}
