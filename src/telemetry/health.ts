// Whether the server can take requests, worked out from its engines.

import type { EngineState } from '../protocol/index.js';
import type { EngineReading } from './metrics.js';

/** The body of a health answer. */
export interface HealthReport {
  /** `ok` while requests are taken; otherwise what the server waits for. */
  readonly status: 'ok' | EngineState;
  readonly models: readonly {
    readonly model: string;
    readonly state: EngineState;
    readonly running: number;
    readonly waiting: number;
  }[];
}

/**
 * `ok` while at least one engine is ready or will be loaded when asked for, or there is none to wait for; a draining
 * server takes nothing more.
 */
export function healthReport(readings: readonly EngineReading[], isDraining: boolean): HealthReport {
  const models = readings.map(({ model, status: { state, running, waiting } }) => ({
    model,
    state,
    running,
    waiting,
  }));
  const isReady =
    models.length === 0 || models.some(({ state }) => state === 'ready' || state === 'unloaded');
  const status = isDraining ? 'draining' : isReady ? 'ok' : (models[0]?.state ?? 'starting');
  return { status, models };
}
