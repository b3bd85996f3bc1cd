// Rows that fill a decode step up to a multiple of four. CPU kernels for the common quantized weights take rows by fours
// and the rest one by one: seven sequences cost half as much again as eight. Whether that is so here is measured.
// Engine process.

import type { Places } from './cache/places.js';
import type { ModelRunner } from './model-runner.js';
import type { PlanEntry } from './scheduler/plan.js';
import type { StepCosts } from './scheduler/policies/step-costs.js';
import type { RunningSet } from './scheduler/running-set.js';

/** Kernels take so many rows at a time. */
const ROWS = 4;
/** A padded step has to be this much cheaper: each also writes KV and takes it out again. */
const WORTHWHILE = 0.97;
/** Every so many steps the other way is taken, because what was measured gets old. */
const LOOK_AGAIN = 256;

/** Looking at so many positions costs nothing worth counting. */
const NEARLY_EMPTY = 256;

/** A token that nobody reads, at the end of what lies in a place that the step leaves alone. */
export interface Pad {
  readonly place: number;
  readonly position: number;
}

const NO_PADS: readonly Pad[] = [];

/** Decides about padding and cleans up after it. */
export class Padding {
  readonly #runner: ModelRunner;
  readonly #places: Places;
  readonly #running: RunningSet;
  readonly #costs: StepCosts;
  #steps = 0;

  constructor(runner: ModelRunner, places: Places, running: RunningSet, costs: StepCosts) {
    this.#runner = runner;
    this.#places = places;
    this.#running = running;
    this.#costs = costs;
  }

  /** Pads for a step with one token of each of these sequences, by place; none where they would not pay. */
  padsFor(entries: readonly PlanEntry[]): readonly Pad[] {
    const { kvLayout, canMoveKv, maxSequences } = this.#runner.info;
    const wanted = Math.ceil(entries.length / ROWS) * ROWS;
    if (kvLayout !== 'streams' || !canMoveKv) return NO_PADS;
    if (entries.length < ROWS || wanted === entries.length || wanted > maxSequences) return NO_PADS;
    if (!this.#isCheaper(entries.length, wanted)) return NO_PADS;
    const pads = this.#choose(entries, wanted - entries.length);
    return entries.length + pads.length === wanted ? pads : NO_PADS;
  }

  /** Takes the pads' tokens out of the KV again. */
  remove(pads: readonly Pad[]): void {
    for (const { place, position } of pads) this.#runner.removeKv(place, position, -1);
  }

  /** A pass with these pads has failed: what it left in their places is not to be trusted. */
  distrust(pads: readonly Pad[]): void {
    for (const { place } of pads) this.#places.forget(place);
  }

  #isCheaper(rows: number, padded: number): boolean {
    const plain = this.#costs.measuredMs(rows);
    const filled = this.#costs.measuredMs(padded);
    if (plain === 0) return false;
    const pays = filled < WORTHWHILE * plain;
    return this.#steps++ % LOOK_AGAIN === LOOK_AGAIN - 1 ? !pays : pays;
  }

  /**
   * Places between those of the step first, then those that join on to them: streams that are no neighbours take
   * another pass.
   */
  #choose(entries: readonly PlanEntry[], count: number): readonly Pad[] {
    const first = entries[0]?.sequence.place ?? 0;
    const last = entries.at(-1)?.sequence.place ?? 0;
    // A token behind a long forgotten conversation would have to look at all of it.
    const longest = Math.max(...entries.map(({ from }) => from));
    const limit = Math.min(2 * longest + NEARLY_EMPTY, this.#runner.info.contextPerSequence - 1);
    const idle = this.#idle(entries, limit);
    const chosen = [...idle.values()].filter(({ place }) => place > first && place < last).slice(0, count);
    const take = (from: number, by: 1 | -1): void => {
      for (let place = from; chosen.length < count; place += by) {
        const pad = idle.get(place);
        if (pad === undefined) return;
        chosen.push(pad);
      }
    };
    take(last + 1, 1);
    take(first - 1, -1);
    return chosen.sort((a, b) => a.place - b.place);
  }
  /** Places that the step has nothing to compute in, by number: the free ones, and those of prompts that wait their turn. */
  #idle(entries: readonly PlanEntry[], limit: number): ReadonlyMap<number, Pad> {
    const idle = new Map<number, Pad>(this.#places.spare(limit).map((pad) => [pad.place, pad]));
    for (const { place, computed } of this.#running.all()) {
      if (computed <= limit) idle.set(place, { place, position: computed });
    }
    for (const { sequence } of entries) idle.delete(sequence.place);
    return idle;
  }
}
