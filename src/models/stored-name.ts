// The small file beside a model that holds the name its user gave it.

import { readFileSync } from 'node:fs';

/** Never taken for a path with folders, a hub reference or a list. */
const NAME = /^[A-Za-z0-9](?:[\w .:()-]{0,98}[\w.:()-])?$/;

/** Whether a model can be named so. */
export function isName(name: string): boolean {
  return NAME.test(name) && !/^(hf|https?):/i.test(name);
}

/** Where the name of the model at a path is kept. */
export function nameFile(path: string): string {
  return `${path}.name`;
}

/** The name of the model at a path; undefined when it has none. */
export function readName(path: string): string | undefined {
  try {
    const name = readFileSync(nameFile(path), 'utf8').trim();
    return isName(name) ? name : undefined;
  } catch {
    return undefined;
  }
}
