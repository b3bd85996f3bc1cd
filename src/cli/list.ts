// `koine list`: the downloaded models.

import type { Flags } from '../config/index.js';
import { listStored, showBytes } from '../models/index.js';
import { modelsDirOf } from './resolve-options.js';
import { settingsOf } from './settings-of.js';

/** Prints one line per model: what to write to serve it, size, date, its name if it has one. */
export async function list(flags: Flags): Promise<void> {
  const folder = modelsDirOf(await settingsOf(flags));
  const models = listStored(folder);
  if (models.length === 0) {
    process.stdout.write(`No models in ${folder}; \`koine pull hf:org/repo\` downloads one.\n`);
    return;
  }
  const width = Math.max(...models.map((model) => model.reference.length));
  for (const { reference, name, sizeBytes, changedAt, isComplete } of models) {
    const note = `${name === undefined ? '' : `  named ${name}`}${isComplete ? '' : '  incomplete: pull it again'}`;
    const day = changedAt.toISOString().slice(0, 10);
    process.stdout.write(`${reference.padEnd(width)}  ${showBytes(sizeBytes).padStart(8)}  ${day}${note}\n`);
  }
}
