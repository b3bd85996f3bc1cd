// Fetches a model of the hub into the folder, in two steps: what there is to fetch, and fetching it.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { chooseFiles } from './choose-file.js';
import { type DownloadTools, download, partialBytes } from './download.js';
import { type HubFile, listRepository } from './hub-listing.js';
import { hubId } from './ids.js';
import type { Hub, Network } from './network.js';
import { type HubReference, showReference } from './reference.js';
import { repositoryFolder } from './store.js';

/** A file of a model, and where it goes. */
export interface PullFile extends HubFile {
  readonly target: string;
  /** Bytes of it that are there already. */
  readonly haveBytes: number;
}

/** What belongs to a model of the hub. */
export interface PullPlan {
  /** See `StoredModel`. */
  readonly id: string;
  readonly repo: string;
  /** Path of its first file, when it is there. */
  readonly path: string;
  /** First part first. */
  readonly files: readonly PullFile[];
}

/** Where to look for it and where to put it. */
export interface PullPlaces {
  readonly modelsDir: string;
  readonly hub: Hub;
  readonly network: Network;
  readonly signal: AbortSignal;
}

/** Asks the hub which files a reference means. Throws what a user should read. */
export async function planPull(reference: HubReference, places: PullPlaces): Promise<PullPlan> {
  const { modelsDir, hub, network, signal } = places;
  const { repo } = reference;
  const listed = await listRepository(repo, hub, network, signal);
  const folder = repositoryFolder(modelsDir, repo);
  const files = chooseFiles(showReference(reference), listed, reference).map((file) => {
    const target = join(folder, ...file.path.split('/'));
    return { ...file, target, haveBytes: isThere(target, file) ? file.sizeBytes : partialBytes(target) };
  });
  const [first] = files;
  if (first === undefined) throw new Error('a model without files');
  return { id: hubId(repo, first.path), repo, path: first.target, files };
}

/** Whether nothing is left to fetch. */
export function isPulled({ files }: PullPlan): boolean {
  return files.every((file) => isThere(file.target, file));
}

/** Fetches what is not there. After an abort or a lost network what arrived is kept for the next call. */
export async function fetchPlan({ repo, files }: PullPlan, tools: DownloadTools): Promise<void> {
  for (const { target, haveBytes: _, ...file } of files) {
    if (isThere(target, file)) continue;
    const place = file.path.split('/').map(encodeURIComponent).join('/');
    const url = `${tools.hub.endpoint}/${repo}/resolve/main/${place}`;
    await download({ what: `hf:${repo}:${file.path}`, url, target, file }, tools);
  }
}

function isThere(target: string, { sizeBytes }: HubFile): boolean {
  return statSync(target, { throwIfNoEntry: false })?.size === sizeBytes;
}
