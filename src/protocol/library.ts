// Managing the models of a server while it runs: what there is, fetching, importing, loading, unloading, naming and
// deleting. One implementation serves every dialect that has paths for it.

import type { EngineState } from './engine.js';

/** A file of a download. */
export interface DownloadFile {
  /** Path in its repository. */
  readonly path: string;
  readonly sizeBytes: number;
  /** Bytes that are there. */
  readonly haveBytes: number;
}

/** A download, running or the last one of its model. */
export interface Download {
  readonly state: 'running' | 'done' | 'failed' | 'cancelled';
  readonly files: readonly DownloadFile[];
  /** Why it failed, or why it waits before it goes on. */
  readonly message?: string;
}

/** A model of the library. */
export interface LibraryModel {
  /** Permanent: `org:repo:file.gguf` of a hub, the id it was imported under, or the name it is served under. */
  readonly id: string;
  /** The name requests use it by, unless it cannot be asked for. */
  readonly servedAs?: string;
  /** What its user calls it. */
  readonly name?: string;
  /** Other names it answers to. */
  readonly aliases: readonly string[];
  /** `incomplete`: a part is missing, or nothing but a part of a download is there. */
  readonly files: 'complete' | 'downloading' | 'incomplete';
  readonly sizeBytes: number;
  /** Seconds since the epoch at which its file was last changed; 0 while there is none. */
  readonly changedAt: number;
  /** What its engine does; absent where it cannot be asked for. */
  readonly state?: EngineState;
  /** Why it is complete and cannot be asked for. */
  readonly problem?: string;
  readonly download?: Download;
}

/** Where a model is to be fetched from. */
export interface PullRequest {
  /** `hf:org/repo[:quant]`, `org/repo`, the address of a file, or the id of a model of the hub. */
  readonly model: string;
  /** What to call it. */
  readonly name?: string;
}

/** A model file of the server's machine. */
export interface ImportRequest {
  /** Absolute. */
  readonly path: string;
  readonly id: string;
  readonly name?: string;
  readonly how: 'link' | 'copy';
}

/**
 * The models of a server. Models are named by any of their names. Everything rejects with `model_not_found` for a model
 * nobody knows, `conflict` for what does not go together with what is there, `invalid_request` for what cannot be done.
 */
export interface Library {
  /** Every model of which all files are there, in the order they are listed for clients. */
  list(): Promise<readonly LibraryModel[]>;
  /** One model, also one that is being fetched. */
  get(model: string): Promise<LibraryModel>;
  /**
   * Begins to fetch a model, and resolves once it is known what there is to fetch. A model that is being fetched already
   * is not fetched twice, one that is there is not fetched at all.
   */
  pull(request: PullRequest): Promise<LibraryModel>;
  /** The model again and again while it is being fetched, at most every so often, and once when that is over. */
  follow(model: string, everyMs: number, signal: AbortSignal): AsyncIterable<LibraryModel>;
  /** Ends a download. What arrived is kept for the next one. */
  cancelPull(model: string): Promise<LibraryModel>;
  import(request: ImportRequest): Promise<LibraryModel>;
  /** Loads a model into memory; resolves when it is ready. */
  start(model: string, signal: AbortSignal): Promise<LibraryModel>;
  /** Frees a model's memory when nobody uses it any more; `conflict` when that takes too long. */
  stop(model: string): Promise<LibraryModel>;
  /** Names a model, or takes its name away with null. */
  rename(model: string, name: string | null): Promise<LibraryModel>;
  /**
   * Takes a model out when nobody uses it any more, and deletes its files where they are the library's own. `unlinked`:
   * they are elsewhere, where they were imported from. `forgotten`: they are elsewhere, and served again by the next
   * start. `conflict` when requests go on for too long.
   */
  remove(model: string): Promise<'deleted' | 'unlinked' | 'forgotten'>;
}
