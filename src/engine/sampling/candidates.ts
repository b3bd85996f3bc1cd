// The list of tokens still in the running, as parallel arrays: what filters work on once the row is left behind.

/** Entries 0 .. length - 1 count. */
export interface Candidates {
  length: number;
  readonly ids: Int32Array;
  /** The logit, which orders the list. */
  readonly keys: Float64Array;
  /** Unnormalised probability, 1 for the best token. */
  readonly weights: Float64Array;
}

/** An empty list with room for `capacity` tokens. */
export function createCandidates(capacity: number): Candidates {
  return {
    length: 0,
    ids: new Int32Array(capacity),
    keys: new Float64Array(capacity),
    weights: new Float64Array(capacity),
  };
}
