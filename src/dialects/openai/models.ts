// Which model a name means, and GET /v1/models and GET /v1/models/{id}: what can be asked for.

import { type Engine, KoineError, type ModelDescription, type Router } from '../../protocol/index.js';

/** What is done with a name nobody knows: the default model answers, or the request is refused. */
export type UnknownModel = 'default' | 'refuse';

/** Finds a model by name; undefined = the default one. `isKnown` is false where that stands in for an unknown name. */
export function resolveModel(
  router: Router,
  name: string | undefined,
  unknown: UnknownModel,
): { readonly engine: Engine; readonly isKnown: boolean } {
  try {
    return { engine: router.resolve(name), isKnown: true };
  } catch (error) {
    const isUnknown = error instanceof KoineError && error.code === 'model_not_found';
    if (!isUnknown || unknown === 'refuse') throw error;
    return { engine: router.resolve(undefined), isKnown: false };
  }
}

/** A model as clients list it; `permission` and `max_model_len` are there for clients of other servers. */
export function modelObject({ id, loadedAt, contextTokens }: ModelDescription) {
  return {
    id,
    object: 'model',
    created: loadedAt,
    owned_by: 'koine',
    root: id,
    parent: null,
    max_model_len: contextTokens,
    permission: [],
  };
}

/** The list of all models, default first. */
export function modelList(models: readonly ModelDescription[]) {
  return { object: 'list', data: models.map(modelObject) };
}
