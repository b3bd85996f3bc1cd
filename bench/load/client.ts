// One connection of the load generator: sends a request, counts the events of its reply, tells what became of it.
// Uses raw sockets, because a comfortable HTTP client would compete with the server for the cores.

import { connect, type Socket } from 'node:net';
import { HttpReader } from './http-reader.js';
import type { LoadJob, RequestRecord } from './job.js';

const EVENT = Buffer.from('data:');
/** Bytes of a reply's end that are kept to read the usage from. */
const TAIL_BYTES = 4096;
/** Events without text that a server may send ahead, e.g. to name the role. */
const EMPTY_TEXT = /"(text|content)": ?(""|null)/;

interface Pending {
  readonly index: number;
  readonly sentMs: number;
  /** Sent over a connection that had served a request before. */
  isReused: boolean;
  resends: number;
  readonly done: (record: RequestRecord) => void;
  status: number;
  firstMs: number;
  events: number;
  tail: Buffer;
  readonly eventMs: number[];
}

function tokenCount(text: string, name: string): number {
  const found = [...text.matchAll(new RegExp(`"${name}": ?(\\d+)`, 'g'))].at(-1);
  return Number(found?.[1] ?? 0);
}

/** A client with one keep-alive connection, opened again when the server closes it. */
export class LoadClient {
  readonly #job: LoadJob;
  readonly #now: () => number;
  #socket: Socket | undefined;
  #pending: Pending | undefined;

  constructor(job: LoadJob, now: () => number) {
    this.#job = job;
    this.#now = now;
  }

  /** Sends request `index` of the job. Never rejects: failures are in the record. */
  send(index: number): Promise<RequestRecord> {
    return new Promise((done) => {
      this.#pending = {
        index,
        sentMs: this.#now(),
        isReused: this.#socket !== undefined,
        resends: 0,
        done,
        status: 0,
        firstMs: Number.NaN,
        events: 0,
        tail: Buffer.alloc(0),
        eventMs: [],
      };
      this.#write(index);
    });
  }

  close(): void {
    this.#socket?.destroy();
  }

  #write(index: number): void {
    const { host, port, path, bodies } = this.#job;
    const body = bodies[index] ?? '';
    this.#socket ??= this.#open();
    this.#socket.write(
      `POST ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  }

  #open(): Socket {
    const socket = connect({ host: this.#job.host, port: this.#job.port, noDelay: true });
    const reader = new HttpReader({
      head: (status) => {
        if (this.#pending) this.#pending.status = status;
      },
      piece: (bytes) => this.#piece(bytes),
      end: (keepAlive) => {
        if (!keepAlive) this.#drop(socket);
        this.#settle(undefined);
      },
    });
    socket.on('data', (bytes: Buffer) => {
      try {
        reader.feed(bytes);
      } catch (error) {
        this.#drop(socket);
        this.#settle(String(error));
      }
    });
    socket.on('error', (error: NodeJS.ErrnoException) => this.#lost(socket, error.code ?? error.message));
    socket.on('close', () => this.#lost(socket, 'closed'));
    return socket;
  }

  #lost(socket: Socket, reason: string): void {
    if (this.#socket !== socket) return;
    this.#drop(socket);
    const pending = this.#pending;
    // Clients of every kind send again when a kept connection turns out to be closed before anything came back.
    if (pending?.isReused && pending.status === 0) {
      pending.isReused = false;
      pending.resends++;
      this.#write(pending.index);
    } else this.#settle(reason);
  }

  #drop(socket: Socket): void {
    socket.destroy();
    if (this.#socket === socket) this.#socket = undefined;
  }

  #piece(bytes: Buffer): void {
    const pending = this.#pending;
    if (pending === undefined) return;
    for (let at = bytes.indexOf(EVENT); at >= 0; at = bytes.indexOf(EVENT, at + EVENT.length)) {
      pending.events++;
      if (Number.isNaN(pending.firstMs) && !EMPTY_TEXT.test(bytes.toString('utf8', at)))
        pending.firstMs = this.#now();
      if (this.#job.eventTimes) pending.eventMs.push(this.#now());
    }
    pending.tail =
      bytes.length >= TAIL_BYTES
        ? Buffer.from(bytes.subarray(bytes.length - TAIL_BYTES))
        : Buffer.concat([
            pending.tail.subarray(Math.max(0, pending.tail.length + bytes.length - TAIL_BYTES)),
            bytes,
          ]);
  }

  #settle(failure: string | undefined): void {
    const pending = this.#pending;
    if (pending === undefined) return;
    this.#pending = undefined;
    const tail = pending.tail.toString('utf8');
    const refused = pending.status === 200 ? undefined : `status ${pending.status}: ${tail.slice(0, 200)}`;
    const broken = tail.includes('"error"') ? `error event: ${tail.slice(-200)}` : undefined;
    const error = failure ?? refused ?? broken;
    pending.done({
      index: pending.index,
      sentMs: pending.sentMs,
      firstMs: pending.firstMs,
      endMs: this.#now(),
      events: pending.events,
      resends: pending.resends,
      promptTokens: tokenCount(tail, 'prompt_tokens'),
      newTokens: tokenCount(tail, 'completion_tokens'),
      cachedTokens: tokenCount(tail, 'cached_tokens'),
      tail,
      ...(error === undefined ? {} : { error }),
      ...(this.#job.eventTimes ? { eventMs: pending.eventMs } : {}),
    });
  }
}
