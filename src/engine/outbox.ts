// Collects what is to leave the process, so that one message carries it all. Engine process.

import type { TextDelta, WireEvent } from './process/messages.js';
import type { Group } from './sequence.js';

/** Events in the order they are to be sent. Emptied by `take`. */
export class Outbox {
  #texts: TextDelta[] = [];
  #events: (readonly [key: number, event: WireEvent])[] = [];
  /** Requests with an event in the list. */
  readonly #keys = new Set<number>();

  get isEmpty(): boolean {
    return this.#texts.length === 0 && this.#events.length === 0;
  }

  /** A piece of text. */
  text(group: Group, choice: number, text: string): void {
    if (holdsBack(group)) this.#hold(group, choice, { kind: 'delta', choice, text });
    // Texts are delivered before events, but must not overtake those of their own request.
    else if (this.#keys.has(group.key)) this.ofGroup(group.key, { kind: 'delta', choice, text });
    else this.#texts.push([group.key, choice, text]);
  }

  /** An event of one choice. */
  ofChoice(group: Group, choice: number, event: WireEvent): void {
    if (holdsBack(group)) this.#hold(group, choice, event);
    else this.ofGroup(group.key, event);
  }

  /** An event of the whole request. */
  ofGroup(key: number, event: WireEvent): void {
    this.#keys.add(key);
    this.#events.push([key, event]);
  }

  /** What has been collected since the last call. */
  take(): { texts: TextDelta[]; events: (readonly [key: number, event: WireEvent])[] } {
    const taken = { texts: this.#texts, events: this.#events };
    this.#texts = [];
    this.#events = [];
    this.#keys.clear();
    return taken;
  }

  #hold(group: Group, choice: number, event: WireEvent): void {
    const held = group.held.get(choice);
    if (held === undefined) group.held.set(choice, [event]);
    else held.push(event);
  }
}

/** With best_of > n nothing can be shown before the best are known. */
export function holdsBack(group: Group): boolean {
  return group.bestOf > group.n;
}
