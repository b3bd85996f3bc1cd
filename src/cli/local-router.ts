// Finds the engine for a model name among the engines of this process. Models come and go where they are managed.

import { type Engine, KoineError, type ModelDescription, type Router } from '../protocol/index.js';

/** An engine under its names. */
export interface NamedEngine<E extends KnownEngine = KnownEngine> {
  readonly id: string;
  readonly aliases: readonly string[];
  readonly engine: E;
}

/** `known` is what can be told of its model without loading it. */
export type KnownEngine = Engine & { readonly known: ModelDescription };

/** A router over engines; the first is the default. Names are matched exactly. */
export class LocalRouter<M extends NamedEngine = NamedEngine> implements Router {
  readonly #models: M[];
  #byName = new Map<string, M>();

  constructor(models: readonly M[]) {
    this.#models = [...models];
    this.#index();
  }

  /** All of them, in order. */
  get all(): readonly M[] {
    return this.#models;
  }

  /** The model with this name. */
  find(name: string): M | undefined {
    return this.#byName.get(name);
  }

  /** Throws `conflict` when a model has this name. */
  requireFree(id: string): void {
    const other = this.find(id);
    if (other === undefined) return;
    throw new KoineError('conflict', `The model ${other.id} answers to ${id} already.`);
  }

  /** Takes a model in, at a place in the order or last. Throws `conflict` when its id is the name of another. */
  add(model: M, at = this.#models.length): void {
    this.requireFree(model.id);
    this.#models.splice(at, 0, model);
    this.#index();
  }

  /** Takes a model out; returns the place it had. */
  remove(model: M): number {
    const at = this.#models.indexOf(model);
    if (at >= 0) this.#models.splice(at, 1);
    this.#index();
    return at;
  }

  /** Puts a model into the place of another, under other names. */
  replace(model: M, by: M): void {
    const at = this.#models.indexOf(model);
    if (at >= 0) this.#models[at] = by;
    this.#index();
  }

  resolve(model: string | undefined): Engine {
    const found = model === undefined ? this.#models[0] : this.find(model);
    if (found !== undefined) return found.engine;
    const known = this.#models.map(({ id }) => id).join(', ') || 'none';
    throw new KoineError(
      'model_not_found',
      `The model \`${model ?? ''}\` does not exist. Available: ${known}.`,
    );
  }

  models(): Promise<readonly ModelDescription[]> {
    return Promise.resolve(this.#models.map(({ id, aliases, engine }) => ({ ...engine.known, id, aliases })));
  }

  /** A published name comes before any alias, and who was first keeps it. */
  #index(): void {
    this.#byName = new Map();
    const claim = (name: string, model: M): void => {
      if (!this.#byName.has(name)) this.#byName.set(name, model);
    };
    for (const model of this.#models) claim(model.id, model);
    for (const model of this.#models) for (const alias of model.aliases) claim(alias, model);
  }
}
