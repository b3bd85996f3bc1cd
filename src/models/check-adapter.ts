// Decides whether a file can be a LoRA adapter, before an engine process is started.

import { checkIsFile } from './check-model.js';
import { badModel, readGgufHeader } from './gguf-header.js';

/** Throws `invalid_request` that names the file and the reason when it is not an adapter in GGUF form, or cut off. */
export function checkAdapter(path: string): void {
  checkIsFile(path);
  const header = readGgufHeader(path);
  if (header.metadata.get('general.type') !== 'adapter') {
    throw badModel(path, 'not a LoRA adapter (its general.type is not "adapter").');
  }
  if (header.fileBytes < header.neededBytes) {
    throw badModel(
      path,
      `the file is cut off: ${header.fileBytes} of ${header.neededBytes} bytes are there.`,
    );
  }
}
