// `koine rm MODEL`: deletes a downloaded model.

import type { Flags } from '../config/index.js';
import { removeStored, showBytes, showReference } from '../models/index.js';
import { hubReference } from './hub-reference.js';
import { modelsDirOf } from './resolve-options.js';
import { settingsOf } from './settings-of.js';

/** Deletes a model and prints how much room that made. */
export async function remove(model: string, flags: Flags): Promise<void> {
  const settings = await settingsOf(flags);
  const reference = hubReference(model, settings);
  const bytes = removeStored(modelsDirOf(settings), reference);
  process.stdout.write(`removed ${showReference(reference)} (${showBytes(bytes)})\n`);
}
