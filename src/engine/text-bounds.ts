// What can be told of a text's tokens without making any. Tokenizing takes time in proportion to the text, and to the
// square of the markers in it, and nobody else's step runs meanwhile: what cannot fit is not tokenized. Engine process.

import type { ModelRunner } from './model-runner.js';

/** Bounds on the tokens of texts, for vocabularies whose tokens are pieces of the text: those of models that generate. */
export class TextBounds {
  readonly #runner: ModelRunner;
  /** Bytes of the longest token; 0 = not looked for yet. */
  #longest = 0;
  /** Finds the names of control tokens, each of which is a token by itself; undefined where there are none. */
  #markers: RegExp | undefined;

  constructor(runner: ModelRunner) {
    this.#runner = runner;
  }

  /**
   * A number of tokens that a text has at least, if that is over a limit: `limit` for all of them, or `markers` for the
   * names of control tokens, with `parseSpecial`, which take far longer than others. Undefined: it may have fewer.
   */
  fewest(text: string, parseSpecial: boolean, most: { limit: number; markers: number }): number | undefined {
    // So short a text is tokenized in no time.
    if (text.length <= Math.min(most.limit, most.markers)) return undefined;
    this.#learn();
    const byLength = Math.ceil(Buffer.byteLength(text) / this.#longest);
    if (byLength > most.limit) return byLength;
    if (!parseSpecial || this.#markers === undefined) return undefined;
    let markers = 0;
    this.#markers.lastIndex = 0;
    while (this.#markers.test(text)) markers++;
    return markers > most.markers ? markers : undefined;
  }

  /**
   * An end of a text that holds its last `count` tokens. It is cut in front of a control token's name, or far enough
   * before the last tokens that where it is cut makes no difference to them.
   */
  end(text: string, parseSpecial: boolean, count: number): string {
    if (text.length <= count) return text;
    this.#learn();
    // No token stands for more characters than it has bytes.
    const long = text.slice(-(count + MARGIN) * this.#longest);
    if (!parseSpecial || this.#markers === undefined) return long;
    const starts: number[] = [];
    this.#markers.lastIndex = 0;
    for (let found = this.#markers.exec(long); found !== null; found = this.#markers.exec(long)) {
      starts.push(found.index);
    }
    return long.slice(starts[starts.length - count - 1] ?? 0);
  }

  /** Once: a look at every token. */
  #learn(): void {
    if (this.#longest > 0) return;
    const runner = this.#runner;
    const names: string[] = [];
    this.#longest = 1;
    for (let token = 0; token < runner.info.vocabSize; token++) {
      const bytes = runner.tokenBytes(token);
      this.#longest = Math.max(this.#longest, bytes.length);
      if (bytes.length > 0 && runner.isControl(token)) names.push(Buffer.from(bytes).toString('utf8'));
    }
    // Of two names that begin alike the longer one counts.
    names.sort((a, b) => b.length - a.length);
    if (names.length > 0) this.#markers = new RegExp(names.map(quoted).join('|'), 'gu');
  }
}

/** Tokens that a cut may change beyond the ones that are wanted. */
const MARGIN = 64;

const quoted = (name: string): string => name.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
