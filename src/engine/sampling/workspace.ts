// Scratch memory of the samplers of one engine. The engine is single-threaded and finishes one row before the next,
// so one set serves every sequence and nothing is allocated per token.

import { type Candidates, createCandidates } from './candidates.js';
import { WEIGHT_BINS, WEIGHT_BLOCK } from './weights.js';

/** Scratch arrays for a vocabulary. */
export interface Workspace {
  readonly vocabSize: number;
  readonly list: Candidates;
  /** A second list for log-probabilities, so that `list` survives them. */
  readonly spare: Candidates;
  /** Numbers to select from. */
  readonly scratch: Float64Array;
  /** Probability mass by distance from the best logit. */
  readonly histogram: Float64Array;
  readonly blockSums: Float64Array;
  /** The model's own logits, kept while the row is changed. */
  readonly raw: Float32Array;
  /** The row sampled last, and that row before it was changed. Valid until the next decode. */
  row: Float32Array;
  rawRow: Float32Array;
  /** One number per token, all zero between uses. */
  readonly marks: Int32Array;
  /** Who sampled last; its log-probabilities are the ones that can be asked for. */
  owner: object | null;
}

/** Allocates scratch memory, about 56 bytes per token of the vocabulary. */
export function createSamplerWorkspace(vocabSize: number): Workspace {
  return {
    vocabSize,
    list: createCandidates(vocabSize),
    spare: createCandidates(vocabSize),
    scratch: new Float64Array(vocabSize),
    histogram: new Float64Array(WEIGHT_BINS),
    blockSums: new Float64Array(Math.ceil(vocabSize / WEIGHT_BLOCK)),
    raw: new Float32Array(vocabSize),
    row: new Float32Array(0),
    rawRow: new Float32Array(0),
    marks: new Int32Array(vocabSize),
    owner: null,
  };
}
