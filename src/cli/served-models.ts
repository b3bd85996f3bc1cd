// Which models are served, and under which names: arguments and aliases in, checked files with their names out.

import type { Alias, Settings } from '../config/index.js';
import { checkAdapter, type ResolvedModel, type ResolveOptions, resolveModel } from '../models/index.js';
import { UserError } from './explain.js';
import { memoryBudget, type PlannedModel, planModel } from './model-pool.js';
import { demoModelPath } from './package-files.js';

/** The first model also answers to this name. */
const DEFAULT_NAME = 'default';

/**
 * Finds every model the settings name, the demo model if none, and settles how it is served. Throws what the user
 * should read when a file is missing or wrong, does not fit into memory, or a name would stand for two models.
 */
export async function plannedModelsFor(
  settings: Settings,
  options: ResolveOptions,
  chatTemplate?: string,
): Promise<readonly PlannedModel[]> {
  if (settings.lora.length > 0 && settings.model.length > 1) {
    throw new UserError('--lora works with one model only, because an adapter belongs to a model.');
  }
  for (const { path } of settings.lora) checkAdapter(path);
  const given = settings.model.length === 0 ? [demoModelPath] : settings.model;
  const models: ResolvedModel[] = [];
  for (const model of given) models.push(await resolveModel(model, options));
  const budget = memoryBudget(settings);
  return nameModels(models, settings.alias).map(({ id, aliases }, i) => {
    const model = models[i];
    if (model === undefined) throw new Error('a name without a model');
    const named = { ...model, id, aliases, ...(chatTemplate === undefined ? {} : { chatTemplate }) };
    return planModel(settings, named, budget);
  });
}

/** A model with its names. */
export interface NamedModel {
  /** The name it is published under. */
  readonly id: string;
  readonly aliases: readonly string[];
  readonly path: string;
}

/** Gives models their names: the first alias is published; file name, further aliases and permanent id are others. */
export function nameModels(
  models: readonly Pick<ResolvedModel, 'id' | 'path' | 'storedId'>[],
  aliases: readonly Alias[],
): readonly NamedModel[] {
  const [first] = models;
  const unknown = aliases.find(
    (alias) => alias.model !== undefined && !models.some((model) => model.id === alias.model),
  );
  if (unknown !== undefined) {
    throw new UserError(
      `--alias ${unknown.name}=${unknown.model}: no such model; there is ${models.map((m) => m.id).join(', ')}.`,
    );
  }
  const named = models.map((model) => {
    const own = aliases.filter((alias) => (alias.model ?? first?.id) === model.id).map((alias) => alias.name);
    const [id = model.id, ...others] = [...own, model.id];
    const stored = model.storedId === undefined ? [] : [model.storedId];
    const names = [...others, ...(model === first ? [DEFAULT_NAME] : []), ...stored];
    return { id, aliases: [...new Set(names.filter((name) => name !== id))], path: model.path };
  });
  checkUnique(named);
  return named;
}

function checkUnique(models: readonly NamedModel[]): void {
  const owners = new Map<string, NamedModel>();
  for (const model of models) {
    for (const name of [model.id, ...model.aliases]) {
      const other = owners.get(name);
      if (other !== undefined) {
        throw new UserError(
          `The name ${name} would stand for ${other.path} and ${model.path}; serve one of them under an --alias.`,
        );
      }
      owners.set(name, model);
    }
  }
}
