// The table of paths of 3.3.6.

import type { Route } from '../../http/index.js';
import { infoV3, modelList } from './ops/info.js';
import { route, sharedRoutes } from './routes.js';
import type { RunContext } from './run/generate.js';
import type { Service } from './service.js';

/** Every route of 3.3.6. */
export function routesV3(service: Service): readonly Route[] {
  const open = { open: true };
  return [
    ...sharedRoutes(service),
    route(service, 'GET', '/info', info, open),
    route(service, 'GET', '/v1/models', models, open),
  ];
}

async function info({ service, exchange }: RunContext): Promise<void> {
  exchange.sendJson(200, infoV3(service, await service.target()));
}

async function models({ service, exchange }: RunContext): Promise<void> {
  const known = await service.deps.router.models();
  exchange.sendJson(200, modelList(known.map(({ id }) => id)));
}
