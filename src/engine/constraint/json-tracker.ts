// Follows JSON byte by byte along a guard's shape and counts the characters of strings whose length is bounded.
// Trusts the grammar that the bytes are JSON. Runs in a worker.

import type { GuardShape, LengthGuard } from '../../grammar/index.js';

interface Frame {
  readonly shape: GuardShape | undefined;
  readonly isObject: boolean;
  /** Element of an array. */
  index: number;
  /** Member of an object; undefined while its name is awaited. */
  key: string | undefined;
}

type Mode = 'outside' | 'tokens' | 'key' | 'string';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const decoder = new TextDecoder();

export class JsonTracker {
  private mode: Mode = 'outside';
  private frames: Frame[] = [];
  private root: GuardShape | undefined;
  /** Bytes of an escape still to come. */
  private escaped = 0;
  private isEscapeStart = false;
  private keyBytes: number[] = [];
  /** The last bytes outside JSON, for finding a guard's text. */
  private tail: number[] = [];
  private shape: GuardShape | undefined;
  private count = 0;
  private readonly behind: readonly Uint8Array[];
  private readonly longest: number;

  constructor(private readonly guards: readonly LengthGuard[]) {
    this.behind = guards.map((guard) => new TextEncoder().encode(guard.behind));
    this.longest = Math.max(...this.behind.map((text) => text.length));
    this.enterIfBehind();
  }

  /** Characters the current string may still take; undefined when no bound applies. */
  get room(): number | undefined {
    const max = this.mode === 'string' ? this.shape?.max : undefined;
    return max === undefined ? undefined : max - this.count;
  }

  /** Inside an escape of a string whose length counts: what follows stands for no character of its own. */
  get isEscaped(): boolean {
    return this.mode === 'string' && this.escaped > 0 && this.shape?.max !== undefined;
  }

  /** A tracker in the same state that can go another way. */
  copy(): JsonTracker {
    const other = Object.create(JsonTracker.prototype) as JsonTracker;
    Object.assign(other, this);
    other.frames = this.frames.map((frame) => ({ ...frame }));
    other.keyBytes = [...this.keyBytes];
    other.tail = [...this.tail];
    return other;
  }

  /** Takes bytes; false when they break a bound. */
  take(bytes: Uint8Array): boolean {
    for (const byte of bytes) if (!this.feed(byte)) return false;
    return true;
  }

  private feed(byte: number): boolean {
    switch (this.mode) {
      case 'outside':
        this.tail.push(byte);
        if (this.tail.length > this.longest) this.tail.shift();
        this.enterIfBehind();
        return true;
      case 'tokens':
        this.structural(byte);
        return true;
      case 'key':
        return this.inKey(byte);
      case 'string':
        return this.inString(byte);
    }
  }

  private enterIfBehind(): void {
    const at = this.behind.findIndex(
      (text) =>
        text.length <= this.tail.length &&
        text.every((byte, index) => byte === this.tail[this.tail.length - text.length + index]),
    );
    if (at < 0) return;
    this.root = this.guards[at]?.shape;
    this.mode = 'tokens';
    this.tail = [];
  }

  private structural(byte: number): void {
    const top = this.frames.at(-1);
    switch (byte) {
      case QUOTE:
        if (top?.isObject && top.key === undefined) {
          this.mode = 'key';
          this.keyBytes = [];
          return;
        }
        this.shape = this.here(top);
        this.count = 0;
        this.mode = 'string';
        return;
      case 0x7b:
      case 0x5b:
        this.frames.push({ shape: this.here(top), isObject: byte === 0x7b, index: 0, key: undefined });
        return;
      case 0x7d:
      case 0x5d:
        this.frames.pop();
        if (this.frames.length === 0) this.mode = 'outside';
        return;
      case 0x2c:
        if (top === undefined) return;
        top.index += 1;
        top.key = undefined;
    }
  }

  /** The shape of the value that begins now. */
  private here(top: Frame | undefined): GuardShape | undefined {
    if (top === undefined) return this.root;
    if (top.isObject) return top.shape?.properties?.get(top.key ?? '') ?? top.shape?.others;
    return top.shape?.prefix?.[top.index] ?? top.shape?.items;
  }

  private inKey(byte: number): boolean {
    if (this.escaped > 0) this.escaped -= 1;
    else if (byte === BACKSLASH) this.escaped = 1;
    else if (byte === QUOTE) {
      const top = this.frames.at(-1);
      const text = decoder.decode(new Uint8Array(this.keyBytes));
      if (top !== undefined) top.key = JSON.parse(`"${text}"`) as string;
      this.mode = 'tokens';
      return true;
    }
    this.keyBytes.push(byte);
    return true;
  }

  private inString(byte: number): boolean {
    if (this.escaped > 0) {
      // Right behind the backslash a `u` brings four digits; anything else stands alone.
      this.escaped = this.isEscapeStart && byte === 0x75 ? 4 : this.escaped - 1;
      this.isEscapeStart = false;
      return true;
    }
    if (byte === QUOTE) {
      this.mode = this.frames.length === 0 ? 'outside' : 'tokens';
      return this.count >= (this.shape?.min ?? 0);
    }
    if (byte === BACKSLASH) {
      this.escaped = 1;
      this.isEscapeStart = true;
    }
    // Bytes inside a UTF-8 character do not count again.
    if ((byte & 0xc0) !== 0x80) this.count += 1;
    return this.count <= (this.shape?.max ?? Number.POSITIVE_INFINITY);
  }
}
