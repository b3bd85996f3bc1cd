// A constraint for tests of the step loop: the output must be one of some texts. Strict where the engine has to be
// careful: tokens that were not allowed, and any use after its end, throw plain errors, which end the test.

import type { OutputMatcher } from '../../src/engine/sequence.js';
import type { FakeVocabulary } from './fake-vocabulary.js';

/** What a test may change about a matcher. */
export interface TextMatcherOptions {
  /** Says which tokens must come next where all texts agree. Default false: everything is sampled. */
  readonly forces?: boolean;
  /** Answers `pending` to the first mask that many times at each token. Default 0. */
  readonly late?: number;
}

/** One sequence's walk along the texts. */
export class TextMatcher implements OutputMatcher {
  /** Tokens taken, in order. */
  readonly accepted: number[] = [];
  /** Waits that masks were asked with, in milliseconds. */
  readonly waits: number[] = [];
  forcedCalls = 0;
  disposals = 0;
  #late: number;

  constructor(
    private readonly vocabulary: FakeVocabulary,
    private readonly texts: readonly string[],
    private readonly options: TextMatcherOptions = {},
  ) {
    this.#late = options.late ?? 0;
  }

  mask(waitMs: number): Int32Array | 'pending' {
    this.#checkAlive();
    this.waits.push(waitMs);
    if (this.#late-- > 0) return 'pending';
    const mask = new Int32Array(Math.ceil(this.vocabulary.size / 32));
    for (const token of this.#allowed()) mask[token >> 5] = (mask[token >> 5] ?? 0) | (1 << (token & 31));
    return mask;
  }

  accept(tokens: readonly number[]): void {
    this.#checkAlive();
    for (const token of tokens) {
      if (!this.#allowed().includes(token)) throw new Error(`token ${token} is not allowed here`);
      this.accepted.push(token);
    }
    this.#late = this.options.late ?? 0;
  }

  forced(tokenize: (text: string) => ArrayLike<number>): readonly number[] {
    this.#checkAlive();
    this.forcedCalls++;
    if (this.options.forces !== true) return [];
    const rests = this.#open().map((text) => text.slice(this.#text().length));
    let common = rests[0] ?? '';
    for (const rest of rests) while (!rest.startsWith(common)) common = common.slice(0, -1);
    return Array.from(tokenize(common));
  }

  dispose(): void {
    this.disposals++;
  }

  #checkAlive(): void {
    if (this.disposals > 0) throw new Error('a matcher was used after its end');
  }

  #text(): string {
    return this.vocabulary.text(this.accepted);
  }

  #open(): readonly string[] {
    return this.texts.filter((text) => text.startsWith(this.#text()));
  }

  /** Tokens that lead on to one of the texts, and the end where one is complete. */
  #allowed(): readonly number[] {
    const { vocabulary, accepted } = this;
    if (accepted.includes(vocabulary.eos)) return [];
    const text = this.#text();
    const allowed = this.texts.includes(text) ? [vocabulary.eos] : [];
    const open = this.#open();
    for (let token = vocabulary.controls; token < vocabulary.size; token++) {
      const next = text + vocabulary.text([token]);
      if (open.some((whole) => whole.startsWith(next))) allowed.push(token);
    }
    return allowed;
  }
}
