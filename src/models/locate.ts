// Finds the model a path stands for: a file, or a folder that holds exactly one.

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { showBytes } from './choose-file.js';
import { badModel } from './gguf-header.js';
import { isModelName, partOf, partsOf } from './split-files.js';

/** The path of the model's first file. Throws `invalid_request` when there is none, or more than one to choose from. */
export function locateModel(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw badModel(path, 'no such file or folder.');
  if (!stats.isDirectory()) return firstPart(path);
  const models = readdirSync(path)
    .filter((name) => isModelName(name) && statSync(join(path, name), { throwIfNoEntry: false })?.isFile())
    .sort();
  const [only] = models;
  if (only === undefined) throw badModel(path, 'the folder holds no GGUF model.');
  if (models.length > 1) {
    const list = models.map((name) => `${name} (${showBytes(statSync(join(path, name)).size)})`).join(', ');
    throw badModel(path, `the folder holds several models, name one of them: ${list}.`);
  }
  return join(path, only);
}

/** A later part of a split model stands for the whole. */
function firstPart(path: string): string {
  const part = partOf(path);
  return part === undefined ? path : (partsOf(path, part.count)[0] ?? path);
}
