// Mirostat 1 and 2 (Basu et al., 2020): instead of a fixed cut, a target surprise (tau, in bits) is held by moving a
// bound `mu` after every token.

import type { MirostatParams } from '../../protocol/index.js';
import type { Candidates } from './candidates.js';
import { sortBest } from './select.js';

/** Tokens looked at to estimate how fast probabilities fall. */
export const MIROSTAT_HEAD = 100;

/** The running bound of one sequence. */
export class Mirostat {
  readonly mode: 1 | 2;
  readonly #tau: number;
  readonly #eta: number;
  #mu: number;

  constructor(params: MirostatParams) {
    this.mode = params.mode === 1 ? 1 : 2;
    this.#tau = params.tau;
    this.#eta = params.eta;
    this.#mu = 2 * params.tau;
  }

  /** Mode 2: least share of the mass a token needs to stay, 2 ^ -mu. */
  get leastProbability(): number {
    return 2 ** -this.#mu;
  }

  /**
   * Mode 1: how many of the best tokens to keep out of `vocabSize`, by a Zipf exponent fitted to the head of
   * `list`, which is sorted for it.
   */
  rank(list: Candidates, inverse: number, vocabSize: number): number {
    sortBest(list);
    const head = Math.min(MIROSTAT_HEAD, list.length);
    let product = 0;
    let square = 0;
    for (let i = 0; i < head - 1; i++) {
      const step = Math.log((i + 2) / (i + 1));
      product += step * (list.keys[i]! - list.keys[i + 1]!) * inverse;
      square += step * step;
    }
    if (square === 0 || product === 0) return list.length;
    const exponent = product / square;
    const epsilon = exponent - 1;
    // epsilon / (1 - N ^ -epsilon) tends to 1 / ln N at 0.
    const factor = Math.abs(epsilon) < 1e-9 ? 1 / Math.log(vocabSize) : epsilon / (1 - vocabSize ** -epsilon);
    const rank = (factor * 2 ** this.#mu) ** (1 / exponent);
    return rank >= 1 ? Math.min(Math.floor(rank), vocabSize) : 1;
  }

  /** Moves the bound after a token of this probability (among those kept). */
  update(probability: number): void {
    this.#mu -= this.#eta * (-Math.log2(probability) - this.#tau);
  }
}
