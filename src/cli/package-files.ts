// Files of the package itself: its version, and the demo model it ships.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The package's folder: two above this file, in src and in dist alike. */
export const packageRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** The model that is served when none is named. */
export const demoModelPath = join(packageRoot, 'models', 'demo', 'koine-demo-q8_0.gguf');

/** The package's version. */
export function version(): string {
  const described: unknown = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'));
  const isKnown = typeof described === 'object' && described !== null && 'version' in described;
  return isKnown ? String(described.version) : 'unknown';
}
