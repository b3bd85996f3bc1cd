// Names that users give to models of the folder. Each is a small file beside its model, so that models can still be
// moved and deleted by hand.

import { writeFileSync } from 'node:fs';
import { KoineError } from '../protocol/index.js';
import type { HubReference } from './reference.js';
import { listStored, type StoredModel } from './store.js';
import { isName, nameFile } from './stored-name.js';

/** The model of the folder that has this name. */
export function findNamed(modelsDir: string, name: string): StoredModel | undefined {
  return isName(name) ? listStored(modelsDir).find((model) => model.name === name) : undefined;
}

/**
 * Says no before a model of this repository is fetched for nothing: throws `invalid_request` for what is no name, and
 * for one that a model of another repository has.
 */
export function checkName(modelsDir: string, name: string, { repo }: HubReference): void {
  if (!isName(name)) {
    throw new KoineError(
      'invalid_request',
      `"${name}" cannot be a name: use up to 100 letters, digits, dots, dashes and underscores, a letter or digit first.`,
    );
  }
  const other = findNamed(modelsDir, name);
  if (other !== undefined && !other.reference.startsWith(`hf:${repo}:`)) throw taken(name, other);
}

/** Names the model at a path, in place of an earlier name. Throws `invalid_request` when another model has the name. */
export function nameStored(modelsDir: string, path: string, name: string): void {
  const other = findNamed(modelsDir, name);
  if (other !== undefined && other.path !== path) throw taken(name, other);
  writeFileSync(nameFile(path), `${name}\n`);
}

function taken(name: string, { reference }: StoredModel): KoineError {
  return new KoineError('invalid_request', `The name ${name} is that of ${reference}; choose another.`);
}
