// What the generator makes: a document is a list of text pieces, each with the weight its tokens get in the loss.
// Imports nothing but the type of chance.
import type { Random } from './random.js';

/** Text and its loss weight: 1 for what the model must write, less for what it only reads. */
export type Piece = readonly [text: string, weight: number];

/** One question and its answer, before any template is put around it. */
export interface Exchange {
  readonly user: string;
  readonly assistant: string;
}

/** One kind of document and its share of all documents drawn. */
export interface Skill {
  readonly name: string;
  /** Relative number of documents, not of tokens. */
  readonly share: number;
  emit(random: Random): readonly Piece[];
}

/** Weight of context: small but not zero, because reading well is worth a little practice. */
export const CONTEXT_WEIGHT = 0.1;

/** A piece that the model only reads. */
export function context(text: string): Piece {
  return [text, CONTEXT_WEIGHT];
}

/** A piece that the model must write. */
export function target(text: string): Piece {
  return [text, 1];
}
