// Picks one model among the files of a repository or folder, by the habits users know: an explicit quantisation is
// never substituted, without one Q4_K_M then Q8_0 then the first file. Pure.

import { KoineError } from '../protocol/index.js';
import { isModelName, partOf, partsOf, quantOf } from './split-files.js';

/** A file that may hold a model; `path` is relative to the repository, with forward slashes. */
export interface Candidate {
  readonly path: string;
  readonly sizeBytes: number;
}

/** What is asked for. */
export interface Wish {
  readonly quant?: string;
  readonly file?: string;
}

/** There is no GGUF file at all, which some callers take for an answer rather than a failure. */
export class NoModelError extends KoineError {
  constructor(place: string) {
    super('model_not_found', `${place} has no GGUF model.`);
  }
}

const HABIT = ['Q4_K_M', 'Q8_0'];

/**
 * The files of the chosen model, first part first. Throws `model_not_found` when none fits, and `invalid_request`
 * when several do, with the files to choose from.
 */
export function chooseFiles<C extends Candidate>(
  place: string,
  files: readonly C[],
  wish: Wish,
): readonly C[] {
  const models = files.filter((file) => isModelName(file.path));
  if (wish.file !== undefined) {
    const exact = files.find((file) => file.path === wish.file);
    if (exact === undefined) throw notFound(`${place} has no file ${wish.file}`, models);
    return withParts(place, exact, files);
  }
  if (models.length === 0) throw new NoModelError(place);
  const quants = wish.quant === undefined ? HABIT : [wish.quant];
  for (const quant of quants) {
    const matches = models.filter((file) => quantOf(file.path) === quant);
    if (matches.length > 1) throw ambiguous(place, quant, matches);
    if (matches[0] !== undefined) return withParts(place, matches[0], files);
  }
  if (wish.quant !== undefined) throw notFound(`${place} has no ${wish.quant}`, models);
  const [first] = [...models].sort((a, b) => (a.path < b.path ? -1 : 1));
  return first === undefined ? [] : withParts(place, first, files);
}

function withParts<C extends Candidate>(place: string, first: C, files: readonly C[]): readonly C[] {
  return partsOf(first.path, partOf(first.path)?.count ?? 1).map((path) => {
    const part = files.find((file) => file.path === path);
    if (part === undefined) throw new KoineError('model_not_found', `${place} lacks the part ${path}.`);
    return part;
  });
}

function notFound(what: string, models: readonly Candidate[]): KoineError {
  return new KoineError('model_not_found', `${what}; it has ${listed(models)}.`);
}

function ambiguous(place: string, quant: string, matches: readonly Candidate[]): KoineError {
  return new KoineError(
    'invalid_request',
    `${place} has several files for ${quant}: ${listed(matches)}. Name one, as in hf:org/repo:FILE.`,
  );
}

function listed(models: readonly Candidate[]): string {
  return models.length === 0
    ? 'no GGUF model'
    : models.map((m) => `${m.path} (${showBytes(m.sizeBytes)})`).join(', ');
}

/** Bytes for people: `5.96 MB`. Decimal units, as hubs and disks count. */
export function showBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${power === 0 ? value : value.toPrecision(3)} ${units[power]}`;
}
