// The folder of models: <folder>/<org>/<repo>/<path in the repository> for those of the hub, a folder of its own for each
// one that was imported. A file there is whole and checked, because downloads end with a rename. Beside it there is at
// most its name, so users may add and remove files by hand.

import { existsSync, lstatSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { KoineError } from '../protocol/index.js';
import { type Candidate, chooseFiles, type Wish } from './choose-file.js';
import { type StoredId, storedId } from './ids.js';
import { type HubReference, showReference } from './reference.js';
import { isModelName, partOf, partsOf } from './split-files.js';
import { nameFile, readName } from './stored-name.js';

/** A model in the folder. */
export interface StoredModel extends StoredId {
  /** Absolute path of the first file. */
  readonly path: string;
  /** What its user calls it. */
  readonly name?: string;
  readonly sizeBytes: number;
  readonly changedAt: Date;
  readonly isComplete: boolean;
}

/** Where a repository's files go. */
export function repositoryFolder(modelsDir: string, repo: string): string {
  return join(modelsDir, ...repo.split('/'));
}

/** The first file of a model that is in the folder already, whole; undefined when it would have to be fetched. */
export function findStored(modelsDir: string, reference: HubReference): string | undefined {
  const folder = repositoryFolder(modelsDir, reference.repo);
  try {
    const [first] = chooseFiles(showReference(reference), filesBelow(folder), reference);
    return first === undefined ? undefined : join(folder, first.path);
  } catch {
    // Not here, not whole, or not one: the hub's own list decides, and its errors are the ones to show.
    return undefined;
  }
}

/** All models in the folder, by name. */
export function listStored(modelsDir: string): readonly StoredModel[] {
  const files = filesBelow(modelsDir);
  return files
    .flatMap(({ path }) => {
      const id = isModelName(path) ? storedId(path) : undefined;
      return id === undefined ? [] : [{ path, id }];
    })
    .map(({ path, id }) => {
      const stats = pathsOf(join(modelsDir, path)).map((part) => statSync(part, { throwIfNoEntry: false }));
      const first = join(modelsDir, path);
      const name = readName(first);
      return {
        ...id,
        path: first,
        ...(name !== undefined && { name }),
        sizeBytes: stats.reduce((sum, stat) => sum + (stat?.size ?? 0), 0),
        changedAt: statSync(first).mtime,
        isComplete: stats.every((stat) => stat !== undefined),
      };
    })
    .sort((a, b) => (a.reference < b.reference ? -1 : 1));
}

/** What an interrupted download leaves beside its target. */
const LEFTOVERS = ['.part', '.part.json', '.part.pid'] as const;
const LEFTOVER = /\.part(\.json|\.pid)?$/;

/**
 * Deletes a model that was listed, with all its parts and what an interrupted download left of it. Of one that was
 * imported by a link the link goes and the file stays. Returns the bytes set free.
 */
export function removeModel(modelsDir: string, { path }: Pick<StoredModel, 'path'>): number {
  let bytes = 0;
  for (const part of pathsOf(path)) {
    for (const file of [part, ...LEFTOVERS.map((ending) => part + ending), nameFile(part)]) {
      const stats = lstatSync(file, { throwIfNoEntry: false });
      if (stats === undefined) continue;
      rmSync(file);
      bytes += stats.isSymbolicLink() ? 0 : stats.size;
    }
  }
  pruneEmpty(dirname(path), modelsDir);
  return bytes;
}

/**
 * Deletes a model with all its parts, what an interrupted download left of it, and folders that are empty then.
 * Returns the bytes set free. Throws `model_not_found` when nothing of it is there, `invalid_request` when several
 * models match.
 */
export function removeStored(modelsDir: string, reference: HubReference): number {
  const folder = repositoryFolder(modelsDir, reference.repo);
  const all = filesBelow(folder);
  const leftovers = all.filter(({ path }) => LEFTOVER.test(path));
  const isWanted = ({ path }: Candidate) => {
    const name = path.replace(LEFTOVER, '');
    return reference.file === undefined || name === reference.file;
  };
  const models = all.filter(({ path }) => isModelName(path));
  const chosen = models.length > 0 || leftovers.length === 0 ? chosenFor(all, models, reference) : [];
  const doomed = [...chosen, ...leftovers.filter(isWanted)];
  let bytes = 0;
  for (const { path, sizeBytes } of doomed) {
    rmSync(join(folder, path), { force: true });
    rmSync(nameFile(join(folder, path)), { force: true });
    bytes += sizeBytes;
  }
  pruneEmpty(folder, modelsDir);
  return bytes;
}

/** Every file of a model by the path of its first. */
function pathsOf(first: string): readonly string[] {
  return partsOf(first, partOf(first)?.count ?? 1);
}

function chosenFor(
  all: readonly Candidate[],
  models: readonly Candidate[],
  reference: HubReference,
): readonly Candidate[] {
  const isPlain = reference.quant === undefined && reference.file === undefined;
  if (isPlain && models.length > 1) {
    const names = models.map((model) => `hf:${reference.repo}:${model.path}`).join(', ');
    throw new KoineError(
      'invalid_request',
      `${showReference(reference)} stands for several models; name one: ${names}.`,
    );
  }
  const wish: Wish = reference;
  return chooseFiles(showReference(reference), all, wish);
}

/** Files below a folder with forward slashes, relative to it. A folder that is missing has none. */
function filesBelow(folder: string): readonly Candidate[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map((entry) => join(entry.parentPath, entry.name))
    .flatMap((path) => {
      const stats = statSync(path, { throwIfNoEntry: false });
      return stats?.isFile()
        ? [{ path: relative(folder, path).split(sep).join('/'), sizeBytes: stats.size }]
        : [];
    });
}

function pruneEmpty(folder: string, root: string): void {
  for (let at = folder; at.startsWith(root) && at !== root; at = dirname(at)) {
    if (existsSync(at) && readdirSync(at).length > 0) return;
    if (existsSync(at)) rmdirSync(at);
  }
}
