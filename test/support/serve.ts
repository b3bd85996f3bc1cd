// A dialect on a real port of the system's choice, for tests that speak HTTP.

import {
  DEFAULT_HTTP,
  type Dialect,
  type ExchangeRecord,
  type HttpOptions,
  Listener,
} from '../../src/http/index.js';
import { createLogger } from '../../src/telemetry/index.js';

/** A running listener. */
export interface Served {
  /** `http://127.0.0.1:PORT`, without a closing slash. */
  readonly url: string;
  readonly port: number;
  readonly listener: Listener;
  /** Every exchange that has ended. */
  readonly records: readonly ExchangeRecord[];
  close(): Promise<void>;
}

/** How `serveDialect` mounts. */
export interface ServeOptions {
  readonly prefix?: string;
  readonly apiKeys?: readonly string[];
  readonly http?: Partial<HttpOptions>;
}

/** Mounts one dialect and listens on 127.0.0.1. */
export async function serveDialect(dialect: Dialect, options: ServeOptions = {}): Promise<Served> {
  const records: ExchangeRecord[] = [];
  const listener = new Listener({
    options: { ...DEFAULT_HTTP, host: '127.0.0.1', port: 0, ...options.http },
    mounts: [{ dialect, prefix: options.prefix ?? '', apiKeys: options.apiKeys ?? [] }],
    log: createLogger({ level: 'silent' }),
    onExchangeEnd: (record) => records.push(record),
  });
  const { port } = await listener.listen();
  const close = (): Promise<void> => listener.drain(0, 0);
  return { url: `http://127.0.0.1:${port}`, port, listener, records, close };
}
