// The table of paths of 1.4.2.

import type { Route } from '../../http/index.js';
import { infoV1 } from './ops/info.js';
import { route, sharedRoutes } from './routes.js';
import type { RunContext } from './run/generate.js';
import type { Service } from './service.js';

/** Every route of 1.4.2. */
export function routesV1(service: Service): readonly Route[] {
  return [...sharedRoutes(service), route(service, 'GET', '/info', info, { open: true })];
}

async function info({ service, exchange }: RunContext): Promise<void> {
  const target = await service.target();
  exchange.sendJson(200, infoV1(service, target, target.engine.status()));
}
