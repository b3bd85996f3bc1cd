// The folder of models and what is served of it: what has come is served, what has gone is forgotten, and why something
// is not served is remembered. Looked into when somebody asks, not watched.

import { listStored, type StoredModel } from '../../models/index.js';
import { KoineError } from '../../protocol/index.js';
import type { PlannedModel } from '../model-pool.js';
import type { ModelSet, ServedModel } from '../model-set.js';

/** What the folder is served with. */
export interface FolderParts {
  readonly models: ModelSet;
  readonly modelsDir: string;
  /** Settles how a stored model is served. Throws what the user should read when it cannot be. */
  plan(stored: StoredModel): PlannedModel;
}

/** A folder whose models are served. */
export class ServedFolder {
  readonly #parts: FolderParts;
  /** Why models are not served, by path; with the time of the file, because a file may get better. */
  readonly #problems = new Map<string, { readonly changedAt: number; readonly message: string }>();
  /** Paths of the models that were there when it was last looked into, or are in memory still. */
  #seen: ReadonlySet<string> = new Set();
  /** Ids of models that are just being imported or removed. */
  readonly #changing = new Set<string>();

  constructor(parts: FolderParts) {
    this.#parts = parts;
  }

  /** Looks into the folder, serves what has come, forgets what has gone; returns what is there. */
  refresh(): readonly StoredModel[] {
    const stored = listStored(this.#parts.modelsDir);
    this.#forgetGone(stored);
    for (const model of stored) {
      const isKnown = this.#problems.get(model.path)?.changedAt === model.changedAt.getTime();
      if (!model.isComplete || isKnown || this.#changing.has(model.id) || this.servedAt(model.path)) continue;
      try {
        this.serve(model);
      } catch {
        // Kept as its problem, and told whenever somebody asks for it.
      }
    }
    return stored;
  }

  /** The model that is served from a path. */
  servedAt(path: string): ServedModel | undefined {
    return this.#parts.models.all.find((served) => served.path === path);
  }

  /** Why a model of the folder is not served. */
  problemOf({ path }: StoredModel): string | undefined {
    return this.#problems.get(path)?.message;
  }

  /** Serves a model that is complete. Throws what the user should read when it cannot be. */
  serve(stored: StoredModel): ServedModel {
    const { models, plan } = this.#parts;
    try {
      const served = models.add(plan(stored));
      this.#problems.delete(stored.path);
      return served;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      // Clients know models by their ids; where they are kept is not for them.
      const message = error.message.replaceAll(stored.path, stored.id);
      this.#problems.set(stored.path, { changedAt: stored.changedAt.getTime(), message });
      throw new KoineError(error instanceof KoineError ? error.code : 'invalid_request', message, {}, error);
    }
  }

  /** Does what takes a while with a model, which is left alone meanwhile. */
  async whileChanging<T>(id: string, work: () => Promise<T>): Promise<T> {
    this.requireSteady(id);
    this.#changing.add(id);
    try {
      return await work();
    } finally {
      this.#changing.delete(id);
    }
  }

  /** Throws `conflict` while a model is being changed. */
  requireSteady(id: string): void {
    if (!this.#changing.has(id)) return;
    throw new KoineError('conflict', `The model ${id} is just being imported or removed. Try again later.`);
  }

  /** A model that was deleted by hand is not offered any more, unless it is in memory still. */
  #forgetGone(stored: readonly StoredModel[]): void {
    const seen = new Set(stored.map(({ path }) => path));
    for (const served of this.#parts.models.all) {
      if (!this.#seen.has(served.path) || seen.has(served.path)) continue;
      if (served.engine.status().state === 'unloaded') {
        // Who has just asked for it keeps it, and is told that its file is missing.
        void this.#parts.models.remove(served).catch(() => undefined);
      } else seen.add(served.path);
    }
    this.#seen = seen;
  }
}
