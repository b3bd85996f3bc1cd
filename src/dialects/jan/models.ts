// Which model answers, under which name, and GET /v1/models.

import { type Engine, KoineError, type ModelDescription, type Router } from '../../protocol/index.js';

/** A model that was found for a request. */
export interface FoundModel {
  readonly engine: Engine;
  readonly description: ModelDescription;
  /** The name the client gave where it is one of the model's, otherwise the model's own. */
  readonly shownModel: string;
}

/** What happens with a name nobody knows. */
export type UnknownModel = 'default' | 'refuse';

/** Finds a model by name. Clients of this wire send names of other services, so unknown ones mean the default. */
export async function findModel(
  router: Router,
  name: string | null,
  unknown: UnknownModel,
): Promise<FoundModel> {
  const named = name === null || name === '' ? undefined : resolveKnown(router, name, unknown);
  const engine = named ?? router.resolve(undefined);
  const description = await engine.describe();
  return { engine, description, shownModel: named === undefined || name === null ? description.id : name };
}

function resolveKnown(router: Router, name: string, unknown: UnknownModel): Engine | undefined {
  try {
    return router.resolve(name);
  } catch (error) {
    const isUnknown = error instanceof KoineError && error.code === 'model_not_found';
    if (isUnknown && unknown === 'default') return undefined;
    throw error;
  }
}

/** The contract's four fields, and two more that clients of other servers look for. */
export function modelList(models: readonly ModelDescription[]) {
  const data = models.map(({ id, loadedAt }) => ({
    id,
    object: 'model',
    owned_by: 'me',
    permissions: [],
    created: loadedAt,
    permission: [],
  }));
  return { object: 'list', data };
}
