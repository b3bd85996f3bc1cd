// Looks for the beginning of a call in an output that is free until then, byte by byte. In the engine's thread, for
// every token of every reply that may be a call: it remembers next to nothing and allocates nothing in plain text.

import type { CallMark } from '../../grammar/index.js';

const OPEN = Buffer.from('<think>');
const CLOSE = Buffer.from('</think>');

/** What the reply begins with. */
export interface WatchStart {
  /** Texts that begin a call. */
  readonly marks: readonly CallMark[];
  /** `inside` = the prompt has opened the reasoning; `none` = this format has none between tags. */
  readonly reasoning: 'inside' | 'maybe' | 'none';
}

/** A call has begun. */
export interface Sighting {
  readonly mark: CallMark;
  /** What of the bytes stands behind the mark. */
  readonly rest: Uint8Array;
}

interface PackedMark {
  readonly mark: CallMark;
  readonly pieces: readonly Uint8Array[];
}

/** A mark that has begun: so many pieces are read, and so many bytes of the next one. */
interface Reading {
  readonly packed: PackedMark;
  piece: number;
  at: number;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

export class CallWatch {
  private readonly marks: readonly PackedMark[];
  private mode: 'opening' | 'reasoning' | 'text';
  /** Bytes of the reasoning's tag that have been read. */
  private tagAt = 0;
  /** Nothing but white space was said, reasoning aside. */
  private isQuiet = true;
  private readings: Reading[] = [];
  /** The first piece of a mark has been seen: a call may well begin. */
  isNear = false;

  constructor({ marks, reasoning }: WatchStart) {
    this.marks = marks.map((mark) => ({ mark, pieces: mark.pieces.map((piece) => Buffer.from(piece)) }));
    this.mode = reasoning === 'inside' ? 'reasoning' : reasoning === 'maybe' ? 'opening' : 'text';
  }

  /** Takes the output's next bytes; what is seen in reasoning is none. */
  take(bytes: Uint8Array): Sighting | undefined {
    for (let index = 0; index < bytes.length; index += 1) {
      const mark = this.feed(bytes[index] ?? 0);
      if (mark !== undefined) return { mark, rest: bytes.subarray(index + 1) };
    }
    return undefined;
  }

  /** A call that was seen is over: what follows is text again. */
  resume(): void {
    this.readings = [];
  }

  private feed(byte: number): CallMark | undefined {
    switch (this.mode) {
      case 'text':
        return this.text(byte);
      case 'opening':
        return this.open(byte);
      case 'reasoning':
        this.tagAt = byte === CLOSE[this.tagAt] ? this.tagAt + 1 : byte === CLOSE[0] ? 1 : 0;
        if (this.tagAt === CLOSE.length) this.mode = 'text';
        return undefined;
    }
  }

  /** Whether the reply opens with reasoning. */
  private open(byte: number): CallMark | undefined {
    if (this.tagAt === 0 && isSpace(byte)) return undefined;
    if (byte === OPEN[this.tagAt]) {
      this.tagAt += 1;
      if (this.tagAt < OPEN.length) return undefined;
      this.mode = 'reasoning';
      this.tagAt = 0;
      return undefined;
    }
    this.mode = 'text';
    // What looked like the tag is text, and may begin a mark; it is too short to be one.
    for (const seen of OPEN.subarray(0, this.tagAt)) this.text(seen);
    return this.text(byte);
  }

  private text(byte: number): CallMark | undefined {
    if (this.readings.length > 0) {
      const found = this.goOn(byte);
      if (found !== undefined) return found;
    }
    for (const packed of this.marks) {
      if (packed.pieces[0]?.[0] !== byte || (packed.mark.isFirst && !this.isQuiet)) continue;
      const reading: Reading = { packed, piece: 0, at: 0 };
      if (advance(reading, byte) === 'done') return this.found(packed);
      if (reading.piece > 0) this.isNear = true;
      this.readings.push(reading);
    }
    if (this.isQuiet && !isSpace(byte)) this.isQuiet = false;
    return undefined;
  }

  private goOn(byte: number): CallMark | undefined {
    const { readings } = this;
    this.readings = [];
    for (const reading of readings) {
      const outcome = advance(reading, byte);
      if (reading.piece > 0) this.isNear = true;
      if (outcome === 'done') return this.found(reading.packed);
      if (outcome === 'more') this.readings.push(reading);
    }
    return undefined;
  }

  private found({ mark }: PackedMark): CallMark {
    this.isNear = true;
    this.readings = [];
    this.isQuiet = false;
    return mark;
  }
}

function advance(reading: Reading, byte: number): 'more' | 'done' | 'other' {
  const { pieces } = reading.packed;
  const piece = pieces[reading.piece];
  if (piece === undefined) return 'other';
  if (reading.at === 0 && reading.piece > 0 && isSpace(byte) && piece[0] !== byte) return 'more';
  if (piece[reading.at] !== byte) return 'other';
  reading.at += 1;
  if (reading.at < piece.length) return 'more';
  reading.at = 0;
  reading.piece += 1;
  return reading.piece === pieces.length ? 'done' : 'more';
}
