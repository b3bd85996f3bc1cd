// Free cells of a shared KV pool: who gives way when they run out, and how many a step may take. With a stream per
// sequence there is nothing to share. Engine process.

import type { Places } from '../cache/places.js';
import type { ModelRunner } from '../model-runner.js';
import type { RunningSet } from './running-set.js';

/** Keeps a cell for everybody who runs. */
export class Cells {
  readonly #runner: ModelRunner;
  readonly #places: Places;
  readonly #running: RunningSet;

  constructor(runner: ModelRunner, places: Places, running: RunningSet) {
    this.#runner = runner;
    this.#places = places;
    this.#running = running;
  }

  get #isShared(): boolean {
    return this.#runner.info.kvLayout === 'unified';
  }

  /**
   * Frees cells for what running sequences have to compute: residents go first, then, until there is one for each, the
   * youngest sequence by `swapOut`.
   */
  ensure(swapOut: () => boolean): void {
    if (!this.#isShared) return;
    const wanted = this.#running.all().reduce((sum, { remaining }) => sum + Math.max(1, remaining), 0);
    this.#places.evictResidents(wanted);
    while (this.#places.audit().cells.free < this.#running.size && this.#running.size > 1) {
      if (!swapOut()) return;
    }
  }

  /** Most prompt tokens of a step: the batch's room, or the cells that decoding leaves. */
  mostPrefill(): number {
    const room = this.#runner.batch.tokens.length;
    if (!this.#isShared) return room;
    // One that has several tokens to catch up with is not decoding: the cells left are for it.
    const decoding = this.#running
      .all()
      .filter(({ generated, remaining }) => generated > 0 && remaining === 1).length;
    return Math.min(room, this.#places.audit().cells.free - decoding);
  }

  /** Most tokens of a step in which one sequence runs alone. */
  mostAlone(): number {
    const room = this.#runner.batch.tokens.length;
    return this.#isShared ? Math.min(room, this.#places.audit().cells.free) : room;
  }
}
