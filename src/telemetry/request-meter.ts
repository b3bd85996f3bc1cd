// Measures one generation from its events. A delta costs one comparison; all arithmetic is done at the end.

import { assertNever } from '../base/index.js';
import type { GenerateEvent, Timings, Usage } from '../protocol/index.js';
import type { GenerationLabels, Metrics, Outcome } from './metrics.js';

/** Feed it every event of a request in order, then call `end` whatever happened. */
export class RequestMeter {
  readonly #metrics: Metrics;
  readonly #labels: GenerationLabels;
  readonly #arrivedAtMs: number;
  #firstAtMs = -1;
  #outcome: Outcome = 'cancelled';
  #choices = 0;
  #isEnded = false;

  /** `arrivedAtMs` on the metrics' clock. */
  constructor(metrics: Metrics, labels: GenerationLabels, arrivedAtMs: number) {
    this.#metrics = metrics;
    this.#labels = labels;
    this.#arrivedAtMs = arrivedAtMs;
  }

  /** Takes note of one event. */
  observe(event: GenerateEvent): void {
    switch (event.kind) {
      case 'delta':
        if (this.#firstAtMs < 0) this.#firstAtMs = this.#metrics.clock.now();
        return;
      case 'started':
        return;
      case 'choice':
        this.#outcome = event.reason;
        this.#choices += 1;
        return;
      case 'finished':
        this.#finish(event.usage, event.timings);
        this.end();
        return;
      case 'failed':
        this.#outcome = event.failure.code;
        this.end();
        return;
      default:
        assertNever(event);
    }
  }

  /** Closes the measurement; a request that saw no last event counts as `cancelled`. Further calls do nothing. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const seconds = (this.#metrics.clock.now() - this.#arrivedAtMs) / 1000;
    this.#metrics.duration.observe(this.#labels, seconds);
    this.#metrics.generations.inc({ ...this.#labels, outcome: this.#outcome });
  }

  #finish(usage: Usage, timings: Timings): void {
    const { tokens, promptTokens, completionTokens, queueTime } = this.#metrics;
    promptTokens.observe(this.#labels, usage.promptTokens);
    completionTokens.observe(this.#labels, usage.completionTokens);
    tokens.inc({ kind: 'prompt' }, usage.promptTokens);
    tokens.inc({ kind: 'cached' }, usage.cachedTokens);
    tokens.inc({ kind: 'completion' }, usage.completionTokens);
    queueTime.observe(this.#labels, timings.queueMs / 1000);
    if (this.#firstAtMs < 0) return;
    this.#metrics.timeToFirstToken.observe(this.#labels, (this.#firstAtMs - this.#arrivedAtMs) / 1000);
    // Choices are generated side by side, so the time of one token is that of a whole step.
    const tokensOfChoice = usage.completionTokens / Math.max(1, this.#choices);
    if (tokensOfChoice > 1) {
      this.#metrics.timePerOutputToken.observe(this.#labels, timings.decodeMs / (tokensOfChoice - 1) / 1000);
    }
  }
}
