// The models of a server process: their engines under one budget of memory, and their names. Both change together.

import type { EnginePool, ManagedEngine, PooledEngine, PoolModel } from '../engine/index.js';
import type { EngineReading } from '../telemetry/index.js';
import { LocalRouter } from './local-router.js';
import type { PlannedModel } from './model-pool.js';

/** A model that can be asked for. */
export interface ServedModel {
  /** The name it is published under. */
  readonly id: string;
  readonly aliases: readonly string[];
  /** Its first file. */
  readonly path: string;
  readonly engine: PooledEngine;
}

/** Starts the engine of a model. */
export type StartEngine = (options: PlannedModel['options']) => ManagedEngine;

/** Models with their engines and names. */
export class ModelSet {
  readonly router: LocalRouter<ServedModel>;
  readonly #pool: EnginePool;
  readonly #start: StartEngine;

  /** `pool` has no models yet. */
  constructor(planned: readonly PlannedModel[], pool: EnginePool, start: StartEngine) {
    this.#pool = pool;
    this.#start = start;
    this.router = new LocalRouter(planned.map((model) => this.#served(model)));
  }

  /** All models, the default first. */
  get all(): readonly ServedModel[] {
    return this.router.all;
  }

  /** What the engines do, for health and figures. */
  readings(): readonly EngineReading[] {
    return this.all.map(({ id, engine }) => ({ model: id, status: engine.status() }));
  }

  /** Takes a model in; it is loaded when it is first asked for. Throws `conflict` when its id is a name of another. */
  add(planned: PlannedModel): ServedModel {
    this.router.requireFree(planned.options.modelId);
    const served = this.#served(planned);
    this.router.add(served);
    return served;
  }

  /**
   * Takes a model out, once nobody uses it. It is not found any more from the beginning. Throws `conflict` when requests
   * go on for too long, and it is back then.
   */
  async remove({ engine }: ServedModel): Promise<void> {
    const served = this.all.find((model) => model.engine === engine);
    if (served === undefined) return;
    const place = this.router.remove(served);
    try {
      await this.#pool.remove(engine);
    } catch (error) {
      this.router.add(served, place);
      throw error;
    }
  }

  /** Gives a model other aliases. */
  rename({ engine }: ServedModel, aliases: readonly string[]): void {
    const served = this.all.find((model) => model.engine === engine);
    if (served !== undefined) this.router.replace(served, { ...served, aliases });
  }

  /** Ends all engines. */
  async close(): Promise<void> {
    await Promise.all(this.#pool.engines.map((engine) => engine.close()));
  }

  #served({ options, bytes, outline }: PlannedModel): ServedModel {
    const model: PoolModel = { bytes, outline, start: () => this.#start(options) };
    const { modelId: id, aliases, modelPath: path } = options;
    return { id, aliases, path, engine: this.#pool.add(model) };
  }
}
