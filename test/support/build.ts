// Before any test: the compiled `dist` is up to date, because tests of whole processes run it. Compiles only when a
// source has changed.

import { ensureBuilt } from '../../scripts/ready.mjs';

/** Vitest's global set-up. A build that fails is told but stops no test that needs none; `npm test` counts it. */
export function setup(): void {
  try {
    ensureBuilt();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  }
}
