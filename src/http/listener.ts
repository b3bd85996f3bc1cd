// One listening socket: mounts dialects, turns each request into an Exchange, sends what goes wrong to the dialect
// it belongs to, and drains on request. Owns the socket and the requests in flight.

import type { AddressInfo } from 'node:net';
import cors from '@fastify/cors';
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Logger } from '../telemetry/index.js';
import { readBody } from './body.js';
import type { Mount, Problem } from './dialect.js';
import { Exchange } from './exchange.js';
import { hostCheck } from './hosts.js';
import { type KeyCheck, keyCheck } from './keys.js';
import { ListenError } from './listen-error.js';
import { type Candidate, claimant, type MountedPath, mountOf, mountTable } from './mount-table.js';
import type { HttpOptions } from './options.js';
import { problemOf } from './problems.js';
import { requestId } from './request-id.js';
import { traceOf } from './trace-context.js';

/** What became of one exchange, told when its connection or stream is done with it. */
export interface ExchangeRecord {
  readonly dialect: string;
  /** The route's path as its dialect declares it, or `unmatched`. */
  readonly route: string;
  readonly method: string;
  /** Status sent; 499 when the client left before any was. */
  readonly status: number;
  readonly durationMs: number;
}

/** Everything a listener needs. */
export interface ListenerSpec {
  readonly options: HttpOptions;
  /** In order of precedence: the first that has a path answers it. At least one. */
  readonly mounts: readonly Mount[];
  readonly log: Logger;
  readonly onExchangeEnd?: (record: ExchangeRecord) => void;
}

interface InFlight {
  readonly exchange: Exchange;
  readonly abort: AbortController;
}

const ALL_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const;
/** Milliseconds a client may take to send a whole request. */
const REQUEST_TIMEOUT_MS = 300_000;

/** A listening socket and what is mounted on it. */
export class Listener {
  readonly #spec: ListenerSpec;
  readonly #app: FastifyInstance;
  readonly #inFlight = new Map<FastifyRequest, InFlight>();
  readonly #exchanges = new WeakMap<FastifyRequest, Exchange>();
  #isDraining = false;
  #onIdle: (() => void) | undefined;

  constructor(spec: ListenerSpec) {
    this.#spec = spec;
    this.#app = fastify({
      // What the framework says of its own accord is of no interest below a warning; cli prints the addresses.
      loggerInstance: spec.log.child({}, { level: 'warn' }) as FastifyBaseLogger,
      // One line per exchange is written here, when it is over.
      logController: new LogController({ disableRequestLogging: true }),
      bodyLimit: spec.options.bodyLimitBytes,
      requestTimeout: REQUEST_TIMEOUT_MS,
      forceCloseConnections: 'idle',
      return503OnClosing: false,
      routerOptions: { maxParamLength: 1024 },
      genReqId: (request) => requestId(request.headers['x-request-id']),
      frameworkErrors: (error, request, reply) => this.#refuse(error, request, reply, undefined),
    });
    this.#prepare();
    for (const place of mountTable(spec.mounts)) this.#register(place);
  }

  /** Opens the socket; resolves with the address in use. Rejects with `ListenError`. */
  async listen(): Promise<AddressInfo> {
    const { host, port } = this.#spec.options;
    try {
      await this.#app.ready();
      await this.#app.listen({ host, port });
    } catch (cause) {
      await this.#app.close();
      throw cause instanceof Error && 'syscall' in cause ? new ListenError(host, port, cause) : cause;
    }
    return this.#app.server.address() as AddressInfo;
  }

  /** Requests being answered now. */
  get inFlight(): number {
    return this.#inFlight.size;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /**
   * Stops accepting, lets what runs finish within `limitMs`, then aborts the rest (their streams get the dialect's
   * error event) and cuts what is still open `graceMs` later. Resolves when the socket is closed.
   */
  async drain(limitMs: number, graceMs = 1_000): Promise<void> {
    this.#isDraining = true;
    const isClosed = this.#app.close();
    if (!(await this.#isIdleWithin(limitMs))) {
      for (const { abort } of this.#inFlight.values()) abort.abort();
      await this.#isIdleWithin(graceMs);
    }
    this.#app.server.closeAllConnections();
    await isClosed;
  }

  #prepare(): void {
    const app = this.#app;
    const { corsOrigins, host, trustedHosts } = this.#spec.options;
    const isTrusted = hostCheck(host, trustedHosts);
    app.decorateRequest('exchange', null);
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes, done) => done(null, bytes));
    app.addHook('onRequest', (request, reply, done) => {
      this.#track(request, reply);
      const given = request.headers.host ?? '';
      if (isTrusted(given)) done();
      else this.#answer({ kind: 'untrusted-host', given }, request, reply, undefined);
    });
    if (corsOrigins.length > 0) {
      app.register(cors, {
        origin: corsOrigins.includes('*') ? '*' : [...corsOrigins],
        methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
        exposedHeaders: ['x-request-id'],
        maxAge: 600,
        // An OPTIONS request that is no preflight gets the same empty answer instead of a foreign 400.
        strictPreflight: false,
      });
    }
    app.setNotFoundHandler((request, reply) => {
      this.#answer({ kind: 'not-found' }, request, reply, undefined);
    });
    app.setErrorHandler((error, request, reply) => this.#refuse(error, request, reply, undefined));
  }

  #register(place: MountedPath): void {
    for (const [method, candidates] of place.methods) {
      const [first] = candidates;
      const check = keyCheck(first.mount.apiKeys ?? []);
      this.#app.route({
        method,
        url: place.path,
        bodyLimit: first.mount.dialect.bodyLimitBytes ?? this.#spec.options.bodyLimitBytes,
        config: { dialect: first.mount.dialect.name, path: first.route.path },
        onRequest: (request, reply, done) => {
          if (this.#isAdmitted(check, first, request, reply)) done();
        },
        errorHandler: (error, request, reply) => this.#refuse(error, request, reply, first),
        handler: (request, reply) => this.#handle(candidates, request, reply),
      });
    }
    const allowed = [...place.methods.keys(), ...(place.methods.has('GET') ? ['HEAD'] : [])];
    this.#app.route({
      method: ALL_METHODS.filter((method) => !allowed.includes(method)),
      url: place.path,
      config: { dialect: place.owner.mount.dialect.name, path: place.owner.route.path },
      onRequest: (request, reply) => {
        reply.header('allow', allowed.join(', '));
        this.#answer({ kind: 'method-not-allowed', allowed }, request, reply, place.owner);
      },
      handler: () => undefined,
    });
  }

  #isAdmitted(check: KeyCheck, candidate: Candidate, request: FastifyRequest, reply: FastifyReply): boolean {
    const given = candidate.route.open === true ? 'ok' : check(request.headers);
    if (given === 'ok') return true;
    this.#answer({ kind: 'unauthorized', given }, request, reply, candidate);
    return false;
  }

  async #handle(
    candidates: readonly [Candidate, ...Candidate[]],
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const exchange = this.#exchangeOf(request, reply);
    const [first] = candidates;
    const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    request.body = readBody(bytes, request.headers['content-type'], first.mount.dialect, first.route);
    const chosen = claimant(candidates, request.body);
    try {
      await chosen.route.handle(exchange);
      if (!exchange.isAnswered) throw new Error(`${chosen.route.path} did not answer`);
    } catch (error) {
      this.#refuse(error, request, reply, chosen);
    }
    return reply;
  }

  /** Also of one whose client has gone: it has ended, and must not begin again. */
  #exchangeOf(request: FastifyRequest, reply: FastifyReply): Exchange {
    return this.#exchanges.get(request) ?? this.#track(request, reply);
  }

  /** Begins an exchange, and ends it when the response or its socket closes. */
  #track(request: FastifyRequest, reply: FastifyReply): Exchange {
    const abort = new AbortController();
    const startedAtMs = performance.now();
    const exchange = new Exchange(request, reply, {
      log: this.#spec.log.child({ requestId: request.id, ...traceOf(request.headers) }),
      signal: abort.signal,
      isDraining: () => this.#isDraining,
      keepAliveMs: this.#spec.options.keepAliveMs,
      startedAtMs,
    });
    this.#exchanges.set(request, exchange);
    this.#inFlight.set(request, { exchange, abort });
    reply.header('x-request-id', request.id);
    const { raw } = reply;
    const socket = request.raw.socket;
    const onClose = (): void => {
      raw.off('close', onClose);
      socket.off('close', onClose);
      if (!this.#inFlight.delete(request)) return;
      if (!raw.writableFinished) abort.abort();
      const status = raw.headersSent ? raw.statusCode : 499;
      this.#finish(request, exchange.log, { status, durationMs: performance.now() - startedAtMs });
    };
    raw.on('close', onClose);
    // A response that waits behind another on its connection hears of the end from the socket alone.
    socket.on('close', onClose);
    return exchange;
  }

  #finish(
    request: FastifyRequest,
    log: Logger,
    { status, durationMs }: Pick<ExchangeRecord, 'status' | 'durationMs'>,
  ): void {
    const { config } = request.routeOptions;
    const { method } = request;
    const { dialect, path } = config as { readonly dialect?: string; readonly path?: string };
    this.#spec.onExchangeEnd?.({
      dialect: dialect ?? 'none',
      route: path ?? 'unmatched',
      method,
      status,
      durationMs,
    });
    const sent = request.url.split('?', 1)[0];
    log.info({ method, path: sent, status, ms: Math.round(durationMs) }, 'request');
    if (this.#inFlight.size === 0) this.#onIdle?.();
  }

  #refuse(
    error: unknown,
    request: FastifyRequest,
    reply: FastifyReply,
    candidate: Candidate | undefined,
  ): void {
    const dialect = (candidate?.mount ?? this.#mountFor(request)).dialect;
    this.#answer(problemOf(error, dialect, this.#spec.options.bodyLimitBytes), request, reply, candidate);
  }

  #answer(
    problem: Problem,
    request: FastifyRequest,
    reply: FastifyReply,
    candidate: Candidate | undefined,
  ): void {
    const exchange = this.#exchangeOf(request, reply);
    if (exchange.isAnswered) {
      // Too late for a status: the client must see a broken answer rather than a short one.
      if (problem.kind === 'thrown' && !exchange.signal.aborted) {
        exchange.log.error({ err: problem.error }, 'a handler failed after its answer began');
      }
      if (!reply.raw.writableEnded) reply.raw.destroy();
      return;
    }
    // What was sent of the body is not read any more, so the connection cannot be used again.
    if (problem.kind === 'too-large') reply.header('connection', 'close');
    (candidate?.mount ?? this.#mountFor(request)).dialect.refuse(problem, exchange);
  }

  #mountFor(request: FastifyRequest): Mount {
    const mount = mountOf(this.#spec.mounts, request.url.split('?', 1)[0] ?? '/');
    if (mount === undefined) throw new Error('a listener needs at least one mount');
    return mount;
  }

  #isIdleWithin(limitMs: number): Promise<boolean> {
    if (this.#inFlight.size === 0) return Promise.resolve(true);
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), limitMs);
      this.#onIdle = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
  }
}
