// The server side of one engine process: requests out, events in, each to the iteration that waits for it. Knows the
// process only as a channel; supervisor.ts starts, watches and restarts it.

import { type Failure, type GenerateEvent, KoineError } from '../../protocol/index.js';
import { EventQueue } from './event-queue.js';
import type {
  FromEngine,
  ProcessStatus,
  Query,
  QueryResult,
  Submission,
  ToEngine,
  WireEvent,
} from './messages.js';

interface PendingQuery {
  readonly resolve: (result: QueryResult) => void;
  readonly reject: (error: KoineError) => void;
}

interface Running {
  readonly submission: Submission;
  readonly events: EventQueue<GenerateEvent>;
  /** Whether anything has come back: from then on it cannot be run again elsewhere. */
  hasEvents: boolean;
  /** Times it has been handed to a fresh process. */
  retries: number;
}

/** A request that two processes were lost over, or before they could take it, does not wait for a third. */
const MAX_RETRIES = 1;

/** Requests and queries of one engine, across restarts of its process. */
export class EngineClient {
  readonly #running = new Map<number, Running>();
  readonly #queries = new Map<number, PendingQuery>();
  readonly #onStatus: (status: ProcessStatus) => void;
  #send: ((message: ToEngine) => void) | undefined;
  #nextKey = 1;

  constructor(onStatus: (status: ProcessStatus) => void) {
    this.#onStatus = onStatus;
  }

  /** Requests and queries in flight. */
  get inFlight(): number {
    return this.#running.size + this.#queries.size;
  }

  /** A process is ready. What waited, or had not begun when the last one was lost, goes to it. */
  connect(send: (message: ToEngine) => void): void {
    this.#send = send;
    for (const { submission } of this.#running.values()) send({ kind: 'submit', submission });
  }

  /** The process is gone. What had begun fails; what had not waits for the next one. */
  disconnect(failure: Failure): void {
    this.#send = undefined;
    for (const [key, running] of this.#running) {
      if (!running.hasEvents && running.retries++ < MAX_RETRIES) continue;
      this.#running.delete(key);
      running.events.end({ kind: 'failed', failure });
    }
    this.#rejectQueries(failure);
  }

  /** There will be no other process: everything fails. */
  close(failure: Failure): void {
    this.#send = undefined;
    for (const { events } of this.#running.values()) events.end({ kind: 'failed', failure });
    this.#running.clear();
    this.#rejectQueries(failure);
  }

  /** Runs a request. Aborting ends the iteration and cancels it in the engine. No generator: it would cost per event. */
  start(request: Omit<Submission, 'key'>, signal: AbortSignal): AsyncIterable<GenerateEvent> {
    const key = this.#nextKey++;
    const submission: Submission = { ...request, key };
    const cancel = (): void => this.#cancel(key);
    const events = new EventQueue<GenerateEvent>(() => {
      signal.removeEventListener('abort', cancel);
      this.#cancel(key);
    });
    if (signal.aborted) {
      events.end();
      return events;
    }
    this.#running.set(key, { submission, events, hasEvents: false, retries: 0 });
    signal.addEventListener('abort', cancel, { once: true });
    this.#send?.({ kind: 'submit', submission });
    return events;
  }

  /** Asks for one answer. Rejects with `KoineError`. */
  query<K extends Query['kind']>(
    query: Extract<Query, { kind: K }>,
    signal?: AbortSignal,
  ): Promise<Extract<QueryResult, { kind: K }>> {
    const send = this.#send;
    if (send === undefined) return Promise.reject(new KoineError('unavailable'));
    if (signal?.aborted === true) return Promise.reject(new KoineError('cancelled'));
    const key = this.#nextKey++;
    return new Promise((resolve, reject) => {
      const cancel = (): void => this.#cancelQuery(key);
      const done = (): void => signal?.removeEventListener('abort', cancel);
      this.#queries.set(key, {
        resolve: (result) => {
          done();
          (resolve as PendingQuery['resolve'])(result);
        },
        reject: (error) => {
          done();
          reject(error);
        },
      });
      signal?.addEventListener('abort', cancel, { once: true });
      send({ kind: 'query', key, query });
    });
  }

  /** Takes one message of the process in. */
  receive(message: FromEngine): void {
    switch (message.kind) {
      case 'step':
        for (const [key, choice, text] of message.texts) this.#deliver(key, { kind: 'delta', choice, text });
        for (const [key, event] of message.events) this.#deliver(key, toEvent(event));
        if (message.status !== undefined) this.#onStatus(message.status);
        return;
      case 'status':
        this.#onStatus(message.status);
        return;
      case 'answer':
        this.#queries.get(message.key)?.resolve(message.result);
        this.#queries.delete(message.key);
        return;
      case 'refused':
        this.#queries.get(message.key)?.reject(toError(message.failure));
        this.#queries.delete(message.key);
        return;
      case 'ready':
      case 'log':
      case 'fatal':
        return;
    }
  }

  #deliver(key: number, event: GenerateEvent): void {
    const running = this.#running.get(key);
    if (running === undefined) return;
    running.hasEvents = true;
    if (event.kind !== 'finished' && event.kind !== 'failed') {
      running.events.push(event);
      return;
    }
    this.#running.delete(key);
    running.events.end(event);
  }

  #cancel(key: number): void {
    const running = this.#running.get(key);
    if (running === undefined) return;
    this.#running.delete(key);
    running.events.end();
    this.#send?.({ kind: 'cancel', key });
  }

  #cancelQuery(key: number): void {
    const query = this.#queries.get(key);
    if (query === undefined) return;
    this.#queries.delete(key);
    query.reject(new KoineError('cancelled'));
    this.#send?.({ kind: 'cancel-query', key });
  }

  #rejectQueries(failure: Failure): void {
    for (const { reject } of this.#queries.values()) reject(toError(failure));
    this.#queries.clear();
  }
}

function toEvent(event: WireEvent): GenerateEvent {
  if (event.kind !== 'choice') return event;
  const { seed, ...rest } = event;
  return seed === undefined ? rest : { ...rest, seed: BigInt(seed) };
}

function toError(failure: Failure): KoineError {
  return new KoineError(failure.code, failure.message, failure.details);
}
