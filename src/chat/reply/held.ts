// Finding a marker in text that arrives in pieces: where the first one stands, or from where on the text might be
// the beginning of one and must be held back.

export interface Found {
  /** Everything before this is certainly no marker. */
  readonly at: number;
  /** The marker at `at`; undefined when the text ends before it is decided. */
  readonly marker: string | undefined;
}

/** Looks for the first of `markers`; the longest one wins where several begin at the same place. */
export function findMarker(text: string, markers: readonly string[]): Found {
  let at = text.length;
  let found: string | undefined;
  for (const marker of markers) {
    const index = text.indexOf(marker);
    if (index < 0 || index > at) continue;
    if (index < at || found === undefined || marker.length > found.length) {
      at = index;
      found = marker;
    }
  }
  const open = heldFrom(text, markers, at);
  return open < at ? { at: open, marker: undefined } : { at, marker: found };
}

/** Start of the first suffix that is a proper prefix of a marker and begins before `limit`. */
function heldFrom(text: string, markers: readonly string[], limit: number): number {
  let from = text.length;
  for (const marker of markers) {
    const first = marker[0] ?? '';
    let index = text.indexOf(first, Math.max(0, text.length - marker.length + 1));
    while (index >= 0 && index < Math.min(from, limit)) {
      if (marker.startsWith(text.slice(index))) from = index;
      index = text.indexOf(first, index + 1);
    }
  }
  return from;
}
