// Names a request: the caller's own id when it is harmless, a fresh one otherwise.

import { randomBytes } from 'node:crypto';

const HARMLESS = /^[\x21-\x7e]{1,128}$/;

/** Up to 128 printable ASCII characters without spaces are kept; anything else gets `req-` and 24 hex digits. */
export function requestId(given: string | readonly string[] | undefined): string {
  if (typeof given === 'string' && HARMLESS.test(given)) return given;
  return `req-${randomBytes(12).toString('hex')}`;
}
