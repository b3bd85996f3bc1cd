// Follows an output until what stands in front of the constrained part is over. Runs in a worker.

import type { LeadEnd } from '../../grammar/index.js';

const NOTHING = new Uint8Array(0);

/** Tells the lead of one sequence from the output behind it. */
export class Lead {
  private readonly begin: Buffer;
  private readonly end: Buffer;
  private seen = Buffer.alloc(0);
  /** Whether the output behind the lead has begun, or may begin with the next byte. */
  isOver = false;

  constructor({ begin, end }: LeadEnd) {
    this.begin = Buffer.from(begin);
    this.end = Buffer.from(end);
  }

  /** Takes the output's next bytes; returns those that belong behind the lead. */
  take(bytes: Uint8Array): Uint8Array {
    if (this.isOver) return bytes;
    this.seen = Buffer.concat([this.seen, bytes]);
    const common = Math.min(this.begin.length, this.seen.length);
    if (!this.seen.subarray(0, common).equals(this.begin.subarray(0, common))) return this.behind(0);
    if (this.seen.length < this.begin.length) return NOTHING;
    const at = this.seen.indexOf(this.end);
    if (at >= 0) return this.behind(at + this.end.length);
    // Only as much is kept as may still belong to the last text; what it begins with has been seen.
    if (this.begin.length === 0) this.seen = this.seen.subarray(-this.end.length);
    return NOTHING;
  }

  private behind(from: number): Uint8Array {
    const rest = this.seen.subarray(from);
    this.isOver = true;
    this.seen = Buffer.alloc(0);
    return rest;
  }
}
