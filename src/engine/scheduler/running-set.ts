// The sequences that hold a place, in the order of their places: llama.cpp joins neighbouring streams into one pass
// only when the batch names them in rising order.

import type { Sequence } from '../sequence.js';

/** A list sorted by place. */
export class RunningSet {
  readonly #items: Sequence[] = [];

  get size(): number {
    return this.#items.length;
  }

  all(): readonly Sequence[] {
    return this.#items;
  }

  add(sequence: Sequence): void {
    let at = this.#items.length;
    while (at > 0 && (this.#items[at - 1]?.place ?? -1) > sequence.place) at--;
    this.#items.splice(at, 0, sequence);
  }

  remove(sequence: Sequence): void {
    const at = this.#items.indexOf(sequence);
    if (at >= 0) this.#items.splice(at, 1);
  }
}
