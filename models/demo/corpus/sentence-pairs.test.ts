// Pairs for the embeddings: repeatable, made of two different sentences, and free of what the evaluation asks.
import { describe, expect, it } from 'vitest';
import { mentionsHeld } from './heldout.js';
import { HELD_SENTENCES } from './heldout-phrasings.js';
import { isHeldSentence } from './heldout-wording.js';
import { drawPair } from './sentence-pairs.js';

const pairs = Array.from({ length: 5000 }, (_, index) => drawPair(3, index));

describe('sentence pairs', () => {
  it('are the same for the same seed and differ for another', () => {
    expect(Array.from({ length: 50 }, (_, index) => drawPair(3, index))).toEqual(pairs.slice(0, 50));
    expect(Array.from({ length: 50 }, (_, index) => drawPair(4, index))).not.toEqual(pairs.slice(0, 50));
  });

  it('have two different sentences with every slot filled', () => {
    expect(pairs.filter(([one, other]) => one === other)).toEqual([]);
    expect(pairs.flat().filter((sentence) => /[{}[\]|]/.test(sentence) || sentence === '')).toEqual([]);
  });

  it('contain nothing that is held out', () => {
    expect(pairs.flat().filter(mentionsHeld)).toEqual([]);
    expect(pairs.flat().filter(isHeldSentence)).toEqual([]);
  });
});

describe('isHeldSentence', () => {
  it('knows every sentence of the evaluation whatever fills it', () => {
    const filled = HELD_SENTENCES.flat().map((form) => form.replace(/\{\w\}/g, 'Ab'));
    expect(filled.length).toBeGreaterThan(20);
    expect(filled.filter((sentence) => !isHeldSentence(sentence))).toEqual([]);
    expect(isHeldSentence('Ab sings in the garden.')).toBe(false);
  });
});
