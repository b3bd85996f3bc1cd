// Sequences that wait for a place: higher priority first, then older first. Swapped ones wait here too; being older
// than what came after them, they come back first.

import type { Sequence } from '../sequence.js';

/** An ordered list; insertion is by priority and arrival. */
export class WaitingQueue {
  readonly #items: Sequence[] = [];

  get length(): number {
    return this.#items.length;
  }

  /** In order. A copy, so that the caller may remove while iterating. */
  snapshot(): readonly Sequence[] {
    return [...this.#items];
  }

  add(sequence: Sequence): void {
    let at = this.#items.length;
    while (at > 0 && comesBefore(sequence, this.#items[at - 1])) at--;
    this.#items.splice(at, 0, sequence);
  }

  remove(sequence: Sequence): void {
    const at = this.#items.indexOf(sequence);
    if (at >= 0) this.#items.splice(at, 1);
  }
}

/** Whether `a` is to be served before `b`. */
export function comesBefore(a: Sequence, b: Sequence | undefined): boolean {
  if (b === undefined) return true;
  if (a.group.priority !== b.group.priority) return a.group.priority > b.group.priority;
  if (a.group.arrival !== b.group.arrival) return a.group.arrival < b.group.arrival;
  return a.choice < b.choice;
}
