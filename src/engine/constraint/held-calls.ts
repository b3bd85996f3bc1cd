// One sequence whose calls are held: free text until a call begins, the grammar of calls from there to the call's
// end, and free text again. Free text has no mask at all, so it is what it would be without tools.

import { KoineError } from '../../protocol/index.js';
import type { CallGrammar } from './call-grammar.js';
import type { CallWatch, Sighting } from './call-watch.js';
import type { Matcher } from './matcher.js';

/** What a sequence follows that may make calls. */
export interface HeldCalls {
  /** As a matcher's; null = everything is allowed. */
  mask(waitMs?: number): Int32Array | 'pending' | null;
  /** No call is being made, as far as is known. */
  readonly isFree: boolean;
  accept(tokens: readonly number[]): void;
  forced(tokenize: (text: string) => ArrayLike<number>): readonly number[];
  /** Stops holding the call that is being made, where the request does not insist; true when it did. */
  letGo(): boolean;
  dispose(): void;
}

const MASK_WAIT_MS = 5;
/** Longest time a call that has begun waits for its grammar. Then it is not held: better so than not made. */
const LONGEST_OPENING_MS = 10_000;
const NO_BYTES = new Uint8Array(0);

/** What all sequences of a request share. */
export interface HeldCallsWiring {
  readonly grammar: CallGrammar;
  /** A token as it stands in the text; empty where it does not. */
  readonly bytesOf: (token: number) => Uint8Array;
  /** A call ends the reply, or is the only one: it is followed to the end of the output. */
  readonly isLast: boolean;
  /** Whether a call that cannot be held fails the request. */
  readonly isStrict: boolean;
}

export function createHeldCalls(wiring: HeldCallsWiring, watch: CallWatch): HeldCalls {
  return new Holder(wiring, watch);
}

class Holder implements HeldCalls {
  private matcher: Matcher | undefined;
  /** When the grammar was asked for that is not ready yet. */
  private askedMs: number | undefined;
  private failure: unknown;
  private isDisposed = false;
  private hasBegun = false;
  private readonly nobody = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

  constructor(
    private readonly wiring: HeldCallsWiring,
    private readonly watch: CallWatch,
  ) {}

  get isFree(): boolean {
    return this.matcher === undefined && this.askedMs === undefined && this.failure === undefined;
  }

  mask(waitMs = MASK_WAIT_MS): Int32Array | 'pending' | null {
    if (this.askedMs !== undefined) return this.stillOpening(this.askedMs, waitMs);
    if (this.failure !== undefined) throw this.failure;
    const { matcher } = this;
    if (matcher === undefined) return null;
    return this.guarded(() => {
      const mask = matcher.mask(waitMs);
      if (mask === 'pending' || !matcher.isTerminated()) return mask;
      this.release();
      return null;
    }, null);
  }

  accept(tokens: readonly number[]): void {
    const { matcher } = this;
    if (matcher !== undefined) {
      this.guarded(() => matcher.accept(tokens), undefined);
      return;
    }
    for (const token of tokens) {
      const seen = this.watch.take(this.wiring.bytesOf(token));
      if (this.watch.isNear && !this.hasBegun) {
        this.hasBegun = true;
        this.wiring.grammar.begin();
      }
      if (seen !== undefined) this.open(seen);
    }
  }

  forced(tokenize: (text: string) => ArrayLike<number>): readonly number[] {
    return this.matcher?.forced(tokenize) ?? [];
  }

  letGo(): boolean {
    if (this.wiring.isStrict || this.matcher === undefined) return false;
    this.release();
    return true;
  }

  dispose(): void {
    if (this.isDisposed) return;
    this.isDisposed = true;
    this.matcher?.dispose();
    this.matcher = undefined;
    this.wiring.grammar.leave();
  }

  private open({ mark, rest }: Sighting): void {
    const behind = textOf(rest);
    if (behind === undefined) return;
    const entry = { written: mark.written + behind, endsWithCall: !this.wiring.isLast };
    const opened = this.wiring.grammar.open(entry);
    if (!(opened instanceof Promise)) {
      this.matcher = opened;
      return;
    }
    const askedMs = performance.now();
    this.askedMs = askedMs;
    const settle = (matcher: Matcher | undefined, failure?: unknown): void => {
      if (this.isDisposed || this.askedMs !== askedMs) {
        matcher?.dispose();
        return;
      }
      this.askedMs = undefined;
      this.matcher = matcher;
      if (this.wiring.isStrict) this.failure = failure;
    };
    opened.then(settle, (failure: unknown) => settle(undefined, failure));
  }

  /** The news that it is ready comes through the event loop, so that there is nothing to wake up for earlier. */
  private stillOpening(askedMs: number, waitMs: number): 'pending' | null {
    if (this.wiring.isStrict || performance.now() - askedMs < LONGEST_OPENING_MS) {
      if (waitMs > 0) Atomics.wait(this.nobody, 0, 0, waitMs);
      return 'pending';
    }
    this.askedMs = undefined;
    return null;
  }

  private release(): void {
    this.matcher?.dispose();
    this.matcher = undefined;
    this.watch.resume();
  }

  /** What happens to a call's matcher must not harm a reply that nobody wants to be strict. */
  private guarded<T, U>(use: () => T, otherwise: U): T | U {
    try {
      return use();
    } catch (error) {
      if (this.wiring.isStrict || !(error instanceof KoineError)) throw error;
      this.release();
      return otherwise;
    }
  }
}

/** Undefined where the bytes end inside a character. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes.length === 0 ? NO_BYTES : bytes);
  } catch {
    return undefined;
  }
}
