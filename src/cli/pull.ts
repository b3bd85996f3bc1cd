// `koine pull hf:org/repo[:quant]`: downloads a model for later.

import type { Flags } from '../config/index.js';
import { checkModel, pullModel } from '../models/index.js';
import { hubReference } from './hub-reference.js';
import { resolveOptionsOf } from './resolve-options.js';
import { settingsOf } from './settings-of.js';

/** Downloads a model and prints where it is. Interrupted, it keeps what arrived. */
export async function pull(model: string, flags: Flags): Promise<void> {
  const reference = hubReference(model);
  const settings = await settingsOf(flags);
  const abort = new AbortController();
  const stop = (): void => abort.abort();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    const path = await pullModel(reference, resolveOptionsOf(settings, abort.signal));
    checkModel(path, true);
    process.stdout.write(`${path}\n`);
  } catch (error) {
    if (!abort.signal.aborted) throw error;
    process.stderr.write('\nkoine: stopped; the same command continues where it ended.\n');
    process.exitCode = 2;
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}
