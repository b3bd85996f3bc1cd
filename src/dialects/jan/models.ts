// Which model answers, under which name, and GET /v1/models.

import type { Engine, ModelDescription, Router } from '../../protocol/index.js';
import { resolveModel, type UnknownModel } from '../openai/index.js';

/** A model that was found for a request. */
export interface FoundModel {
  readonly engine: Engine;
  readonly description: ModelDescription;
  /** The name the client gave where it is one of the model's, otherwise the model's own. */
  readonly shownModel: string;
}

/** Finds a model by name; null and '' name none, which is the default model. */
export async function findModel(
  router: Router,
  name: string | null,
  unknown: UnknownModel,
): Promise<FoundModel> {
  const asked = name === null || name === '' ? undefined : name;
  const { engine, isKnown } = resolveModel(router, asked, unknown);
  const description = await engine.describe();
  return { engine, description, shownModel: isKnown && asked !== undefined ? asked : description.id };
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
