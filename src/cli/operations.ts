// Paths for whoever runs the server, on the root of the main address: is it well, and its figures.

import type { Dialect, Problem } from '../http/index.js';
import { type Engine, toFailure } from '../protocol/index.js';
import type { Metrics } from '../telemetry/index.js';

/** An engine by its model's name. */
export interface WatchedEngine {
  readonly id: string;
  readonly engine: Pick<Engine, 'status'>;
}

/** `GET /health`: 200 while every engine takes requests, else 503. `GET /metrics`: Prometheus text. */
export function operations(engines: readonly WatchedEngine[], metrics: Metrics): Dialect {
  return {
    name: 'koine',
    routes: [
      {
        method: 'GET',
        path: '/health',
        open: true,
        handle(exchange) {
          const models = engines.map(({ id, engine }) => ({ id, state: engine.status().state }));
          const isWell = models.every(({ state }) => state === 'ready');
          exchange.sendJson(isWell ? 200 : 503, { status: isWell ? 'ok' : 'unavailable', models });
        },
      },
      {
        method: 'GET',
        path: '/metrics',
        async handle(exchange) {
          exchange.send(200, metrics.contentType, await metrics.text());
        },
      },
    ],
    refuse(problem, exchange) {
      const [status, message] = refusalOf(problem);
      exchange.sendJson(status, { error: message });
    },
  };
}

function refusalOf(problem: Problem): readonly [status: number, message: string] {
  switch (problem.kind) {
    case 'not-found':
      return [404, 'not found'];
    case 'method-not-allowed':
      return [405, 'method not allowed'];
    case 'unauthorized':
      return [401, 'a key is needed: Authorization: Bearer KEY'];
    case 'malformed':
      return [problem.status, 'malformed request'];
    case 'thrown':
      return [500, toFailure(problem.error).message];
    case 'media-type':
    case 'too-large':
    case 'not-utf8':
    case 'not-json':
      return [400, 'no body is expected'];
  }
}
