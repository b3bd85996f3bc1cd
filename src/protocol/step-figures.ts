// How the steps of an engine went since its process started: times as histograms, and how requests joined. A step is
// one pass of the model over all running sequences.

/** Upper bounds in milliseconds, 0.15 to 145,615, each half as large again as the one before. */
export const STEP_TIME_BOUNDS_MS: readonly number[] = Array.from({ length: 35 }, (_, k) =>
  Number((0.1 * 1.5 ** (k + 1)).toPrecision(12)),
);

/** Times that were measured. */
export interface TimeCounts {
  /** Per bound of `STEP_TIME_BOUNDS_MS` those at most as long and above the bound before; last, those above all. */
  readonly counts: readonly number[];
  readonly sumMs: number;
}

/** Times of steps of one kind. */
export interface StepTimes {
  /** From admission to the last event. */
  readonly whole: TimeCounts;
  /** The model's own computation. */
  readonly forward: TimeCounts;
  /** All else: scheduling, picking tokens, their text and stop checks. */
  readonly rest: TimeCounts;
}

/** Figures of the steps in which tokens were computed. */
export interface StepFigures {
  /** Steps with prompt tokens, alone or beside decoding. */
  readonly prefill: StepTimes;
  /** Steps that only decoded. */
  readonly decode: StepTimes;
  /** Element i: how often i + 1 new sequences were seated at once. */
  readonly seated: readonly number[];
  /** How often new sequences were seated while others ran. */
  readonly joins: number;
}
