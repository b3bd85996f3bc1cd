// `koine import PATH`: takes a model file of this machine into the folder of models.

import { resolve } from 'node:path';
import type { Flags } from '../config/index.js';
import { importModel, shortName } from '../models/index.js';
import { modelsDirOf } from './resolve-options.js';
import { settingsOf } from './settings-of.js';

/** How a model is imported, beside settings. */
export interface ImportFlags extends Flags {
  /** The id to list and serve it under. */
  readonly name?: string;
  /** Copies the file; otherwise it stays where it is and a link leads there. */
  readonly copy?: boolean;
}

/** Imports a model and prints its id. */
export async function importFile(given: string, { name, copy, ...flags }: ImportFlags): Promise<void> {
  const settings = await settingsOf(flags);
  const path = resolve(given);
  const { id } = await importModel(
    { path, id: name ?? shortName(path), how: copy === true ? 'copy' : 'link' },
    { modelsDir: modelsDirOf(settings), anyArchitecture: settings.llamaLibDir !== undefined },
  );
  process.stdout.write(`${id}\n`);
}
