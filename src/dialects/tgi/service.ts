// What the handlers of one mounted dialect share: the router, the settings, the places and the figures.

import { type Clock, systemClock } from '../../base/index.js';
import type { Exchange } from '../../http/index.js';
import type { Engine, EngineStatus, ModelDescription, Router } from '../../protocol/index.js';
import { KoineError } from '../../protocol/index.js';
import type { Metrics } from '../../telemetry/index.js';
import { Health } from './ops/health.js';
import { TgiMetrics } from './ops/metrics.js';
import type { TgiOptions } from './options.js';
import type { Limits } from './request/limits.js';
import { Slots } from './request/slots.js';
import type { Version } from './version.js';
import { BodyTexts } from './wire/body.js';

/** What a watermark detector found. */
export interface WatermarkScore {
  /** Distinct pairs of neighbouring tokens. */
  readonly scored: number;
  readonly green: number;
  /** Standard deviations above what unmarked text has. */
  readonly zScore: number;
  /** Chance that unmarked text scores as high. */
  readonly pValue: number;
}

/** What cli hands to the dialect. */
export interface TgiDeps {
  readonly router: Router;
  readonly options: TgiOptions;
  /** The server's own figures, fed beside the tgi_* families. */
  readonly metrics?: Metrics;
  readonly clock?: Clock;
  /** Looks for the engine's watermark in tokens, for a green share `gamma`. Absent: no detector is offered. */
  readonly detectWatermark?: (tokens: readonly number[], gamma: number) => WatermarkScore;
}

/** A model with what a request to it is checked against. */
export interface Target {
  readonly engine: Engine;
  readonly model: ModelDescription;
  readonly limits: Limits;
  readonly eog: ReadonlySet<number>;
}

/** Shared by all handlers of one mounted dialect. */
export class Service {
  readonly clock: Clock;
  readonly slots: Slots;
  readonly figures: TgiMetrics;
  readonly health: Health;
  readonly bodies = new BodyTexts();

  constructor(
    readonly version: Version,
    readonly deps: TgiDeps,
  ) {
    this.clock = deps.clock ?? systemClock;
    this.slots = new Slots(deps.options.maxConcurrentRequests);
    this.figures = new TgiMetrics(version.startsUnproven, () => this.#status());
    this.health = new Health(version.startsUnproven);
  }

  get options(): TgiOptions {
    return this.deps.options;
  }

  /** The model of this name, or the default one: TGI serves whatever name it is asked for. */
  async target(name: string | null = null): Promise<Target> {
    const engine = this.#engine(name);
    const model = await engine.describe();
    return {
      engine,
      model,
      limits: this.version.limits(this.options, model.contextTokens),
      eog: new Set(model.eogTokens),
    };
  }

  /** Whether the default model can generate now. */
  async isHealthy(exchange: Exchange): Promise<boolean> {
    let engine: Engine;
    try {
      engine = this.deps.router.resolve(undefined);
    } catch {
      // No model at all is as unhealthy as a broken one.
      return false;
    }
    return this.health.probe(engine, exchange);
  }

  #engine(name: string | null): Engine {
    const { router } = this.deps;
    if (name === null) return router.resolve(undefined);
    try {
      return router.resolve(name);
    } catch (error) {
      if (error instanceof KoineError && error.code === 'model_not_found') return router.resolve(undefined);
      throw error;
    }
  }

  #status(): EngineStatus | undefined {
    try {
      return this.deps.router.resolve(undefined).status();
    } catch {
      // Without an engine there is nothing to report; the scrape itself must not fail.
      return undefined;
    }
  }
}
