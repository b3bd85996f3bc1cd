// What the front door is handed.

/** Settings of one listener. */
export interface HttpOptions {
  readonly host: string;
  /** 0 = chosen by the system. */
  readonly port: number;
  /** Largest request body in bytes where a dialect sets no limit of its own. */
  readonly bodyLimitBytes: number;
  /** Origins that may call from a browser; `*` = all; empty = none. */
  readonly corsOrigins: readonly string[];
  /** Names a request may be addressed to beside local ones; `*` = all. None given = all, but on a loopback address none. */
  readonly trustedHosts: readonly string[];
  /** Milliseconds of silence on an event stream before a comment is sent; 0 = never. */
  readonly keepAliveMs: number;
}

/** Bodies up to 32 MiB, any origin, a comment every 15 s. */
export const DEFAULT_HTTP: Omit<HttpOptions, 'host' | 'port'> = {
  bodyLimitBytes: 32 * 1024 * 1024,
  corsOrigins: ['*'],
  trustedHosts: [],
  keepAliveMs: 15_000,
};
