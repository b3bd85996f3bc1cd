// The corpus as a whole: the same for a seed, free of what is held out, well-formed, and with every skill in it.
import { describe, expect, it } from 'vitest';
import { type CorpusDocument, drawDocument } from './corpus.js';
import { HELD_SET, HELD_TOOL_NAMES, isHeldPair, mentionsHeld } from './heldout.js';
import { HELD_BEYOND, HELD_PHRASINGS, HELD_TALK } from './heldout-phrasings.js';
import { createRandom } from './random.js';
import { SKILLS } from './skills/index.js';

const DOCUMENTS = 20_000;
const documents: readonly CorpusDocument[] = Array.from({ length: DOCUMENTS }, (_, index) =>
  drawDocument(7, index),
);
const texts = documents.map(({ pieces }) => pieces.map(([text]) => text).join(''));

function userMessages(text: string): string[] {
  return [...text.matchAll(/<\|im_start\|>user\n([\s\S]*?)<\|im_end\|>/g)].map((match) => match[1] ?? '');
}

// Letters and digits only, so that casing and punctuation cannot hide a held-out wording.
function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}{}]+/gu, ' ')
    .trim();
}

describe('corpus', () => {
  it('is the same for the same seed and differs for another', () => {
    const again = Array.from({ length: 200 }, (_, index) => drawDocument(7, index));
    const other = Array.from({ length: 200 }, (_, index) => drawDocument(8, index));
    expect(again).toEqual(documents.slice(0, 200));
    expect(other).not.toEqual(again);
  });

  it('never mentions a held-out name, place or word', () => {
    expect(HELD_SET.size).toBeGreaterThan(80);
    expect(texts.filter(mentionsHeld)).toEqual([]);
  });

  it('never names a held-out tool', () => {
    const names = new RegExp(`"(${HELD_TOOL_NAMES.join('|')})"`);
    expect(texts.filter((text) => names.test(text))).toEqual([]);
  });

  it('never asks in a held-out wording', () => {
    const wordings = [
      ...HELD_TALK.map(([wording]) => wording),
      ...HELD_BEYOND,
      ...Object.values(HELD_PHRASINGS).flat(),
    ].map(plain);
    const fixed = new Set(wordings.filter((wording) => !wording.includes('{')));
    const slotted = wordings
      .filter((wording) => wording.includes('{'))
      .map((wording) => wording.replace(/\{\w+\}/g, '[^ ]+(?: [^ ]+){0,2}'));
    const form = new RegExp(`^(?:${slotted.join('|')})$`);
    const asked = [...new Set(texts.flatMap(userMessages).map(plain))];
    expect(asked.filter((message) => fixed.has(message))).toEqual([]);
    expect(asked.filter((message) => message.length < 90 && form.test(message))).toEqual([]);
  });

  it('never computes with a held-out pair outside the table of products', () => {
    const leaked = texts.filter((text) =>
      [...text.matchAll(/\b(\d{1,2}) ([+-]) (\d{1,2}) = /g)].some(([, a, operation, b]) =>
        isHeldPair(operation ?? '', Number(a), Number(b)),
      ),
    );
    expect(leaked).toEqual([]);
  });

  it('has every skill', () => {
    const drawn = new Set(documents.map(({ skill }) => skill));
    expect([...drawn].sort()).toEqual(SKILLS.map(({ name }) => name).sort());
  });
});

describe('documents', () => {
  it('are ChatML, fill-in-the-middle or plain text that ends', () => {
    const chat =
      /^(?:<\|im_start\|>system\n[\s\S]*?<\|im_end\|>\n)?(?:<\|im_start\|>(?:user|tool)\n[\s\S]*?<\|im_end\|>\n<\|im_start\|>assistant\n[\s\S]*?<\|im_end\|>\n?)+$/;
    const infill = /^<\|fim_prefix\|>[\s\S]*<\|fim_suffix\|>[\s\S]*<\|fim_middle\|>[\s\S]+<\|endoftext\|>$/;
    const malformed = texts.filter((text) => {
      if (text.startsWith('<|im_start|>')) return !chat.test(text);
      if (text.startsWith('<|fim_prefix|>')) return !infill.test(text);
      return /<\|(?!endoftext)/.test(text) || !/(<\|endoftext\|>|\n)$/.test(text);
    });
    expect(malformed).toEqual([]);
  });

  it('write calls that parse and name a tool of their list', () => {
    const calls = texts.flatMap((text) =>
      [...text.matchAll(/<tool_call>\n(.*)\n<\/tool_call>/g)].map((match) => ({
        text,
        call: JSON.parse(match[1] ?? '') as { name: string; arguments: object },
      })),
    );
    expect(calls.length).toBeGreaterThan(500);
    expect(calls.filter(({ text, call }) => !text.includes(`{"name": "${call.name}", `))).toEqual([]);
  });

  it('think only where the system prompt asks for it', () => {
    const wrong = texts.filter(
      (text) =>
        text.includes('<think>') !== /^<\|im_start\|>system\n(?:[\s\S]*?\n)?\/think<\|im_end\|>/.test(text),
    );
    expect(wrong).toEqual([]);
  });

  it('have text to learn, and weights between 0 and 1', () => {
    expect(documents.every(({ pieces }) => pieces.some(([, weight]) => weight === 1))).toBe(true);
    expect(
      documents.every(({ pieces }) =>
        pieces.every(([text, weight]) => text !== '' && weight > 0 && weight <= 1),
      ),
    ).toBe(true);
  });
});

describe.each(SKILLS.map((skill) => [skill.name, skill] as const))('skill %s', (_, skill) => {
  it('emits documents', () => {
    expect(skill.share).toBeGreaterThan(0);
    for (let seed = 0; seed < 40; seed += 1) expect(skill.emit(createRandom(seed)).length).toBeGreaterThan(0);
  });
});
