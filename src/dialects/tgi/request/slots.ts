// Counts requests in flight; one too many is refused at once, never queued.

/** A number of places that are taken and given back. */
export class Slots {
  #taken = 0;

  constructor(private readonly limit: number) {}

  /** Takes this many places or none. */
  take(count: number): boolean {
    if (this.#taken + count > this.limit) return false;
    this.#taken += count;
    return true;
  }

  giveBack(count: number): void {
    this.#taken -= count;
  }

  get taken(): number {
    return this.#taken;
  }
}
