// Holds back requests for a model of a pool, so that it becomes idle. Server process.

import type { Entry } from './entry.js';

/** Holds back new requests for one model, so that a steady load on it cannot keep another out for good. */
export class Gate implements Disposable {
  #entry: Entry | undefined;
  #closed: Promise<void> | undefined;
  #open: () => void = () => undefined;
  #closedAt = 0;
  readonly #limitMs: number;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** Closes for the model, unless it is closed for one already; opens by itself when that has taken too long. */
  holdBack(entry: Entry | undefined): void {
    if (this.#closedAt > 0) {
      if (performance.now() - this.#closedAt > this.#limitMs) this.#lift();
      return;
    }
    this.#closedAt = performance.now();
    this.#entry = entry;
    if (entry === undefined) return;
    this.#closed = new Promise((resolve) => {
      this.#open = resolve;
    });
    entry.gate = this.#closed;
  }

  /** Opens, and may be closed again, for the next model. */
  open(): void {
    this.#lift();
    this.#closedAt = 0;
  }

  [Symbol.dispose](): void {
    this.#lift();
  }

  #lift(): void {
    // Another gate may have been closed for the same model since.
    if (this.#entry?.gate === this.#closed && this.#entry !== undefined) this.#entry.gate = undefined;
    this.#entry = undefined;
    this.#open();
  }
}
