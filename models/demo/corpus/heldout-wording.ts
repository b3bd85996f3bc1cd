// Tells whether a document asks something in a wording that is left to the evaluation, whatever casing and punctuation.
import { HELD_BEYOND, HELD_PHRASINGS, HELD_SENTENCES, HELD_TALK } from './heldout-phrasings.js';

const WORDINGS = [
  ...HELD_TALK.map(([wording]) => wording),
  ...HELD_BEYOND,
  ...Object.values(HELD_PHRASINGS).flat(),
].map(lettersOnly);
const FIXED: ReadonlySet<string> = new Set(WORDINGS.filter((wording) => !wording.includes('{')));
const SLOTTED = anyOf(WORDINGS.filter((wording) => wording.includes('{')));
const SENTENCES = anyOf(HELD_SENTENCES.flat().map(lettersOnly));
const LONGEST = 90;

/** True if a user's message in the text has a held-out wording. */
export function asksHeldWording(text: string): boolean {
  for (const match of text.matchAll(/<\|im_start\|>user\n([\s\S]*?)<\|im_end\|>/g)) {
    const message = match[1] ?? '';
    if (message.length > LONGEST) continue;
    const plain = lettersOnly(message);
    if (FIXED.has(plain) || SLOTTED.test(plain)) return true;
  }
  return false;
}

/** True if the text is a sentence of the evaluation of embeddings, whatever its names and numbers. */
export function isHeldSentence(text: string): boolean {
  return SENTENCES.test(lettersOnly(text));
}

function anyOf(wordings: readonly string[]): RegExp {
  const forms = wordings.map((wording) => wording.replace(/\{\w+\}/g, '[^ ]+(?: [^ ]+){0,2}'));
  return new RegExp(`^(?:${forms.join('|')})$`);
}

function lettersOnly(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}{}]+/gu, ' ')
    .trim();
}
