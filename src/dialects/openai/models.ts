// GET /v1/models and GET /v1/models/{id}: what can be asked for.

import type { ModelDescription } from '../../protocol/index.js';

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
