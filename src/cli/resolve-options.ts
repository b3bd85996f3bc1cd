// How commands find models: the settings that say where from, and the network only when it is needed.

import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Settings } from '../config/index.js';
import type { Hub, ResolveOptions } from '../models/index.js';

/** The folder downloads go to. */
export function modelsDirOf(settings: Settings): string {
  return settings.modelsDir ?? join(homedir(), '.koine', 'models');
}

/** Where models come from. */
export function hubOf({ hfToken, hfEndpoint }: Settings): Hub {
  return { endpoint: hfEndpoint.replace(/\/+$/, ''), ...(hfToken === undefined ? {} : { token: hfToken }) };
}

/** What the models room works with. Aborting the signal stops a download and keeps what arrived. */
export function resolveOptionsOf(settings: Settings, signal: AbortSignal): ResolveOptions {
  const { llamaLibDir } = settings;
  return {
    cwd: process.cwd(),
    modelsDir: modelsDirOf(settings),
    anyArchitecture: llamaLibDir !== undefined,
    hub: hubOf(settings),
    signal,
    async tools() {
      const { networkAccess, progressDisplay } = await import('./hub-access.js');
      return { network: await networkAccess(), progress: await progressDisplay() };
    },
  };
}
