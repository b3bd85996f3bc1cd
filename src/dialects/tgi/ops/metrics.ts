// The tgi_* families with TGI's names and buckets, in a registry of their own. A series appears when it is first
// used. Single batches are counted by the engine and written by step-metrics.ts.

import { Counter, Gauge, Histogram, Registry, Summary } from 'prom-client';
import type { EngineStatus } from '../../../protocol/index.js';
import type { FailureLabel } from '../errors.js';
import type { Limits } from '../request/limits.js';
import { type AnswerFigures, inferenceMs, perTokenMs } from '../wire/headers.js';
import { DURATIONS, stepMetrics } from './step-metrics.js';

/** What is known when a request has been answered. */
export interface AnswerRecord {
  readonly figures: AnswerFigures;
  /** Bound the request was given; undefined = the rest of the context. */
  readonly maxNewTokens: number | undefined;
}

/** All figures of one mounted dialect. */
export class TgiMetrics {
  readonly #registry = new Registry();
  readonly #histograms = new Map<string, Histogram>();
  readonly #counters = new Map<string, Counter<'err'>>();
  #skipped: Histogram | Summary | undefined;

  /** `hasSkippedBuckets`: 1.4.2 shows skipped tokens as a histogram, 3.3.6 as a summary. */
  constructor(
    private readonly hasSkippedBuckets: boolean,
    private readonly status: () => EngineStatus | undefined,
  ) {
    this.#watchEngine();
  }

  /** Requests have arrived: every prompt of a body with several is one, since each succeeds or fails by itself. */
  countRequest(prompts = 1): void {
    this.#counter('tgi_request_count', 'Requests received.').inc(prompts);
  }

  countFailure(label: FailureLabel, prompts = 1): void {
    this.#counter('tgi_request_failure', 'Requests that failed, by kind.', ['err']).inc(
      { err: label },
      prompts,
    );
  }

  countSuccess({ figures, maxNewTokens }: AnswerRecord, limits: Limits): void {
    this.#counter('tgi_request_success', 'Requests answered in full.').inc();
    const { timings } = figures;
    this.#seconds('tgi_request_duration', 'Arrival to answer.', figures.totalMs);
    this.#seconds('tgi_request_validation_duration', 'Arrival to queue.', figures.validationMs);
    this.#seconds('tgi_request_queue_duration', 'Waiting for a place.', timings.queueMs);
    this.#seconds('tgi_request_inference_duration', 'First step to last token.', inferenceMs(timings));
    this.#seconds('tgi_request_mean_time_per_token_duration', 'Per new token.', perTokenMs(figures));
    const { maxInputTokens, maxTotalTokens } = limits;
    const room = maxTotalTokens - figures.promptTokens;
    this.#tokens('tgi_request_input_length', 'Prompt tokens.', maxInputTokens, figures.promptTokens);
    this.#tokens('tgi_request_generated_tokens', 'New tokens.', maxTotalTokens, figures.generatedTokens);
    this.#tokens('tgi_request_max_new_tokens', 'New tokens allowed.', maxTotalTokens, maxNewTokens ?? room);
    this.#skippedTokens().observe(0);
  }

  /** The registry in the Prometheus text format. */
  async text(): Promise<string> {
    const figures = this.status()?.stepFigures;
    return `${await this.#registry.metrics()}${figures === undefined ? '' : `\n${stepMetrics(figures)}`}`;
  }

  #watchEngine(): void {
    const { status } = this;
    const registers = [this.#registry];
    const gauge = (name: string, help: string, read: (status: EngineStatus) => number): void => {
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(readOr(status(), read));
        },
      });
    };
    gauge('tgi_queue_size', 'Requests waiting for a place.', (s) => s.waiting);
    gauge('tgi_batch_current_size', 'Sequences being computed.', (s) => s.running);
    gauge('tgi_batch_current_max_tokens', 'KV cells of running sequences.', (s) => s.kvCells.running);
    gauge('tgi_batch_max_total_tokens', 'KV cells in all.', (s) => s.kvCells.total);
  }

  #counter(name: string, help: string, labelNames: 'err'[] = []): Counter<'err'> {
    const known =
      this.#counters.get(name) ?? new Counter({ name, help, labelNames, registers: [this.#registry] });
    this.#counters.set(name, known);
    return known;
  }

  #seconds(name: string, help: string, ms: number): void {
    this.#histogram(name, help, [...DURATIONS]).observe(Math.max(0, ms) / 1000);
  }

  #tokens(name: string, help: string, most: number, count: number): void {
    const width = most / 100;
    const buckets = (): number[] => Array.from({ length: 100 }, (_, k) => width * (k + 1));
    (this.#histograms.get(name) ?? this.#histogram(name, help, buckets())).observe(count);
  }

  #histogram(name: string, help: string, buckets: number[]): Histogram {
    const known =
      this.#histograms.get(name) ?? new Histogram({ name, help, buckets, registers: [this.#registry] });
    this.#histograms.set(name, known);
    return known;
  }

  #skippedTokens(): Histogram | Summary {
    const shared = {
      name: 'tgi_request_skipped_tokens',
      help: 'Tokens taken from speculation per request; nothing is speculated.',
      registers: [this.#registry],
    };
    this.#skipped ??= this.hasSkippedBuckets
      ? new Histogram({ ...shared, buckets: [0] })
      : new Summary({ ...shared, percentiles: [0, 0.5, 0.9, 0.95, 0.99, 0.999, 1] });
    return this.#skipped;
  }
}

function readOr(status: EngineStatus | undefined, read: (status: EngineStatus) => number): number {
  return status === undefined ? 0 : read(status);
}
