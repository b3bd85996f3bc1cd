// Sets up the library of a server: who may manage its models, how stored ones are served, where new ones come from.

import { SettingError, type Settings } from '../../config/index.js';
import type { Management } from '../../dialects/jan/index.js';
import { isLoopback } from '../../http/index.js';
import { resolveFile, type StoredModel, shortName } from '../../models/index.js';
import type { Logger } from '../../telemetry/index.js';
import { type PlannedModel, planModel } from '../model-pool.js';
import type { ModelSet } from '../model-set.js';
import { hubOf, modelsDirOf } from '../resolve-options.js';
import { ServerLibrary } from './server-library.js';

/** What the models of the folder are served with. */
export interface ServingParts {
  readonly settings: Settings;
  readonly models: ModelSet;
  /** Bytes that models may take together. */
  readonly budgetBytes: number;
  readonly chatTemplate: string | undefined;
  readonly log: Logger;
}

/** Throws what the user should read when everybody could manage the models. */
export function checkManagement({ apiKey, host, listen }: Settings): void {
  const open = [host, ...listen.map((address) => address.host ?? host)].find((at) => !isLoopback(at));
  if (apiKey.length > 0 || open === undefined) return;
  throw new SettingError(
    `Setting manage-models: whoever reaches ${open} could delete models; set an --api-key, or listen on 127.0.0.1 only.`,
  );
}

/** The library over the folder of models, whose models are served from now on. */
export function openLibrary(parts: ServingParts): ServerLibrary {
  const { settings, models, budgetBytes, chatTemplate, log } = parts;
  const modelsDir = modelsDirOf(settings);
  const anyArchitecture = settings.llamaLibDir !== undefined;
  // An adapter belongs to the model it was given with.
  const plain = { ...settings, lora: [] };
  const plan = (stored: StoredModel): PlannedModel => {
    const { id, origin, name } = stored;
    const file = resolveFile(stored.path, { modelsDir, anyArchitecture });
    const names = [
      ...(name === undefined ? [] : [name]),
      ...(origin === 'hub' ? [shortName(stored.path)] : []),
    ];
    const aliases = [...new Set(names.filter((alias) => alias !== id))];
    const template = chatTemplate === undefined ? {} : { chatTemplate };
    return planModel(plain, { ...file, id, aliases, ...template }, budgetBytes);
  };
  const network = async () => (await import('../hub-access.js')).networkAccess();
  const hub = hubOf(settings);
  return new ServerLibrary({ models, modelsDir, anyArchitecture, plan, hub, network, log });
}

/**
 * Who may manage the models: with keys whoever has one; otherwise only pages of this machine and those that were named,
 * because any other page could have its visitors' browsers ask.
 */
export function managementOf({ apiKey, corsOrigin }: Settings, library: ServerLibrary): Management {
  return {
    library,
    admitsOrigin: (origin) => apiKey.length > 0 || corsOrigin.includes(origin) || isLocal(origin),
  };
}

function isLocal(origin: string): boolean {
  return URL.canParse(origin) && isLoopback(new URL(origin).host);
}
