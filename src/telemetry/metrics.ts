// The server's figures in a registry of their own. Counters and histograms are fed by RequestMeter and the front
// door; gauges are read from the engines when somebody scrapes.

import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { type Clock, systemClock } from '../base/index.js';
import type { EngineStatus, ErrorCode, FinishReason } from '../protocol/index.js';

/** An engine as the gauges see it. */
export interface EngineReading {
  readonly model: string;
  readonly status: EngineStatus;
}

/** How a generation ended, as a label. */
export type Outcome = FinishReason | ErrorCode;

/** Labels every figure about a generation carries. */
export interface GenerationLabels {
  readonly dialect: string;
  readonly route: string;
}

const LABELS = ['dialect', 'route'] as const;
/** Bucket borders in seconds: a small model on a fast machine to a long queue on a slow one. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
const TOKEN_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.02, 0.04, 0.08, 0.15, 0.3, 0.6, 1.2, 2.5];
const TOKENS = [1, 8, 32, 128, 512, 1024, 2048, 4096, 8192, 16_384, 32_768, 131_072];

/** All figures of the process. Names begin with `koine_`; times are in seconds. */
export class Metrics {
  readonly registry = new Registry();
  readonly clock: Clock;
  readonly timeToFirstToken = this.#histogram(
    'time_to_first_token_seconds',
    'From arrival to first token.',
    SECONDS,
  );
  readonly timePerOutputToken = this.#histogram(
    'time_per_output_token_seconds',
    'Mean time between the tokens of one request after the first.',
    TOKEN_SECONDS,
  );
  readonly queueTime = this.#histogram(
    'queue_time_seconds',
    'Waiting for a place before the first step.',
    SECONDS,
  );
  readonly duration = this.#histogram('generation_duration_seconds', 'From arrival to last event.', SECONDS);
  readonly promptTokens = this.#histogram('prompt_tokens', 'Prompt tokens per request.', TOKENS);
  readonly completionTokens = this.#histogram('completion_tokens', 'Generated tokens per request.', TOKENS);
  readonly generations = new Counter({
    name: 'koine_generations_total',
    help: 'Generations by how they ended: a finish reason or an error code.',
    labelNames: [...LABELS, 'outcome'] as const,
    registers: [this.registry],
  });
  readonly tokens = new Counter({
    name: 'koine_tokens_total',
    help: 'Tokens by kind: prompt, cached (the part of prompt found in the prefix cache), completion.',
    labelNames: ['kind'] as const,
    registers: [this.registry],
  });
  readonly requests = new Counter({
    name: 'koine_http_requests_total',
    help: 'HTTP requests by dialect, route, method and status; 499 = the client left first.',
    labelNames: [...LABELS, 'method', 'status'] as const,
    registers: [this.registry],
  });
  readonly requestDuration = new Histogram({
    name: 'koine_http_request_duration_seconds',
    help: 'From arrival of an HTTP request to the end of its answer.',
    labelNames: [...LABELS],
    buckets: SECONDS,
    registers: [this.registry],
  });

  constructor(clock: Clock = systemClock) {
    this.clock = clock;
  }

  /** Counts one HTTP exchange. */
  countExchange(record: GenerationLabels & { method: string; status: number; durationMs: number }): void {
    const { dialect, route, method, status, durationMs } = record;
    this.requests.inc({ dialect, route, method, status: String(status) });
    this.requestDuration.observe({ dialect, route }, durationMs / 1000);
  }

  /** Adds the gauges of the engines that `read` returns at each scrape. Call once. */
  watchEngines(read: () => readonly EngineReading[]): void {
    for (const { name, help, values, labelName } of GAUGES) {
      new Gauge({
        name: `koine_${name}`,
        help,
        labelNames: labelName === undefined ? ['model'] : ['model', labelName],
        registers: [this.registry],
        collect() {
          this.reset();
          for (const { model, status } of read()) {
            for (const [label, value] of Object.entries(values(status))) {
              this.set(labelName === undefined ? { model } : { model, [labelName]: label }, value);
            }
          }
        },
      });
    }
  }

  /** The registry in the Prometheus text format. */
  text(): Promise<string> {
    return this.registry.metrics();
  }

  /** Content type of `text`. */
  get contentType(): string {
    return this.registry.contentType;
  }

  #histogram(name: string, help: string, buckets: readonly number[]): Histogram<'dialect' | 'route'> {
    return new Histogram({
      name: `koine_${name}`,
      help,
      labelNames: [...LABELS],
      buckets: [...buckets],
      registers: [this.registry],
    });
  }
}

interface GaugeSpec {
  readonly name: string;
  readonly help: string;
  /** Second label; the keys of `values` are its values. Without it the single key is not shown. */
  readonly labelName?: string;
  readonly values: (status: EngineStatus) => Readonly<Record<string, number>>;
}

const GAUGES: readonly GaugeSpec[] = [
  {
    name: 'requests_running',
    help: 'Requests being computed.',
    values: (s) => ({ value: s.running }),
  },
  { name: 'requests_waiting', help: 'Requests waiting for a place.', values: (s) => ({ value: s.waiting }) },
  {
    name: 'requests_swapped',
    help: 'Requests whose KV cache was moved to host memory.',
    values: (s) => ({ value: s.swapped }),
  },
  {
    name: 'kv_cells',
    help: 'KV cells by use: running, cached (finished prefixes), free.',
    labelName: 'use',
    values: ({ kvCells }) => ({
      running: kvCells.running,
      cached: kvCells.cached,
      free: kvCells.total - kvCells.running - kvCells.cached,
    }),
  },
  {
    name: 'prefix_cache_tokens',
    help: 'Prompt tokens looked up in the prefix cache since the engine started, by result.',
    labelName: 'result',
    values: ({ prefixCache }) => ({ hit: prefixCache.hitTokens, miss: prefixCache.missTokens }),
  },
  {
    name: 'prefix_cache_bytes',
    help: 'Host memory of the prefix cache: used and budget.',
    labelName: 'kind',
    values: ({ prefixCache }) => ({ used: prefixCache.usedBytes, budget: prefixCache.budgetBytes }),
  },
  {
    name: 'prompt_lookup_tokens',
    help: 'Tokens of prompt lookup since the engine started: proposed, and found right.',
    labelName: 'result',
    values: ({ promptLookup }) =>
      promptLookup === undefined ? {} : { proposed: promptLookup.proposed, accepted: promptLookup.accepted },
  },
  {
    name: 'engine_restarts',
    help: 'Times the engine process was restarted.',
    values: (s) => ({ value: s.restarts }),
  },
  { name: 'engine_steps', help: 'Steps since the engine started.', values: (s) => ({ value: s.steps }) },
  {
    name: 'engine_threads',
    help: 'Threads the engine computes with now.',
    values: (s) => ({ value: s.threads }),
  },
  {
    name: 'engine_ready',
    help: '1 while the engine takes requests.',
    values: (s) => ({ value: s.state === 'ready' ? 1 : 0 }),
  },
];
