// `koine rm hf:org/repo[:quant]`: deletes a downloaded model.

import type { Flags } from '../config/index.js';
import { removeStored, showBytes, showReference } from '../models/index.js';
import { hubReference } from './hub-reference.js';
import { modelsDirOf } from './resolve-options.js';
import { settingsOf } from './settings-of.js';

/** Deletes a model and prints how much room that made. */
export async function remove(model: string, flags: Flags): Promise<void> {
  const reference = hubReference(model);
  const bytes = removeStored(modelsDirOf(await settingsOf(flags)), reference);
  process.stdout.write(`removed ${showReference(reference)} (${showBytes(bytes)})\n`);
}
