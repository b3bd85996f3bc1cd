// The door of the TGI dialects: 3.3.6 as `tgi`, 1.4.2 as `tgi14`. cli mounts what they return.

import type { Dialect, Route } from '../../http/index.js';
import { refuse } from './refuse.js';
import { routesV1 } from './routes-v1.js';
import { routesV3 } from './routes-v3.js';
import { Service, type TgiDeps } from './service.js';
import { V1, V3, type Version } from './version.js';

export { DEFAULT_TGI_OPTIONS, type TgiOptions } from './options.js';
export type { TgiDeps } from './service.js';

/** Text Generation Inference 3.3.6. */
export function tgi(deps: TgiDeps): Dialect {
  return dialect(V3, deps, routesV3);
}

/** Text Generation Inference 1.4.2. */
export function tgi14(deps: TgiDeps): Dialect {
  return dialect(V1, deps, routesV1);
}

function dialect(version: Version, deps: TgiDeps, routes: (service: Service) => readonly Route[]): Dialect {
  const service = new Service(version, deps);
  return {
    name: version.name,
    routes: routes(service),
    refuse,
    bodyLimitBytes: deps.options.payloadLimit ?? version.payloadLimit,
    parseJson: service.bodies.parse,
  };
}
