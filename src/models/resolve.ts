// From what the user wrote to a checked model file on disk: the demo, a path, or the hub by way of the folder of
// downloaded models.

import { existsSync } from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';
import { type CheckedModel, checkModel } from './check-model.js';
import { type StoredId, storedId } from './ids.js';
import { locateModel } from './locate.js';
import { findNamed } from './names.js';
import type { DownloadProgress, Hub, Network } from './network.js';
import { fetchPlan, planPull } from './pull.js';
import { type HubReference, parseReference } from './reference.js';
import { shortName } from './split-files.js';
import { findStored } from './store.js';
import { readName } from './stored-name.js';

/** A model that is on disk and can be tried. */
export interface ResolvedModel extends CheckedModel {
  /** Absolute path of the first (or only) file. */
  readonly path: string;
  /** Short stable name to publish it under. */
  readonly id: string;
  /** Its permanent id, if it is in the folder of models. */
  readonly storedId?: string;
}

/** What resolving works with. `tools` is asked for only when something has to be fetched. */
export interface ResolveOptions {
  readonly cwd: string;
  readonly modelsDir: string;
  /** Also accept architectures the pinned libraries do not know, because other libraries are in use. */
  readonly anyArchitecture: boolean;
  readonly hub: Hub;
  readonly signal: AbortSignal;
  tools(): Promise<{ readonly network: Network; readonly progress: DownloadProgress }>;
}

/** Finds, fetches if need be, and checks a model. Throws `KoineError` with one sentence for the user. */
export async function resolveModel(given: string, options: ResolveOptions): Promise<ResolvedModel> {
  const reference = parseReference(given, options.cwd, options.hub.endpoint);
  const path =
    reference.kind === 'hub'
      ? await ensureStored(reference, options)
      : (namedPath(given, reference.path, options) ?? locateModel(reference.path));
  return resolveFile(path, options);
}

/** Checks the model at a path. Throws `KoineError` with one sentence for the user. */
export function resolveFile(
  path: string,
  { modelsDir, anyArchitecture }: Pick<ResolveOptions, 'modelsDir' | 'anyArchitecture'>,
): ResolvedModel {
  const stored = storedAt(modelsDir, path);
  const own = stored?.origin === 'imported' ? stored.id : shortName(path);
  const id = readName(path) ?? own;
  return {
    path,
    id,
    ...(stored !== undefined && { storedId: stored.id }),
    ...checkModel(path, anyArchitecture),
  };
}

/** What a path is in the folder of models; undefined outside of it. */
function storedAt(modelsDir: string, path: string): StoredId | undefined {
  const place = relative(modelsDir, path);
  const steps = place.split(sep);
  return isAbsolute(place) || steps[0] === '..' ? undefined : storedId(steps.join('/'));
}

/** The model with this name in the folder of downloads, unless there is something at the path itself. */
function namedPath(given: string, path: string, { modelsDir }: ResolveOptions): string | undefined {
  return existsSync(path) ? undefined : findNamed(modelsDir, given)?.path;
}

/** The first file of a hub model, fetched unless it is in the folder already. */
async function ensureStored(reference: HubReference, options: ResolveOptions): Promise<string> {
  return findStored(options.modelsDir, reference) ?? (await pullModel(reference, options));
}

/**
 * Fetches a hub model, also when a similar one is there already; parts that are there are not fetched again.
 * Returns the path of its first file.
 */
export async function pullModel(reference: HubReference, options: ResolveOptions): Promise<string> {
  const { network, progress } = await options.tools();
  const tools = { ...options, network, progress };
  const plan = await planPull(reference, tools);
  await fetchPlan(plan, tools);
  return plan.path;
}
