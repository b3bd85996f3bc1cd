// The addresses of a server: what is mounted where, opened and closed together.

import { httpOptionsOf, type Settings } from '../config/index.js';
import { type Dialect, Listener, type Mount, operations } from '../http/index.js';
import type { EngineReading, Logger, Metrics } from '../telemetry/index.js';
import type { NamedDialect } from './dialects.js';
import type { OpenAddress } from './summary.js';

/** What listeners are made from. */
export interface ListenerParts {
  readonly settings: Settings;
  readonly dialects: readonly NamedDialect[];
  /** Engines as they are now, for the server's own pages on the root of the main address. */
  readonly readings: () => readonly EngineReading[];
  readonly log: Logger;
  readonly metrics: Metrics;
}

interface Place {
  readonly host: string;
  readonly port: number;
  readonly speaks: string;
  readonly mounts: readonly Mount[];
}

/** Opens every address the settings name, or none. Rejects with `ListenError`. */
export async function openListeners(parts: ListenerParts): Promise<OpenListeners> {
  const { settings, log, metrics } = parts;
  const open: { listener: Listener; address: OpenAddress }[] = [];
  const isDraining = () => open.some(({ listener }) => listener.isDraining);
  const own = operations({ metrics, engines: parts.readings, isDraining });
  try {
    for (const place of placesOf(parts, own)) {
      const listener = new Listener({
        options: httpOptionsOf(settings, place),
        mounts: place.mounts,
        log,
        onExchangeEnd: (record) => metrics.countExchange(record),
      });
      const { port } = await listener.listen();
      const prefixes = place.mounts.map((mount) => mount.prefix).filter((prefix) => prefix !== '');
      open.push({ listener, address: { host: place.host, port, speaks: place.speaks, prefixes } });
    }
  } catch (error) {
    await Promise.all(open.map(({ listener }) => listener.drain(0, 0)));
    throw error;
  }
  return new OpenListeners(
    open.map(({ listener }) => listener),
    open.map(({ address }) => address),
  );
}

function placesOf({ settings, dialects }: ListenerParts, own: Dialect): readonly Place[] {
  const apiKeys = settings.apiKey;
  const onRoot = dialects.filter((entry) => entry.isOnRoot).map(({ dialect }) => dialect);
  const [first, ...others] = onRoot;
  const root = [...(first === undefined ? [] : [first]), own, ...others];
  const main: Place = {
    host: settings.host,
    port: settings.port,
    speaks: 'every dialect',
    mounts: [
      ...root.map((dialect) => ({ dialect, prefix: '', apiKeys })),
      ...dialects.map(({ name, dialect }) => ({ dialect, prefix: `/${name}`, apiKeys })),
    ],
  };
  const alone = settings.listen.flatMap(({ dialect: name, host = settings.host, port }) =>
    dialects
      .filter((entry) => entry.name === name)
      .map(({ dialect }) => ({
        host,
        port,
        speaks: `${name} alone`,
        mounts: [{ dialect, prefix: '', apiKeys }],
      })),
  );
  return [main, ...alone];
}

/** Open addresses; drained and closed together. */
export class OpenListeners {
  readonly #listeners: readonly Listener[];
  readonly addresses: readonly OpenAddress[];

  constructor(listeners: readonly Listener[], addresses: readonly OpenAddress[]) {
    this.#listeners = listeners;
    this.addresses = addresses;
  }

  /** Requests being answered now. */
  get inFlight(): number {
    return this.#listeners.reduce((sum, listener) => sum + listener.inFlight, 0);
  }

  /** Stops accepting, lets what runs finish within `limitMs`, then cuts the rest. */
  async drain(limitMs: number): Promise<void> {
    await Promise.all(this.#listeners.map((listener) => listener.drain(limitMs)));
  }
}
