// The models of a running server as a library: what is in the folder of models, what is served, and what is being fetched.
// Files are the models room's business, engines the model set's; here they meet.

import { lstatSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  checkModel,
  checkName,
  importModel,
  isPulled,
  nameStored,
  type PullPlan,
  planPull,
  removeModel,
  type StoredModel,
  unnameStored,
} from '../../models/index.js';
import {
  type ImportRequest,
  KoineError,
  type Library,
  type LibraryModel,
  type PullRequest,
} from '../../protocol/index.js';
import type { Logger } from '../../telemetry/index.js';
import type { ServedModel } from '../model-set.js';
import { type DownloadMeans, Downloads, type ModelDownload } from './downloads.js';
import { hubWish } from './hub-wish.js';
import { type FolderParts, ServedFolder } from './served-folder.js';

/** What the library is made from. */
export interface LibraryParts extends DownloadMeans, FolderParts {
  readonly anyArchitecture: boolean;
  readonly log: Logger;
}

/** A model wherever it is known. At least one of the three is there. */
interface Found {
  readonly id: string;
  readonly served: ServedModel | undefined;
  readonly stored: StoredModel | undefined;
  readonly download: ModelDownload | undefined;
}

/** See `Library`. */
export class ServerLibrary implements Library {
  readonly #parts: LibraryParts;
  readonly #downloads: Downloads;
  readonly #folder: ServedFolder;
  readonly #closing = new AbortController();

  constructor(parts: LibraryParts) {
    this.#parts = parts;
    this.#downloads = new Downloads(parts);
    this.#folder = new ServedFolder(parts);
    this.#folder.refresh();
  }

  async list(): Promise<readonly LibraryModel[]> {
    const stored = this.#folder.refresh();
    const { all } = this.#parts.models;
    const served = all.map((model) => this.#view(this.#found(stored, model.id)));
    const others = stored.filter((model) => model.isComplete && !all.some(({ path }) => path === model.path));
    const unserved = others.map((model) => ({ id: model.id, served: undefined, stored: model }));
    return [
      ...served,
      ...unserved.map((model) => this.#view({ ...model, download: this.#downloads.find(model.id) })),
    ];
  }

  async get(model: string): Promise<LibraryModel> {
    return this.#view(this.#found(this.#folder.refresh(), model));
  }

  async pull({ model, name }: PullRequest): Promise<LibraryModel> {
    const { modelsDir, hub } = this.#parts;
    const reference = hubWish(model, modelsDir, hub.endpoint);
    if (name !== undefined) {
      const prefix = `hf:${reference.repo}:`;
      checkName(modelsDir, name, (other) => other.reference.startsWith(prefix));
    }
    const places = { modelsDir, hub, network: await this.#parts.network(), signal: this.#closing.signal };
    const plan = await planPull(reference, places);
    this.#folder.requireSteady(plan.id);
    if (name !== undefined) this.#requireFreeName(name, plan.path);
    if (isPulled(plan)) this.#finish(plan, name);
    else this.#fetch(plan, name);
    return this.get(plan.id);
  }

  async *follow(model: string, everyMs: number, signal: AbortSignal): AsyncIterable<LibraryModel> {
    for (;;) {
      const found = this.#found(this.#folder.refresh(), model);
      yield this.#view(found);
      if (found.download?.isRunning !== true || signal.aborted) return;
      const pause = sleep(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
      await Promise.race([found.download.over, pause]);
    }
  }

  async cancelPull(model: string): Promise<LibraryModel> {
    const found = this.#found(this.#folder.refresh(), model);
    if (found.download?.isRunning !== true) {
      throw new KoineError('invalid_request', `The model ${found.id} is not being downloaded.`);
    }
    await found.download.cancel();
    return this.get(found.id);
  }

  async import(request: ImportRequest): Promise<LibraryModel> {
    const { id, name, path } = request;
    if (!isAbsolute(path)) {
      throw new KoineError('invalid_request', `${path} is not an absolute path on the server's machine.`);
    }
    this.#requireFreeName(id);
    if (name !== undefined) this.#requireFreeName(name);
    const stored = await this.#folder.whileChanging(id, () => importModel(request, this.#parts));
    return this.get(stored.id);
  }

  async start(model: string, signal: AbortSignal): Promise<LibraryModel> {
    const { id, served, stored } = this.#found(this.#folder.refresh(), model);
    if (served === undefined && stored?.isComplete !== true) {
      throw new KoineError('conflict', `The model ${id} is not complete: pull it first.`);
    }
    this.#folder.requireSteady(id);
    const { engine } = served ?? this.#folder.serve(stored as StoredModel);
    await engine.load(signal);
    return this.get(id);
  }

  async stop(model: string): Promise<LibraryModel> {
    const stored = this.#folder.refresh();
    const { id, served } = this.#found(stored, model);
    await served?.engine.unload();
    return this.#view(this.#found(stored, id));
  }

  async rename(model: string, name: string | null): Promise<LibraryModel> {
    const { modelsDir, models } = this.#parts;
    const { id, served, stored, download } = this.#found(this.#folder.refresh(), model);
    if (stored === undefined && download?.isRunning === true) {
      if (name !== null) {
        checkName(modelsDir, name, () => false);
        this.#requireFreeName(name);
      }
      download.name = name ?? undefined;
      return this.get(id);
    }
    if (stored === undefined) {
      const message = `The model ${id} is not in the folder of models, which keeps the names: serve it with --alias.`;
      throw new KoineError('conflict', message);
    }
    if (name === null) unnameStored(stored.path);
    else {
      this.#requireFreeName(name, stored.path);
      nameStored(modelsDir, stored.path, name);
    }
    if (served !== undefined) {
      const others = served.aliases.filter((alias) => alias !== stored.name);
      models.rename(served, name === null ? others : [...new Set([name, ...others])]);
    }
    return this.get(id);
  }

  async remove(model: string): Promise<'deleted' | 'unlinked' | 'forgotten'> {
    const { modelsDir, models } = this.#parts;
    const { id, served, stored, download } = this.#found(this.#folder.refresh(), model);
    return this.#folder.whileChanging(id, async () => {
      if (download !== undefined) await download.cancel();
      if (served !== undefined) await models.remove(served);
      const isLink = stored !== undefined && lstatSync(stored.path).isSymbolicLink();
      for (const path of new Set([stored?.path, download?.plan.path])) {
        if (path !== undefined) removeModel(modelsDir, { path });
      }
      this.#downloads.drop(id);
      if (stored === undefined && download === undefined) return 'forgotten';
      return isLink ? 'unlinked' : 'deleted';
    });
  }

  /** Ends all downloads; what arrived is kept. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#downloads.close();
  }

  #fetch(plan: PullPlan, name: string | undefined): void {
    const { log } = this.#parts;
    const isJoined = this.#downloads.find(plan.id)?.isRunning === true;
    const download = this.#downloads.begin(plan, name, () => this.#finish(plan, download.name));
    if (isJoined) return;
    void download.over.then(() => {
      const { state, message } = download.state;
      if (state === 'failed')
        log.warn({ model: plan.id, err: download.error }, `a download failed: ${message ?? ''}`);
      else log.info({ model: plan.id, state }, 'a download is over');
    });
  }

  /** What remains to be done with a model when all its files are there. */
  #finish({ path }: PullPlan, name: string | undefined): void {
    checkModel(path, true);
    if (name !== undefined) nameStored(this.#parts.modelsDir, path, name);
    this.#folder.refresh();
    const served = this.#folder.servedAt(path);
    if (served === undefined || name === undefined || served.aliases.includes(name)) return;
    this.#parts.models.rename(served, [name, ...served.aliases]);
  }

  #found(stored: readonly StoredModel[], name: string): Found {
    const { router } = this.#parts.models;
    const byName = stored.find((model) => model.id === name) ?? stored.find((model) => model.name === name);
    const served =
      router.find(name) ?? (byName && this.#parts.models.all.find(({ path }) => path === byName.path));
    const own = served === undefined ? byName : stored.find(({ path }) => path === served.path);
    const id = own?.id ?? served?.id ?? name;
    const download = this.#downloads.find(id);
    if (served === undefined && own === undefined && download === undefined) {
      const known = router.all.map((model) => model.id).join(', ') || 'none';
      throw new KoineError('model_not_found', `The model \`${name}\` does not exist. Available: ${known}.`);
    }
    return { id, served, stored: own, download };
  }

  #view({ id, served, stored, download }: Found): LibraryModel {
    const state = download?.state;
    const isWhole = stored === undefined ? served !== undefined : stored.isComplete;
    const files = state?.state === 'running' ? 'downloading' : isWhole ? 'complete' : 'incomplete';
    const wanted = state?.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) ?? 0;
    const problem = stored === undefined ? undefined : this.#folder.problemOf(stored);
    const name = stored?.name ?? download?.name;
    return {
      id,
      ...(served !== undefined && { servedAs: served.id, state: served.engine.status().state }),
      ...(name !== undefined && { name }),
      aliases: served?.aliases ?? [],
      files,
      sizeBytes: stored?.sizeBytes ?? served?.engine.known.sizeBytes ?? wanted,
      changedAt: Math.floor((stored?.changedAt.getTime() ?? changedAt(served?.path)) / 1000),
      ...(problem !== undefined && served === undefined && { problem }),
      ...(state !== undefined && { download: state }),
    };
  }

  /** Throws `conflict` when a model at another path answers to a name. */
  #requireFreeName(name: string, path?: string): void {
    const other = this.#parts.models.router.find(name);
    if (other === undefined || other.path === path) return;
    throw new KoineError(
      'conflict',
      `The model ${other.id} answers to ${name} already; choose another name.`,
    );
  }
}

/** Milliseconds since the epoch at which a file was changed; 0 when there is none. */
function changedAt(path: string | undefined): number {
  return path === undefined ? 0 : (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
}
