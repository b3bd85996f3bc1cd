// `koine pull MODEL`: downloads a model for later.

import type { Flags } from '../config/index.js';
import { checkModel, checkName, NoModelError, nameStored, pullModel } from '../models/index.js';
import { hubReference } from './hub-reference.js';
import { modelsDirOf, resolveOptionsOf } from './resolve-options.js';
import { settingsOf } from './settings-of.js';

/** How a model is pulled, beside settings. */
export interface PullFlags extends Flags {
  /** Calls the model so from now on. */
  readonly name?: string;
  /** A repository without any GGUF model is no failure. */
  readonly ifAvailable?: boolean;
}

/** Downloads a model and prints where it is. Interrupted, it keeps what arrived. */
export async function pull(model: string, { name, ifAvailable, ...flags }: PullFlags): Promise<void> {
  const settings = await settingsOf(flags);
  const reference = hubReference(model, settings);
  if (name !== undefined) {
    const prefix = `hf:${reference.repo}:`;
    checkName(modelsDirOf(settings), name, (other) => other.reference.startsWith(prefix));
  }
  const abort = new AbortController();
  const stop = (): void => abort.abort();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    const path = await pullModel(reference, resolveOptionsOf(settings, abort.signal));
    checkModel(path, true);
    if (name !== undefined) nameStored(modelsDirOf(settings), path, name);
    process.stdout.write(`${path}\n`);
  } catch (error) {
    if (abort.signal.aborted) {
      process.stderr.write('\nkoine: stopped; the same command continues where it ended.\n');
      process.exitCode = 2;
    } else if (ifAvailable === true && error instanceof NoModelError) {
      process.stderr.write(`koine: ${error.message}\n`);
    } else throw error;
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}
