// Hands the front door its options.

import type { HttpOptions } from '../http/options.js';
import type { Settings } from './table.js';

/** The options of a listener at an address. `--cors-origin none` admits no web page. */
export function httpOptionsOf(
  settings: Settings,
  address: { readonly host?: string; readonly port: number },
): HttpOptions {
  return {
    host: address.host ?? settings.host,
    port: address.port,
    bodyLimitBytes: settings.bodyLimit,
    corsOrigins: settings.corsOrigin.filter((origin) => origin !== 'none'),
    trustedHosts: settings.trustedHost,
    keepAliveMs: settings.keepAlive,
  };
}
