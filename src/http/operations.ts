// The server's own paths, for whoever runs it: /health and /metrics. Mounted like a dialect; needs no key.

import { type EngineReading, healthReport, type Metrics } from '../telemetry/index.js';
import type { Dialect, Problem } from './dialect.js';
import type { Exchange } from './exchange.js';

/** What the server's own paths show. */
export interface OperationsOptions {
  readonly metrics: Metrics;
  /** Engines as they are now. */
  readonly engines: () => readonly EngineReading[];
  readonly isDraining: () => boolean;
}

/** GET /health (200, or 503 with the reason) and GET /metrics (Prometheus text). */
export function operations({ metrics, engines, isDraining }: OperationsOptions): Dialect {
  return {
    name: 'server',
    routes: [
      {
        method: 'GET',
        path: '/health',
        open: true,
        handle: (exchange) => {
          const report = healthReport(engines(), isDraining());
          exchange.sendJson(report.status === 'ok' ? 200 : 503, report);
        },
      },
      {
        method: 'GET',
        path: '/metrics',
        open: true,
        handle: async (exchange) => exchange.send(200, metrics.contentType, await metrics.text()),
      },
    ],
    refuse,
  };
}

const STATUS: Readonly<Partial<Record<Problem['kind'], number>>> = {
  'not-found': 404,
  'method-not-allowed': 405,
  'untrusted-host': 403,
};

function refuse(problem: Problem, exchange: Exchange): void {
  if (problem.kind === 'thrown') exchange.log.error({ err: problem.error }, 'a page of the server failed');
  exchange.sendJson(STATUS[problem.kind] ?? 500, { error: problem.kind });
}
