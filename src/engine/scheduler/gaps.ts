// Keeps running sequences in neighbouring places, without which the runner would split every step. Engine process.

import type { Places } from '../cache/places.js';
import type { ModelRunner } from '../model-runner.js';
import type { Sequence } from '../sequence.js';
import { planMove } from './policies/compaction.js';
import type { RunningSet } from './running-set.js';

/** Steps in a row with a gap before a sequence is moved: a gap often closes by itself. */
const PATIENCE = 4;

/** Moves one sequence at a time; `close` is called once per step. */
export class Gaps {
  readonly #runner: ModelRunner;
  readonly #places: Places;
  readonly #running: RunningSet;
  #steps = 0;

  constructor(runner: ModelRunner, places: Places, running: RunningSet) {
    this.#runner = runner;
    this.#places = places;
    this.#running = running;
  }

  /** Closes a gap that has lasted. */
  close(): void {
    const { info } = this.#runner;
    if (info.kvLayout === 'unified' || !info.canMoveKv || this.#running.size < 2) return;
    const running = this.#running.all();
    if (areNeighbours(running)) {
      this.#steps = 0;
      return;
    }
    const move = planMove(
      running.map(({ place }) => place),
      info.maxSequences,
    );
    this.#steps = move === undefined ? 0 : this.#steps + 1;
    if (move === undefined || this.#steps < PATIENCE) return;
    const sequence = running.find(({ place }) => place === move.from);
    if (sequence === undefined) return;
    this.#running.remove(sequence);
    this.#places.relocate(sequence, move.to);
    this.#running.add(sequence);
    this.#steps = 0;
  }
}

/** Whether sequences, sorted by place, have no gap between them. */
function areNeighbours(running: readonly Sequence[]): boolean {
  return (running.at(-1)?.place ?? 0) - (running[0]?.place ?? 0) === running.length - 1;
}
