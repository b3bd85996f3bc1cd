// The stream of documents for a seed: document i of seed s is always the same, whatever was drawn before it.
import type { Piece, Skill } from './document.js';
import { mentionsHeld } from './heldout.js';
import { asksHeldWording } from './heldout-wording.js';
import { createRandom } from './random.js';
import { SKILLS } from './skills/index.js';

/** A finished document. */
export interface CorpusDocument {
  readonly skill: string;
  readonly pieces: readonly Piece[];
}

/** Skills with the relative number of documents each gets. */
export type Shares = readonly (readonly [Skill, number])[];

const SEED_STRIDE = 4294967296;
const SHARES: Shares = SKILLS.map((skill) => [skill, skill.share] as const);

/** Factors on the shares of some skills. */
export type Boost = Readonly<Record<string, number>>;

/** Draws document number `index` of a seed. */
export function drawDocument(seed: number, index: number, shares = SHARES): CorpusDocument {
  const random = createRandom(seed * SEED_STRIDE + index);
  for (;;) {
    const skill = random.weighted(shares);
    const pieces = skill.emit(random).filter(([text]) => text !== '');
    // Lists are checked by hand and inventions at their source; this catches what two pieces make together.
    const text = pieces.map(([part]) => part).join('');
    if (!mentionsHeld(text) && !asksHeldWording(text)) return { skill: skill.name, pieces };
  }
}

/** The usual shares with some of them boosted; an unknown skill is an error. */
export function boostedShares(boost: Boost): Shares {
  const unknown = Object.keys(boost).filter((name) => !SKILLS.some((skill) => skill.name === name));
  if (unknown.length > 0) throw new Error(`no such skill: ${unknown.join(', ')}`);
  return SKILLS.map((skill) => [skill, skill.share * (boost[skill.name] ?? 1)] as const);
}
