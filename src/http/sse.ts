// The stream writer: server-sent events over one response. Written as fast as the client reads, with a comment
// when nothing was said for a while. What a frame contains is the dialect's business.

import type { ServerResponse } from 'node:http';

/** How a stream is opened. */
export interface SseOptions {
  /** Added to the defaults (`content-type`, `cache-control`, `x-accel-buffering`); a later value wins. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds of silence after which `comment` is sent; 0 = never. */
  readonly keepAliveMs?: number;
  /** A whole frame, e.g. `:\n\n`. */
  readonly comment?: string;
}

/** Characters after which pending frames leave at once: a source that never pauses must meet the client's pace. */
const FLUSH_AT = 16_384;

/** One open event stream. Ends by `end`, by `abandon`, or when the client goes. */
export class SseStream {
  readonly #response: ServerResponse;
  readonly #comment: string;
  readonly #timer: NodeJS.Timeout | undefined;
  /** Frames of this turn of the event loop, sent together. */
  #pending = '';
  #ready = true;
  #silent = true;
  #closed = false;
  #waiting: (() => void)[] = [];
  readonly #flush = (): void => {
    const text = this.#pending;
    if (text === '' || this.#closed) return;
    this.#pending = '';
    this.#ready = this.#response.write(text);
  };

  /** `response` must have its head set and be at the writer's disposal. */
  constructor(response: ServerResponse, keepAliveMs: number, comment: string) {
    this.#response = response;
    this.#comment = comment;
    response.on('drain', () => {
      this.#ready = true;
      this.#release();
    });
    response.once('close', () => this.#close());
    if (keepAliveMs > 0) {
      this.#timer = setInterval(() => this.#breathe(), keepAliveMs);
      this.#timer.unref();
    }
  }

  /** True until the stream has ended or the client has gone. */
  get isOpen(): boolean {
    return !this.#closed;
  }

  /**
   * Sends whole frames (`data: ...\n\n`), as they are. False when the client is behind: await `drained` before more.
   * Frames sent in the same turn leave in one write. Ignored once the stream is closed.
   */
  send(frames: string): boolean {
    if (this.#closed) return true;
    if (this.#pending === '') process.nextTick(this.#flush);
    this.#pending += frames;
    this.#silent = false;
    if (this.#pending.length >= FLUSH_AT) this.#flush();
    return this.#ready;
  }

  /** Resolves when the client has caught up, or is gone. */
  drained(): Promise<void> {
    if (this.#ready || this.#closed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /**
   * Pulls events and sends what `encode` makes of each ('' sends nothing) until the iterator is done. No frame is
   * made while the client is behind. Rethrows what the iterator or `encode` throws, after closing the iterator.
   */
  async pump<E>(events: AsyncIterator<E>, encode: (event: E) => string): Promise<void> {
    let isDone = false;
    try {
      for (;;) {
        const next = await events.next();
        if (next.done === true) {
          isDone = true;
          return;
        }
        const frames = encode(next.value);
        if (frames !== '' && !this.send(frames)) await this.drained();
      }
    } finally {
      if (!isDone) await events.return?.();
    }
  }

  /** Ends the stream properly, after `frames` if given. */
  end(frames = ''): void {
    if (this.#closed) return;
    this.#pending += frames;
    this.#flush();
    this.#response.end();
    this.#close();
  }

  /** Cuts the connection, so that the client cannot take the stream for complete. */
  abandon(): void {
    if (this.#closed) return;
    this.#close();
    this.#response.destroy();
  }

  #breathe(): void {
    if (this.#silent && this.#ready) this.send(this.#comment);
    this.#silent = true;
  }

  #close(): void {
    this.#closed = true;
    this.#pending = '';
    clearInterval(this.#timer);
    this.#release();
  }

  #release(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}
