// What steps cost on this machine, learned while running, and from it how long a chunk of a prompt may be between two
// steps of those that decode.

/** Streams may wait for a token so many times as long as a decode step of all sequences takes once prompts are done. */
const GAP_FACTOR = 2.5;
/** Longest step when nobody decodes, so that arrivals and cancellations are seen in time. Milliseconds. */
const IDLE_STEP_MS = 400;
/** A prompt is short, and computed in one step whoever waits for it, when that takes so long at most. Milliseconds. */
const SHORT_PROMPT_MS = 600;
/** Chunk while costs are not known yet. */
const FIRST_CHUNK = 256;
/** Chunks from here on are wide: ggml computes their attention by tiles of this many rows, which halves its cost on a CPU. */
const TILE = 64;
/** CPU kernels take rows by fours. */
const ROWS = 4;
const SMOOTHING = 0.2;

/** Moving averages of step times. Times in milliseconds. */
export class StepCosts {
  /** Decode steps by number of sequences; index 0 unused. */
  readonly #decodeMs: Float64Array;
  /** Per token of chunks of at least a tile, and of narrower ones; 0 while unknown. */
  #wideMs = 0;
  #narrowMs = 0;
  /** The first pass over a prompt also reads the weights from the disk: it says nothing about the others. */
  #hasReadWeights = false;

  constructor(maxSequences: number) {
    this.#decodeMs = new Float64Array(maxSequences + 1);
  }

  /** Learns from a step that computed the next tokens of so many sequences. */
  observeDecode(sequences: number, ms: number): void {
    this.#decodeMs[sequences] = blend(this.#decodeMs[sequences] ?? 0, ms);
  }

  /** Learns from a step that computed so many tokens of prompts. */
  observePrefill(tokens: number, ms: number): void {
    if (!this.#hasReadWeights) this.#hasReadWeights = true;
    else if (tokens >= TILE) this.#wideMs = blend(this.#wideMs, ms / tokens);
    else if (tokens >= ROWS) this.#learnNarrow(ms / tokens);
  }

  /** A wide chunk never costs more than a narrow one. Believed to, it would not be tried again, nor found to be cheap. */
  #learnNarrow(msPerToken: number): void {
    this.#narrowMs = blend(this.#narrowMs, msPerToken);
    this.#wideMs = Math.min(this.#wideMs, this.#narrowMs);
  }

  /** Measured time of a decode step of just so many rows; 0 when there was none. */
  measuredMs(rows: number): number {
    return this.#decodeMs[rows] ?? 0;
  }

  /** Expected time of a decode step; 0 while unknown. */
  decodeMs(sequences: number): number {
    if (sequences === 0) return 0;
    for (let near = 0; near < this.#decodeMs.length; near++) {
      const known = this.#decodeMs[sequences - near] || this.#decodeMs[sequences + near];
      if (known) return known;
    }
    return 0;
  }

  /**
   * Whether a prompt of so many tokens is best computed in one step, whoever else decodes: cut up, its weights are read
   * once per piece, and a batch that fills late costs everybody more than one wait.
   */
  isShort(tokens: number): boolean {
    const perToken = this.#wideMs || this.#narrowMs;
    return perToken === 0 ? tokens <= FIRST_CHUNK : tokens * perToken <= SHORT_PROMPT_MS;
  }

  /**
   * Prompt tokens of a step, at most `most`, while `decodes` sequences wait for it and `prefilling` others for their
   * prompts. Judged by the gap that streams will have anyway when everybody decodes: few streams beside many prompts
   * would otherwise be served at the price of a batch that never fills.
   */
  prefillBudget(decodes: number, prefilling: number, most: number): number {
    if (this.#wideMs === 0 && this.#narrowMs === 0) return Math.min(most, FIRST_CHUNK);
    const decode = this.decodeMs(decodes);
    if (decodes > 0 && decode === 0) return Math.min(most, FIRST_CHUNK);
    const ms = decodes === 0 ? IDLE_STEP_MS : GAP_FACTOR * this.decodeMs(decodes + prefilling) - decode;
    const wide = Math.floor(ms / (this.#wideMs || this.#narrowMs) / TILE) * TILE;
    if (wide >= TILE) return Math.min(most, wide);
    const narrow = Math.floor(ms / (this.#narrowMs || 2 * this.#wideMs) / ROWS) * ROWS;
    return Math.min(most, TILE - ROWS, Math.max(ROWS, narrow));
  }
}

function blend(old: number, value: number): number {
  return old === 0 ? value : old + SMOOTHING * (value - old);
}
