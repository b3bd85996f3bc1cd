// API keys, as bearer tokens or in a header of their own, compared in constant time.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** What a request's headers are worth against a set of keys. */
export type KeyCheck = (headers: IncomingHttpHeaders) => 'ok' | 'none' | 'wrong';

/**
 * Checks `authorization: Bearer KEY` (the scheme in any case) and `x-api-key: KEY`; one valid key is enough, because
 * some clients fill the other header with something of their own. Without keys everything is `ok`.
 */
export function keyCheck(keys: readonly string[]): KeyCheck {
  if (keys.length === 0) return () => 'ok';
  const digests = keys.map(digest);
  return (headers) => {
    const given = givenKeys(headers).map(digest);
    // Every key is compared, and digests have one length, so the time taken tells nothing.
    let isKnown = false;
    for (const one of given) for (const known of digests) isKnown = timingSafeEqual(known, one) || isKnown;
    if (isKnown) return 'ok';
    return given.length === 0 ? 'none' : 'wrong';
  };
}

/** The keys sent; '' for a header that holds something else than a key. */
function givenKeys({ authorization = '', 'x-api-key': own = '' }: IncomingHttpHeaders): readonly string[] {
  const bearer = /^bearer +(.*)$/i.exec(authorization)?.[1]?.trim() ?? '';
  return [...(authorization === '' ? [] : [bearer]), ...[own].flat().filter((key) => key !== '')];
}

function digest(key: string): Buffer {
  return createHash('sha256').update(key, 'utf8').digest();
}
