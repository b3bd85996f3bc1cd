// Prompt lookup: where the last tokens have stood before, what followed them there is proposed to come again. The model
// judges all proposed tokens in one step; only what it would have said itself stays. Engine process.
// Source: A. Saxena, "Prompt Lookup Decoding" (2023); llama-cpp-python offers it as `draft_model`.

import { FIRST_DRAFT_RATE, type Sequence } from './sequence.js';

/** Fewer equal tokens than this say nothing about what follows. */
const MIN_MATCH = 2;
/** Longer matches are not told apart. */
const MAX_MATCH = 16;
/** Weight of one outcome in the expected share, and of its return to the first guess while nothing is proposed. */
const LEARNING = 0.2;
const FORGETTING = 0.01;

/** From this share on proposals are made every so often although steps of so many rows seem too dear. */
const LIKELY = 0.5;
const LOOK_AGAIN = 32;

export const NO_PROPOSAL = new Int32Array(0);

/** What has been proposed since the process started. Tokens. */
export interface LookupFigures {
  proposed: number;
  accepted: number;
}

/** Proposes tokens for one sequence at a time. */
export class PromptLookup {
  readonly figures: LookupFigures = { proposed: 0, accepted: 0 };
  readonly #most: number;
  readonly #proposal: Int32Array;
  #declined = 0;

  /** At most `most` tokens a step; 0 turns it off. */
  constructor(most: number) {
    this.#most = most;
    this.#proposal = new Int32Array(most);
  }

  /**
   * Tokens to try after the sequence's last one, at most `room`; none when there is no repetition or trying would not
   * pay. `costOf(rows)` is the time of a step with so many rows of logits. The result is valid until
   * the next call.
   */
  propose(sequence: Sequence, room: number, costOf: (rows: number) => number): Int32Array {
    const most = Math.min(this.#most, room);
    if (most < 1) return NO_PROPOSAL;
    const { tokens, length } = sequence;
    const end = continuation(tokens, length);
    const count = end < 0 ? 0 : this.#count(most, sequence.draftRate, costOf);
    if (count === 0) {
      sequence.draftRate += FORGETTING * (FIRST_DRAFT_RATE - sequence.draftRate);
      return NO_PROPOSAL;
    }
    // What repeats itself at a distance shorter than the proposal goes round and round.
    const distance = length - end;
    for (let i = 0; i < count; i++) {
      this.#proposal[i] = (i < distance ? tokens[end + i] : this.#proposal[i - distance]) ?? 0;
    }
    // Negative numbers stand for embedding rows, which nobody can say.
    const firstRow = this.#proposal.subarray(0, count).findIndex((token) => token < 0);
    return this.#proposal.subarray(0, firstRow < 0 ? count : firstRow);
  }

  /** Learns from a proposal of which so many tokens were right. */
  judged(sequence: Sequence, proposed: number, accepted: number): void {
    this.figures.proposed += proposed;
    this.figures.accepted += accepted;
    // The first wrong token says nothing about those behind it.
    const judged = Math.min(proposed, accepted + 1);
    sequence.draftRate += LEARNING * (accepted / judged - sequence.draftRate);
  }

  #count(most: number, rate: number, costOf: (rows: number) => number): number {
    const count = worthwhile(most, rate, costOf);
    if (count > 0 || rate < LIKELY) return count;
    // Only the cost speaks against it, and that may have been measured at a bad moment.
    return ++this.#declined % LOOK_AGAIN === 0 ? most : 0;
  }
}

/**
 * Where the tokens begin that followed the last ones when they stood here before: behind the longest match, of equals the
 * latest. -1 when there is none.
 */
function continuation(tokens: Int32Array, length: number): number {
  const last = tokens[length - 1];
  let best = -1;
  let bestMatch = MIN_MATCH - 1;
  for (let at = length - 2; at >= MIN_MATCH - 1; at--) {
    if (tokens[at] !== last) continue;
    let match = 1;
    while (match < MAX_MATCH && match <= at && tokens[at - match] === tokens[length - 1 - match]) match++;
    if (match <= bestMatch) continue;
    best = at + 1;
    bestMatch = match;
    if (match === MAX_MATCH) break;
  }
  return best;
}

/**
 * How many of `most` proposed tokens to try, each right with probability `rate` if those before it are: the number with
 * the most tokens per time. Steps have four rows, eight, ...: CPU kernels take rows by fours.
 */
function worthwhile(most: number, rate: number, costOf: (rows: number) => number): number {
  let best = 0;
  let bestPace = 1 / costOf(1);
  let expected = 1;
  let chance = 1;
  for (let count = 1; count <= most; count++) {
    chance *= rate;
    expected += chance;
    if (count % 4 !== 3 && count !== most) continue;
    const pace = expected / costOf(count + 1);
    if (pace > bestPace) {
      best = count;
      bestPace = pace;
    }
  }
  return best;
}
