// `koine rm MODEL`: deletes a model of the folder.

import type { Flags } from '../config/index.js';
import { findNamed, removeModel, removeStored, showBytes, showReference } from '../models/index.js';
import { hubReference } from './hub-reference.js';
import { modelsDirOf } from './resolve-options.js';
import { settingsOf } from './settings-of.js';

/** Deletes a model, given by name, id or reference, and prints how much room that made. */
export async function remove(model: string, flags: Flags): Promise<void> {
  const settings = await settingsOf(flags);
  const modelsDir = modelsDirOf(settings);
  const named = findNamed(modelsDir, model);
  if (named !== undefined) {
    told(named.reference, removeModel(modelsDir, named));
    return;
  }
  const reference = hubReference(model, settings);
  told(showReference(reference), removeStored(modelsDir, reference));
}

function told(what: string, bytes: number): void {
  process.stdout.write(`removed ${what} (${showBytes(bytes)})\n`);
}
