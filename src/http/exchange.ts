// One request and its answer, as handlers see them: checked input, a signal that ends with the connection, and the
// JSON, text and stream writers. Hides the web framework.

import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../telemetry/index.js';
import { type SseOptions, SseStream } from './sse.js';

/** What the listener knows about an exchange beside the request itself. */
export interface ExchangeContext {
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly isDraining: () => boolean;
  readonly keepAliveMs: number;
  readonly startedAtMs: number;
}

const STREAM_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
};

/** One request and its answer. Exactly one of the `send...` and `openSse` calls answers it. */
export class Exchange {
  /** Also the answer's `x-request-id`. */
  readonly id: string;
  readonly log: Logger;
  /** Aborts as soon as the client is gone, also before the answer began; and when a drain runs out of time. */
  readonly signal: AbortSignal;
  /** `performance.now()` when the request arrived. */
  readonly startedAtMs: number;
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  readonly #context: ExchangeContext;
  #stream: SseStream | undefined;
  #isAnswered = false;

  constructor(request: FastifyRequest, reply: FastifyReply, context: ExchangeContext) {
    this.id = request.id;
    this.log = context.log;
    this.signal = context.signal;
    this.startedAtMs = context.startedAtMs;
    this.#request = request;
    this.#reply = reply;
    this.#context = context;
  }

  get method(): string {
    return this.#request.method;
  }

  /** Path as the client sent it, prefix included, without the query. */
  get path(): string {
    return this.#request.url.split('?', 1)[0] ?? '/';
  }

  get headers(): IncomingHttpHeaders {
    return this.#request.headers;
  }

  /** Decoded path parameters; '' for one that is not bound. */
  param(name: string): string {
    return (this.#request.params as Record<string, string | undefined>)[name] ?? '';
  }

  /** First value of a query parameter. */
  query(name: string): string | undefined {
    const value = (this.#request.query as Record<string, string | string[] | undefined>)[name];
    return Array.isArray(value) ? value[0] : value;
  }

  /** The body as the route wants it: a parsed value, text, or undefined. */
  get body(): unknown {
    return this.#request.body;
  }

  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  /** Milliseconds of silence after which a stream gets a comment; 0 = never. */
  get keepAliveMs(): number {
    return this.#context.keepAliveMs;
  }

  /** The open stream, once `openSse` was called. */
  get stream(): SseStream | undefined {
    return this.#stream;
  }

  /** Adds a header to the answer, before it is sent. */
  setHeader(name: string, value: string): void {
    this.#reply.header(name, value);
  }

  /** Answers with a JSON value. */
  sendJson(status: number, value: unknown): void {
    this.send(status, 'application/json', JSON.stringify(value));
  }

  /** Answers with ready text, e.g. JSON whose numbers the dialect formats itself. */
  send(status: number, contentType: string, text: string | Buffer): void {
    this.#beginAnswer();
    // A Buffer is sent as it is; a string would have a charset added to its content type.
    const bytes = typeof text === 'string' ? Buffer.from(text, 'utf8') : text;
    this.#reply.code(status).header('content-type', contentType).send(bytes);
  }

  /** Answers with a status and no body (`content-length: 0`). */
  sendEmpty(status: number): void {
    this.#beginAnswer();
    this.#reply.code(status).send();
  }

  /** Answers 200 with an event stream; its head leaves at once. */
  openSse(options: SseOptions = {}): SseStream {
    this.#beginAnswer();
    const response = this.#hijack();
    response.writeHead(200, { ...this.#headers(), ...STREAM_HEADERS, ...options.headers });
    response.flushHeaders();
    this.#stream = new SseStream(
      response,
      options.keepAliveMs ?? this.#context.keepAliveMs,
      options.comment ?? ': keep-alive\n\n',
    );
    return this.#stream;
  }

  #beginAnswer(): void {
    if (this.#isAnswered) throw new Error('the exchange has been answered already');
    this.#isAnswered = true;
    if (this.#context.isDraining()) this.#reply.header('connection', 'close');
  }

  #hijack(): ServerResponse {
    this.#reply.hijack();
    return this.#reply.raw;
  }

  #headers(): Record<string, string | string[]> {
    const headers: Record<string, string | string[]> = {};
    for (const [name, value] of Object.entries(this.#reply.getHeaders())) {
      if (value !== undefined) headers[name] = typeof value === 'number' ? String(value) : value;
    }
    return headers;
  }
}
