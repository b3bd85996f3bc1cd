// `koine version`: the versions that matter in a report.

import { LLAMA_VERSION, NATIVE_PACKAGE_VERSION } from '../native/index.js';
import { version } from './package-files.js';

/** Prints Koine's version, Node's, and those of the native parts it is made for. */
export function printVersions(): void {
  process.stdout.write(
    `koine ${version()}\nnode ${process.versions.node}\nllama.cpp ${LLAMA_VERSION} (@node-llama-cpp ${NATIVE_PACKAGE_VERSION})\n`,
  );
}
