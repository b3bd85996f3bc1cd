// Finds the engine for a model name among the engines of this process.

import { type Engine, KoineError, type ModelDescription, type Router } from '../protocol/index.js';

/** An engine under its names. */
export interface NamedEngine {
  readonly id: string;
  readonly aliases: readonly string[];
  /** `known` is what can be told of its model without loading it. */
  readonly engine: Engine & { readonly known: ModelDescription };
}

/** A router over engines; the first is the default. Names are matched exactly. */
export function localRouter(engines: readonly NamedEngine[]): Router {
  const byName = new Map(
    engines.flatMap(({ id, aliases, engine }) => [id, ...aliases].map((name) => [name, engine] as const)),
  );
  return {
    resolve(model) {
      const engine = model === undefined ? engines[0]?.engine : byName.get(model);
      if (engine !== undefined) return engine;
      const known = engines.map(({ id }) => id).join(', ');
      throw new KoineError(
        'model_not_found',
        `The model \`${model ?? ''}\` does not exist. Available: ${known}.`,
      );
    },
    models: () => Promise.resolve(engines.map(({ engine }) => engine.known)),
  };
}
