// API keys, as bearer tokens or in a header of their own, compared in constant time.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** What a request's headers are worth against a set of keys. */
export type KeyCheck = (headers: IncomingHttpHeaders) => 'ok' | 'none' | 'wrong';

/**
 * Checks `authorization: Bearer KEY` (the scheme in any case), or `x-api-key: KEY` where that is absent. Without keys
 * everything is `ok`.
 */
export function keyCheck(keys: readonly string[]): KeyCheck {
  if (keys.length === 0) return () => 'ok';
  const digests = keys.map(digest);
  return (headers) => {
    const key = givenKey(headers);
    if (key === undefined) return 'none';
    const given = digest(key);
    // Every key is compared, and digests have one length, so the time taken tells nothing.
    let isKnown = false;
    for (const known of digests) isKnown = timingSafeEqual(known, given) || isKnown;
    return isKnown ? 'ok' : 'wrong';
  };
}

/** The key sent; '' when the header holds something else than a key. */
function givenKey({ authorization, 'x-api-key': own }: IncomingHttpHeaders): string | undefined {
  if (authorization !== undefined && authorization !== '') {
    return /^bearer +(.*)$/i.exec(authorization)?.[1]?.trim() ?? '';
  }
  return typeof own === 'string' && own !== '' ? own : undefined;
}

function digest(key: string): Buffer {
  return createHash('sha256').update(key, 'utf8').digest();
}
