// What steps cost on this machine, learned while running, and from it how much prefill a step may carry without
// holding up the streams that decode beside it.

/** A stream's gap may grow to this many times its usual length while a prompt is computed. */
const GAP_FACTOR = 2.5;
/** Gaps below this go unnoticed by a reader, so a step may always take this long. Milliseconds. */
const UNNOTICED_MS = 60;
/** Longest step when nobody decodes, so that arrivals and cancellations are seen in time. Milliseconds. */
const IDLE_STEP_MS = 400;
/** Smallest useful chunk: below it a pass costs nearly the same however few tokens it carries. */
const MIN_CHUNK = 16;
/** Steps with fewer prefill tokens say little about the cost of one. */
const MEANINGFUL_CHUNK = 16;
const SMOOTHING = 0.2;

/** Moving averages of step times. Times in milliseconds. */
export class StepCosts {
  /** Pure decode steps by number of sequences; index 0 unused. */
  readonly #decodeMs: Float64Array;
  #prefillMsPerToken = 0;

  constructor(maxSequences: number) {
    this.#decodeMs = new Float64Array(maxSequences + 1);
  }

  /** Learns from a finished step. */
  observe(decodes: number, prefillTokens: number, ms: number): void {
    if (prefillTokens === 0) this.#decodeMs[decodes] = blend(this.#decodeMs[decodes] ?? 0, ms);
    else if (prefillTokens >= MEANINGFUL_CHUNK) {
      const own = Math.max(ms - this.decodeMs(decodes), ms * 0.2);
      this.#prefillMsPerToken = blend(this.#prefillMsPerToken, own / prefillTokens);
    }
  }

  /** Expected time of a pure decode step; 0 while unknown. */
  decodeMs(decodes: number): number {
    if (decodes === 0) return 0;
    for (let near = 0; near < this.#decodeMs.length; near++) {
      const known = this.#decodeMs[decodes - near] || this.#decodeMs[decodes + near];
      if (known) return known;
    }
    return 0;
  }

  /** Prefill tokens a step may carry beside `decodes` decoding sequences, at most `most`. */
  prefillBudget(decodes: number, most: number): number {
    if (this.#prefillMsPerToken === 0) return Math.min(most, 256);
    const decode = this.decodeMs(decodes);
    const goal = decodes === 0 ? IDLE_STEP_MS : Math.max(GAP_FACTOR * decode, UNNOTICED_MS);
    const tokens = Math.floor((goal - decode) / this.#prefillMsPerToken);
    return Math.max(Math.min(MIN_CHUNK, most), Math.min(most, tokens));
  }
}

function blend(old: number, value: number): number {
  return old === 0 ? value : old + SMOOTHING * (value - old);
}
