// Repetition, presence and frequency penalties over a window of seen tokens. Cost per token: one update of a count,
// and one change per distinct token in the window.

import type { SamplingParams } from '../../protocol/index.js';

/** Counts of distinct tokens in dense arrays, so that a walk over them touches nothing else. */
class TokenCounts {
  size = 0;
  ids = new Int32Array(64);
  counts = new Int32Array(64);
  readonly #places = new Map<number, number>();

  add(token: number): void {
    const place = this.#places.get(token);
    if (place !== undefined) {
      this.counts[place]!++;
      return;
    }
    if (this.size === this.ids.length) this.#grow();
    this.#places.set(token, this.size);
    this.ids[this.size] = token;
    this.counts[this.size++] = 1;
  }

  remove(token: number): void {
    const place = this.#places.get(token);
    if (place === undefined || --this.counts[place]! > 0) return;
    this.#places.delete(token);
    const last = --this.size;
    if (place === last) return;
    this.ids[place] = this.ids[last]!;
    this.counts[place] = this.counts[last]!;
    this.#places.set(this.ids[place]!, place);
  }

  #grow(): void {
    const ids = new Int32Array(this.size * 2);
    const counts = new Int32Array(this.size * 2);
    ids.set(this.ids);
    counts.set(this.counts);
    this.ids = ids;
    this.counts = counts;
  }
}

/** Whether these parameters penalise anything. */
export function hasPenalties(params: SamplingParams): boolean {
  return (
    params.penaltyWindow !== 0 &&
    ((params.repetitionPenalty !== 1 && params.repetitionPenalty > 0) ||
      params.presencePenalty !== 0 ||
      params.frequencyPenalty !== 0)
  );
}

/** The penalties of one sequence and what it has seen so far. */
export class Penalties {
  readonly #params: SamplingParams;
  readonly #counts = new TokenCounts();
  /** The tokens in the window, oldest overwritten; absent when the window is unlimited. */
  readonly #ring: Int32Array | null;
  /** Tokens seen, including those that left the window. */
  #seen = 0;

  constructor(params: SamplingParams, prompt: Int32Array) {
    this.#params = params;
    const window = params.penaltyWindow;
    this.#ring = window > 0 ? new Int32Array(window) : null;
    if (params.penaltyScope === 'output') return;
    const from = window > 0 ? Math.max(0, prompt.length - window) : 0;
    for (let i = from; i < prompt.length; i++) this.accept(prompt[i]!);
  }

  /** Takes one more token into the window. */
  accept(token: number): void {
    const ring = this.#ring;
    if (ring !== null) {
      const place = this.#seen % ring.length;
      if (this.#seen >= ring.length) this.#counts.remove(ring[place]!);
      ring[place] = token;
    }
    this.#seen++;
    this.#counts.add(token);
  }

  /**
   * Per distinct token: repetition first (divides a positive, multiplies a negative logit), then presence and
   * frequency are subtracted, as TGI and OpenAI define them.
   */
  apply(row: Float32Array): void {
    const { repetitionPenalty, presencePenalty, frequencyPenalty, frequencyMode } = this.#params;
    const repetition = repetitionPenalty > 0 ? repetitionPenalty : 1;
    const { ids, counts, size } = this.#counts;
    const length = this.#ring === null ? this.#seen : Math.min(this.#seen, this.#ring.length);
    const perCount = frequencyMode === 'relative' ? frequencyPenalty / Math.max(1, length) : frequencyPenalty;
    for (let i = 0; i < size; i++) {
      const id = ids[i]!;
      if (id < 0 || id >= row.length) continue;
      const logit = row[id]!;
      const repeated = logit < 0 ? logit * repetition : logit / repetition;
      row[id] = repeated - presencePenalty - perCount * counts[i]!;
    }
  }
}
