// From what the user wrote to a checked model file on disk: the demo, a path, or the hub by way of the folder of
// downloaded models.

import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type CheckedModel, checkModel } from './check-model.js';
import { chooseFiles } from './choose-file.js';
import { download } from './download.js';
import { listRepository } from './hub-listing.js';
import { locateModel } from './locate.js';
import { findNamed } from './names.js';
import type { DownloadProgress, Hub, Network } from './network.js';
import { type HubReference, parseReference, showReference } from './reference.js';
import { shortName } from './split-files.js';
import { findStored, repositoryFolder } from './store.js';
import { readName } from './stored-name.js';

/** A model that is on disk and can be tried. */
export interface ResolvedModel extends CheckedModel {
  /** Absolute path of the first (or only) file. */
  readonly path: string;
  /** Short stable name to publish it under. */
  readonly id: string;
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
  return { path, id: readName(path) ?? shortName(path), ...checkModel(path, options.anyArchitecture) };
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
  const { hub, signal } = options;
  const { network, progress } = await options.tools();
  const what = showReference(reference);
  const files = chooseFiles(what, await listRepository(reference.repo, hub, network, signal), reference);
  const folder = repositoryFolder(options.modelsDir, reference.repo);
  for (const file of files) {
    const target = join(folder, ...file.path.split('/'));
    if (isThere(target, file.sizeBytes)) continue;
    const place = file.path.split('/').map(encodeURIComponent).join('/');
    const url = `${hub.endpoint}/${reference.repo}/resolve/main/${place}`;
    await download(
      { what: `hf:${reference.repo}:${file.path}`, url, target, file },
      { hub, network, progress, signal },
    );
  }
  return join(folder, ...(files[0]?.path ?? '').split('/'));
}

function isThere(target: string, sizeBytes: number): boolean {
  return statSync(target, { throwIfNoEntry: false })?.size === sizeBytes;
}
