// What steps cost on this machine, learned while running, and from it how much prefill a step may carry without
// holding up the streams that decode beside it.

/** A step may take this many times the decode step that all of its sequences will have once their prompts are done. */
const GAP_FACTOR = 2.5;
/** Longest step when nobody decodes, so that arrivals and cancellations are seen in time; longest one for a short
 * prompt in any case. Milliseconds. */
const IDLE_STEP_MS = 400;
/** Chunk while costs are not known yet. */
const FIRST_CHUNK = 256;
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

  /**
   * Whether a prompt of so many tokens is best computed in one step, whoever else decodes: cut up, it would cost
   * everybody more. Each step that mixes prompt and decode tokens takes two passes over the weights and has its graph
   * built twice, which small chunks never earn back.
   */
  isShort(tokens: number): boolean {
    return this.#prefillMsPerToken === 0
      ? tokens <= FIRST_CHUNK
      : tokens * this.#prefillMsPerToken <= IDLE_STEP_MS;
  }

  /**
   * Prefill tokens a step may carry beside `decodes` decoding sequences while `prefilling` others wait for their
   * prompts, at most `most`. Judged by the gap that streams will have anyway when everybody decodes: few streams beside
   * many prompts would otherwise be served at the price of a batch that never fills.
   */
  prefillBudget(decodes: number, prefilling: number, most: number): number {
    if (this.#prefillMsPerToken === 0) return Math.min(most, FIRST_CHUNK);
    const decode = this.decodeMs(decodes);
    if (decodes > 0 && decode === 0) return Math.min(most, FIRST_CHUNK);
    const goal = decodes === 0 ? IDLE_STEP_MS : GAP_FACTOR * this.decodeMs(decodes + prefilling);
    const tokens = Math.floor((goal - decode) / this.#prefillMsPerToken);
    return Math.max(Math.min(MIN_CHUNK, most), Math.min(most, tokens));
  }
}

function blend(old: number, value: number): number {
  return old === 0 ? value : old + SMOOTHING * (value - old);
}
