// An async iteration fed from outside: events wait here until they are asked for. No promise is made for an event
// that is already there.

/** One producer, one consumer. `onReturn` is called when the consumer stops early. */
export class EventQueue<E> implements AsyncIterableIterator<E> {
  #items: E[] = [];
  #at = 0;
  #waiting: ((result: IteratorResult<E>) => void) | undefined;
  #isEnded = false;
  readonly #onReturn: () => void;

  constructor(onReturn: () => void) {
    this.#onReturn = onReturn;
  }

  push(item: E): void {
    if (this.#isEnded) return;
    const waiting = this.#waiting;
    if (waiting === undefined) {
      this.#items.push(item);
      return;
    }
    this.#waiting = undefined;
    waiting({ value: item, done: false });
  }

  /** No more items after this last one, if any. */
  end(last?: E): void {
    if (this.#isEnded) return;
    if (last !== undefined) this.push(last);
    this.#isEnded = true;
    this.#waiting?.({ value: undefined, done: true });
    this.#waiting = undefined;
  }

  next(): Promise<IteratorResult<E>> {
    const item = this.#items[this.#at];
    if (item !== undefined) {
      this.#at++;
      if (this.#at === this.#items.length) {
        this.#items = [];
        this.#at = 0;
      }
      return Promise.resolve({ value: item, done: false });
    }
    if (this.#isEnded) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  return(): Promise<IteratorResult<E>> {
    this.#onReturn();
    this.end();
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
