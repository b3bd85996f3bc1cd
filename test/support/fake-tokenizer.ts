// A tokenizer for the fake engine: words with their leading space, numbered as they appear. Deterministic within
// one instance, and every id below the vocabulary size has a text.

import { KoineError, type TokenSpan } from '../../src/protocol/index.js';

const FIRST_WORD = 100;
export const FAKE_BOS = 1;
export const FAKE_EOS = 2;

/** Words to ids and back. 1 is `<s>`, 2 is `</s>`, words begin at 100, other ids read ` tN`. */
export class FakeTokenizer {
  readonly #ids = new Map<string, number>();
  readonly #texts: string[] = [];
  readonly #vocabSize: number;

  constructor(vocabSize: number) {
    this.#vocabSize = vocabSize;
  }

  idOf(text: string): number {
    if (text === '<s>') return FAKE_BOS;
    if (text === '</s>') return FAKE_EOS;
    let id = this.#ids.get(text);
    if (id === undefined) {
      id = FIRST_WORD + this.#texts.length;
      this.#ids.set(text, id);
      this.#texts.push(text);
    }
    return id;
  }

  textOf(id: number): string {
    if (!Number.isInteger(id) || id < 0 || id >= this.#vocabSize) {
      throw new KoineError('invalid_request', `Token id ${id} is outside the vocabulary.`, {
        field: 'tokens',
      });
    }
    if (id === FAKE_BOS) return '<s>';
    if (id === FAKE_EOS) return '</s>';
    return this.#texts[id - FIRST_WORD] ?? ` t${id}`;
  }

  encode(text: string, addSpecial: boolean): readonly TokenSpan[] {
    const spans: TokenSpan[] = addSpecial
      ? [{ id: FAKE_BOS, text: '', start: 0, stop: 0, special: true }]
      : [];
    let start = 0;
    for (const word of text.match(/<\/?s>|\s?[^\s<]+|\s|</gu) ?? []) {
      const stop = start + Buffer.byteLength(word);
      const special = word === '<s>' || word === '</s>';
      spans.push({ id: this.idOf(word), text: word, start, stop, special });
      start = stop;
    }
    return spans;
  }
}
