// Fetches one file so that the target appears whole and checked, or not at all. A partial file beside the target
// survives interruptions; it is continued only while the source is known to be the same.

import { createHash, type Hash } from 'node:crypto';
import {
  createReadStream,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { KoineError } from '../protocol/index.js';
import { showBytes } from './choose-file.js';
import { claim } from './claim.js';
import type { HubFile } from './hub-listing.js';
import {
  backOffMs,
  type DownloadProgress,
  type Hub,
  hubHeaders,
  isUnreachable,
  type Network,
  networkCode,
  reasonOf,
  statusError,
  TransientError,
  unreachable,
} from './network.js';

/** One file to fetch. */
export interface Download {
  /** For messages, e.g. `hf:org/repo:model.gguf`. */
  readonly what: string;
  readonly url: string;
  readonly target: string;
  readonly file: HubFile;
}

/** Who and what a download works with. */
export interface DownloadTools {
  readonly hub: Hub;
  readonly network: Network;
  readonly progress: DownloadProgress;
  readonly signal: AbortSignal;
}

/** Tries in a row without a single new byte before giving up. */
const FRUITLESS_TRIES = 6;
/** Left free on the disk beside what is fetched. */
const SPARE_BYTES = 64 * 2 ** 20;

/**
 * Fetches a file to its target. Throws `unavailable` when the network or disk does not allow it, or another process is
 * at it; `model_not_found` when the hub refuses. After an abort or a lost network the partial file is kept for the next call.
 */
export async function download(job: Download, tools: DownloadTools): Promise<void> {
  const release = claim(job.target, job.what);
  try {
    // Whoever had it before may have finished it.
    if (statSync(job.target, { throwIfNoEntry: false })?.size !== job.file.sizeBytes)
      await fetchTo(job, tools);
  } finally {
    release();
  }
}

async function fetchTo(job: Download, tools: DownloadTools): Promise<void> {
  const part = new PartialFile(job);
  checkSpace(job, part.size);
  tools.progress.begin(job.file.path, job.file.sizeBytes, part.size);
  try {
    await fetchAll(job, part, tools);
    tools.progress.verify();
    await verify(job, part);
    part.finish();
  } finally {
    tools.progress.end();
  }
}

async function fetchAll(job: Download, part: PartialFile, tools: DownloadTools): Promise<void> {
  let fruitless = 0;
  while (part.size < job.file.sizeBytes) {
    const before = part.size;
    try {
      await fetchOnce(job, part, tools);
      if (part.size < job.file.sizeBytes) throw new TransientError('the connection was closed early');
    } catch (error) {
      tools.signal.throwIfAborted();
      if (error instanceof KoineError) throw error;
      fruitless = part.size > before ? 1 : fruitless + 1;
      if (fruitless === FRUITLESS_TRIES) {
        if (isUnreachable(error)) throw unreachable(job.what, tools.hub, error);
        const kept =
          part.size > 0
            ? ` The ${showBytes(part.size)} that arrived are kept; the same command continues.`
            : '';
        throw new KoineError(
          'unavailable',
          `${job.what}: download failed: ${reasonOf(error)}.${kept}`,
          {},
          error,
        );
      }
      const waitMs = backOffMs(fruitless);
      tools.progress.retry(reasonOf(error), waitMs);
      await tools.network.wait(waitMs, tools.signal);
    }
  }
}

/** One request: asks for what is missing and appends what comes, as long as it comes. */
async function fetchOnce(job: Download, part: PartialFile, tools: DownloadTools): Promise<void> {
  const { network, hub, progress } = tools;
  const stalled = new AbortController();
  let timer = setTimeout(() => stalled.abort(), network.stallMs);
  try {
    const response = await network.fetch(job.url, {
      headers: { ...hubHeaders(hub), ...part.rangeHeaders() },
      signal: AbortSignal.any([tools.signal, stalled.signal]),
    });
    if (response.status === 416) return part.restart(progress);
    if (!response.ok || response.body === null) throw statusError(job.what, response.status, hub);
    const isRest =
      response.status === 206 && response.headers.get('content-range')?.startsWith(`bytes ${part.size}-`);
    if (part.size > 0 && !isRest) part.restart(progress);
    part.remember(response.headers.get('etag'));
    const handle = await open(part.path, 'a');
    try {
      for await (const chunk of response.body) {
        clearTimeout(timer);
        timer = setTimeout(() => stalled.abort(), network.stallMs);
        await handle.write(chunk);
        part.size += chunk.byteLength;
        progress.advance(chunk.byteLength);
        if (part.size > job.file.sizeBytes) return part.restart(progress);
      }
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (stalled.signal.aborted && !tools.signal.aborted) {
      throw new TransientError(`nothing arrived for ${Math.round(network.stallMs / 1000)} s`, {
        cause: error,
      });
    }
    if (networkCode(error) === 'ENOSPC')
      throw new KoineError('unavailable', `${job.target}: the disk is full.`, {}, error);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Bytes that an earlier try has left for a target. Whether they are still good is found out by the next. */
export function partialBytes(target: string): number {
  return statSync(`${target}.part`, { throwIfNoEntry: false })?.size ?? 0;
}

/** The bytes that have arrived so far, and the note that says of what. */
class PartialFile {
  readonly path: string;
  readonly #note: string;
  readonly #target: string;
  readonly #identity: string;
  #etag: string | undefined;
  size = 0;

  constructor(job: Download) {
    this.path = `${job.target}.part`;
    this.#note = `${job.target}.part.json`;
    this.#target = job.target;
    this.#identity = `${job.file.sizeBytes}:${job.file.digest?.hex ?? ''}`;
    const note = readNote(this.#note);
    const size = partialBytes(job.target);
    if (note?.identity === this.#identity && size <= job.file.sizeBytes) {
      this.size = size;
      this.#etag = note.etag;
    } else {
      this.discard();
    }
  }

  rangeHeaders(): Record<string, string> {
    if (this.size === 0) return {};
    const isStrong = this.#etag?.startsWith('"') === true;
    return { range: `bytes=${this.size}-`, ...(isStrong ? { 'if-range': this.#etag ?? '' } : {}) };
  }

  remember(etag: string | null): void {
    this.#etag = etag ?? undefined;
    writeFileSync(this.#note, JSON.stringify({ identity: this.#identity, etag: this.#etag }));
  }

  restart(progress: DownloadProgress): void {
    progress.advance(-this.size);
    this.discard();
  }

  discard(): void {
    rmSync(this.path, { force: true });
    rmSync(this.#note, { force: true });
    this.size = 0;
    this.#etag = undefined;
  }

  finish(): void {
    if (this.size === 0 && !existsSync(this.path)) writeFileSync(this.path, '');
    renameSync(this.path, this.#target);
    rmSync(this.#note, { force: true });
  }
}

function readNote(path: string): { identity?: unknown; etag?: string } | undefined {
  try {
    const note: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof note !== 'object' || note === null || !('identity' in note)) return undefined;
    return {
      identity: note.identity,
      ...('etag' in note && typeof note.etag === 'string' ? { etag: note.etag } : {}),
    };
  } catch {
    // No note, or one that was cut off: what lies beside it cannot be trusted, and is fetched again.
    return undefined;
  }
}

async function verify(job: Download, part: PartialFile): Promise<void> {
  const { digest, sizeBytes } = job.file;
  if (digest === undefined) return;
  const hash: Hash = createHash(digest.kind === 'sha256' ? 'sha256' : 'sha1');
  if (digest.kind === 'git') hash.update(`blob ${sizeBytes}\0`);
  if (sizeBytes > 0)
    for await (const chunk of createReadStream(part.path, { highWaterMark: 1 << 20 })) hash.update(chunk);
  const actual = hash.digest('hex');
  if (actual === digest.hex) return;
  part.discard();
  throw new KoineError(
    'unavailable',
    `${job.what}: the checksum of what arrived is ${actual} but should be ${digest.hex}; it was deleted. Try again.`,
  );
}

function checkSpace(job: Download, haveBytes: number): void {
  const { bavail, bsize } = statfsSync(dirname(job.target));
  const needed = job.file.sizeBytes - haveBytes + SPARE_BYTES;
  const free = bavail * bsize;
  if (free >= needed) return;
  throw new KoineError(
    'unavailable',
    `${job.what} needs ${showBytes(needed)} on the disk of ${dirname(job.target)}, where ${showBytes(free)} are free; ` +
      'make room or choose another folder with --models-dir.',
  );
}
