// Bearer keys, compared in constant time.

import { createHash, timingSafeEqual } from 'node:crypto';

/** What an `authorization` header is worth against a set of keys. */
export type KeyCheck = (authorization: string | undefined) => 'ok' | 'none' | 'wrong';

/** Checks `Bearer KEY` (the scheme in any case) against the keys; without keys everything is `ok`. */
export function keyCheck(keys: readonly string[]): KeyCheck {
  if (keys.length === 0) return () => 'ok';
  const digests = keys.map(digest);
  return (authorization) => {
    if (authorization === undefined || authorization === '') return 'none';
    const match = /^bearer +(.*)$/i.exec(authorization);
    if (match === null) return 'wrong';
    const given = digest((match[1] ?? '').trim());
    // Every key is compared, and digests have one length, so the time taken tells nothing.
    let isKnown = false;
    for (const known of digests) isKnown = timingSafeEqual(known, given) || isKnown;
    return isKnown ? 'ok' : 'wrong';
  };
}

function digest(key: string): Buffer {
  return createHash('sha256').update(key, 'utf8').digest();
}
