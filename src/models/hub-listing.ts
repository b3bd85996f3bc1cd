// The files of a repository on the hub, with sizes and checksums. Listing pages are the hub library's business.

import { KoineError } from '../protocol/index.js';
import type { Candidate } from './choose-file.js';
import {
  backOffMs,
  type Hub,
  hubHeaders,
  isUnreachable,
  type Network,
  reasonOf,
  statusError,
  TransientError,
  unreachable,
} from './network.js';

/** A file on the hub. */
export interface HubFile extends Candidate {
  /** What the content must hash to: SHA-256 for large files, git's blob id for small ones. */
  readonly digest: { readonly kind: 'sha256' | 'git'; readonly hex: string } | undefined;
}

const TRIES = 4;

/** Lists a repository's files. Throws what a user should read: not found, refused, unreachable. */
export async function listRepository(
  repo: string,
  hub: Hub,
  network: Network,
  signal: AbortSignal,
): Promise<readonly HubFile[]> {
  const what = `hf:${repo}`;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await listOnce(repo, hub, network, signal);
    } catch (error) {
      if (error instanceof KoineError || signal.aborted) throw error;
      if (isUnreachable(error)) throw unreachable(what, hub, error);
      if (attempt === TRIES)
        throw new KoineError('unavailable', `${what}: ${complaint(error, hub)}.`, {}, error);
      await network.wait(backOffMs(attempt), signal);
    }
  }
}

async function listOnce(
  repo: string,
  hub: Hub,
  network: Network,
  signal: AbortSignal,
): Promise<readonly HubFile[]> {
  const { listFiles } = await import('@huggingface/hub');
  const files: HubFile[] = [];
  const listing = listFiles({
    repo: { type: 'model', name: repo },
    recursive: true,
    hubUrl: hub.endpoint,
    // The library accepts tokens of one shape only, so the header is ours; and so is what a status means.
    fetch: async (input, init) => {
      const headers = { ...hubHeaders(hub), accept: 'application/json' };
      const response = await network.fetch(input, { ...init, headers, signal });
      if (!response.ok) throw statusError(`hf:${repo}`, response.status, hub);
      return response;
    },
  });
  for await (const entry of listing) {
    // A name must not lead out of the folder it will be stored in.
    if (entry.type !== 'file' || entry.path.split(/[/\\]/).includes('..')) continue;
    files.push({ path: entry.path, sizeBytes: entry.size, digest: digestOf(entry.lfs?.oid, entry.oid) });
  }
  return files;
}

function digestOf(lfs: string | undefined, blob: string | undefined): HubFile['digest'] {
  if (lfs !== undefined) return { kind: 'sha256', hex: lfs.replace(/^sha256:/, '') };
  return blob === undefined ? undefined : { kind: 'git', hex: blob };
}

function complaint(error: unknown, { endpoint }: Hub): string {
  if (error instanceof TransientError) return error.message;
  return `the list of files could not be read from ${endpoint} (${reasonOf(error)})`;
}
