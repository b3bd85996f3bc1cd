// Takes a model file that is elsewhere on this machine into the folder of models, by a link or as a copy.

import { constants, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { KoineError } from '../protocol/index.js';
import { checkModel } from './check-model.js';
import { badModel } from './gguf-header.js';
import { IMPORTED, importFolder, isImportId } from './ids.js';
import { locateModel } from './locate.js';
import { checkName, findNamed } from './names.js';
import { networkCode } from './network.js';
import { partOf, partsOf } from './split-files.js';
import type { StoredModel } from './store.js';
import { nameFile } from './stored-name.js';

/** What to import. */
export interface ImportWish {
  /** A GGUF file, any part of a split one, or a folder with one; absolute. */
  readonly path: string;
  /** Its permanent id. */
  readonly id: string;
  /** What its user calls it beside that. */
  readonly name?: string;
  /** A link leaves the file where it is, and breaks when it is moved. */
  readonly how: 'link' | 'copy';
}

/** Where to, and what may be imported. */
export interface ImportOptions {
  readonly modelsDir: string;
  /** Also accept architectures the pinned libraries do not know, because other libraries are in use. */
  readonly anyArchitecture: boolean;
}

/**
 * Imports a model. Throws `conflict` when a model has the id or name, `invalid_request` when there is no model at the
 * path, it cannot be read, or the id cannot be one. Nothing is left behind then.
 */
export async function importModel(wish: ImportWish, options: ImportOptions): Promise<StoredModel> {
  const { modelsDir, anyArchitecture } = options;
  checkId(wish.id, modelsDir);
  if (wish.name !== undefined) checkName(modelsDir, wish.name, () => false);
  const { path, parts } = lookInto(wish.path, anyArchitecture);
  const folder = join(modelsDir, IMPORTED, importFolder(wish.id));
  const targets = targetsOf(folder, parts);
  // What is left there is no model any more: a link that leads nowhere, a copy that was interrupted.
  rmSync(folder, { recursive: true, force: true });
  try {
    mkdirSync(folder, { recursive: true });
    for (const [i, target] of targets.entries()) await place(parts[i] ?? path, target, wish.how);
    const [first = ''] = targets;
    if (wish.name !== undefined) writeFileSync(nameFile(first), `${wish.name}\n`);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error instanceof KoineError ? error : notPlaced(wish, folder, error);
  }
  const stored = findNamed(modelsDir, wish.id);
  if (stored === undefined) throw new Error(`${wish.id} was imported and is not there`);
  return stored;
}

function checkId(id: string, modelsDir: string): void {
  if (!isImportId(id)) {
    throw new KoineError(
      'invalid_request',
      `"${id}" cannot be the id of a model: use up to 200 letters, digits and characters of .-_:/, a letter or digit first.`,
    );
  }
  const other = findNamed(modelsDir, id);
  if (other !== undefined)
    throw new KoineError('conflict', `There is a model ${id} already: ${other.reference}.`);
}

/** The first file and all files of the model at a path, once it is known to be one. */
function lookInto(
  given: string,
  anyArchitecture: boolean,
): { readonly path: string; readonly parts: readonly string[] } {
  try {
    const path = locateModel(given);
    const { header } = checkModel(path, anyArchitecture);
    return { path, parts: partsOf(path, header.parts) };
  } catch (error) {
    if (error instanceof KoineError) throw error;
    throw badModel(given, `cannot be read (${networkCode(error) ?? String(error)}).`, error);
  }
}

/** Names that tell nothing but the parts: the engine finds the parts of a split model by theirs. */
function targetsOf(folder: string, parts: readonly string[]): readonly string[] {
  return parts.map((part) => {
    const number = partOf(part);
    if (number === undefined) return join(folder, 'model.gguf');
    const digits = (n: number): string => String(n).padStart(5, '0');
    return join(folder, `model-${digits(number.part)}-of-${digits(number.count)}.gguf`);
  });
}

async function place(file: string, target: string, how: ImportWish['how']): Promise<void> {
  if (how === 'link') {
    symlinkSync(resolve(file), target);
    return;
  }
  await copyFile(file, `${target}.part`, constants.COPYFILE_FICLONE);
  renameSync(`${target}.part`, target);
}

function notPlaced({ how }: ImportWish, folder: string, error: unknown): KoineError {
  const code = networkCode(error) ?? String(error);
  const remedy = how === 'link' ? 'import it as a copy' : 'make room, or let the server write there';
  return new KoineError(
    'unavailable',
    `${folder}: the model could not be put there (${code}); ${remedy}.`,
    {},
    error,
  );
}
