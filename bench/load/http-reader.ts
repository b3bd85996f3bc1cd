// Reads HTTP/1.1 responses off one connection with as little work per byte as counting events allows: headers,
// then a chunked or counted body, handed on in pieces. Knows nothing of what the body means.

const HEADER_END = Buffer.from('\r\n\r\n');
const CR = 13;

/** What the reader tells. Pieces are only valid during the call. */
export interface ResponseSink {
  head(status: number, isStream: boolean): void;
  piece(bytes: Buffer): void;
  end(keepAlive: boolean): void;
}

/** A response parser for one connection. Feed it everything the socket gives. */
export class HttpReader {
  #state: 'head' | 'size' | 'data' | 'after-data' | 'trailer' | 'counted' = 'head';
  #pending: Buffer = Buffer.alloc(0);
  #left = 0;
  #keepAlive = true;
  readonly #sink: ResponseSink;

  constructor(sink: ResponseSink) {
    this.#sink = sink;
  }

  /** Takes bytes from the socket. Throws on what is no HTTP/1.1 response. */
  feed(incoming: Buffer): void {
    let bytes = this.#pending.length === 0 ? incoming : Buffer.concat([this.#pending, incoming]);
    while (bytes.length > 0) {
      const used = this.#step(bytes);
      if (used === 0) break;
      bytes = bytes.subarray(used);
    }
    // Kept across events, and the socket reuses its buffer.
    this.#pending = bytes.length === 0 ? bytes : Buffer.from(bytes);
  }

  /** Handles the front of `bytes`; answers how many were used, 0 when more are needed. */
  #step(bytes: Buffer): number {
    switch (this.#state) {
      case 'head':
        return this.#head(bytes);
      case 'size':
        return this.#size(bytes);
      case 'data':
      case 'counted':
        return this.#data(bytes);
      case 'after-data':
        if (bytes.length < 2) return 0;
        this.#state = 'size';
        return 2;
      case 'trailer':
        if (bytes.length < 2) return 0;
        this.#finish();
        return 2;
    }
  }

  #head(bytes: Buffer): number {
    const end = bytes.indexOf(HEADER_END);
    if (end < 0) return 0;
    const lines = bytes.toString('latin1', 0, end).toLowerCase().split('\r\n');
    const status = Number(/^http\/1\.1 (\d{3})/.exec(lines[0] ?? '')?.[1]);
    if (!(status > 0)) throw new Error(`not an HTTP/1.1 response: ${lines[0]}`);
    const header = (name: string): string =>
      lines
        .find((line) => line.startsWith(`${name}:`))
        ?.slice(name.length + 1)
        .trim() ?? '';
    this.#keepAlive = header('connection') !== 'close';
    this.#sink.head(status, header('content-type').startsWith('text/event-stream'));
    if (header('transfer-encoding') === 'chunked') this.#state = 'size';
    else {
      this.#left = Number(header('content-length') || 0);
      this.#state = 'counted';
      if (this.#left === 0) this.#finish();
    }
    return end + HEADER_END.length;
  }

  #size(bytes: Buffer): number {
    const end = bytes.indexOf(CR);
    if (end < 0 || end + 1 >= bytes.length) return 0;
    this.#left = Number.parseInt(bytes.toString('latin1', 0, end), 16);
    this.#state = this.#left === 0 ? 'trailer' : 'data';
    return end + 2;
  }

  #data(bytes: Buffer): number {
    const length = Math.min(this.#left, bytes.length);
    this.#sink.piece(bytes.subarray(0, length));
    this.#left -= length;
    if (this.#left === 0) {
      if (this.#state === 'counted') this.#finish();
      else this.#state = 'after-data';
    }
    return length;
  }

  #finish(): void {
    this.#state = 'head';
    this.#sink.end(this.#keepAlive);
  }
}
