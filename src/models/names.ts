// Names that users give to models of the folder. Each is a small file beside its model, so that models can still be
// moved and deleted by hand.

import { rmSync, writeFileSync } from 'node:fs';
import { KoineError } from '../protocol/index.js';
import { listStored, type StoredModel } from './store.js';
import { isName, nameFile } from './stored-name.js';

/** The model of the folder that has this id or name. */
export function findNamed(modelsDir: string, name: string): StoredModel | undefined {
  const models = listStored(modelsDir);
  return models.find((model) => model.id === name) ?? models.find((model) => model.name === name);
}

/**
 * Says no before a model is fetched for nothing: throws `invalid_request` for what is no name, and `conflict` for one
 * that a model has which `mayHave` does not allow to have it.
 */
export function checkName(modelsDir: string, name: string, mayHave: (model: StoredModel) => boolean): void {
  if (!isName(name)) {
    throw new KoineError(
      'invalid_request',
      `"${name}" cannot be a name: use up to 100 letters, digits, spaces and characters of .-_:(), a letter or digit first.`,
    );
  }
  const other = findNamed(modelsDir, name);
  if (other !== undefined && !mayHave(other)) throw taken(name, other);
}

/** Names the model at a path, in place of an earlier name. Throws `conflict` when another model has the name. */
export function nameStored(modelsDir: string, path: string, name: string): void {
  checkName(modelsDir, name, (model) => model.path === path);
  writeFileSync(nameFile(path), `${name}\n`);
}

/** Takes its name from the model at a path. */
export function unnameStored(path: string): void {
  rmSync(nameFile(path), { force: true });
}

function taken(name: string, { reference }: StoredModel): KoineError {
  return new KoineError('conflict', `The name ${name} is that of ${reference}; choose another.`);
}
