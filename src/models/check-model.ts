// Decides whether a file on disk can be served, part by part. What the header cannot tell is left to the engine.

import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { ARCHITECTURES } from './gguf-facts.js';
import { badModel, type GgufHeader, readGgufHeader } from './gguf-header.js';
import { partsOf } from './split-files.js';

/** A model file that has been looked into. */
export interface CheckedModel {
  readonly header: GgufHeader;
  /** Weights in all parts. */
  readonly parameters: number;
  readonly sizeBytes: number;
}

/**
 * Checks a model by its first (or only) file. Throws `invalid_request` that names the file and the reason: not a
 * GGUF, cut off, not a language model, an architecture the libraries do not know (not checked for `anyArchitecture`).
 */
export function checkModel(path: string, anyArchitecture = false): CheckedModel {
  checkIsFile(path);
  const first = readGgufHeader(path);
  if (first.architecture === 'clip') {
    throw badModel(path, 'a projector for images or audio, which is not a model by itself.');
  }
  if (first.metadata.get('general.type') === 'adapter') {
    throw badModel(path, 'a LoRA adapter, which is not a model by itself; load it with --lora NAME=FILE.');
  }
  if (!anyArchitecture && !ARCHITECTURES.has(first.architecture)) {
    throw badModel(path, `the architecture "${first.architecture}" is not one that llama.cpp knows.`);
  }
  let parameters = 0;
  let sizeBytes = 0;
  for (const part of partsOf(path, first.parts)) {
    checkIsFile(part);
    const header = part === path ? first : readGgufHeader(part);
    if (header.fileBytes < header.neededBytes) {
      throw badModel(
        part,
        `the file is cut off: ${header.fileBytes} of ${header.neededBytes} bytes are there.`,
      );
    }
    parameters += header.parameters;
    sizeBytes += header.fileBytes;
  }
  return { header: first, parameters, sizeBytes };
}

/** Throws `invalid_request` unless there is a file at the path. */
export function checkIsFile(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw badModel(path, 'no such file.');
  if (!stats.isFile()) throw badModel(path, `${basename(path)} is not a file.`);
}
