// Bytes that can never become UTF-8. XGrammar lets any bytes of the right pattern stand for a character beyond
// ASCII; a random or byte-level model may pick such as encode none (overlong forms, surrogates).

/** Range of the first continuation byte behind a lead byte; undefined for bytes that lead nothing. */
function firstRange(lead: number): readonly [low: number, high: number] | undefined {
  if (lead >= 0xc2 && lead <= 0xdf) return [0x80, 0xbf];
  if (lead === 0xe0) return [0xa0, 0xbf];
  if (lead === 0xed) return [0x80, 0x9f];
  if (lead >= 0xe1 && lead <= 0xef) return [0x80, 0xbf];
  if (lead === 0xf0) return [0x90, 0xbf];
  if (lead >= 0xf1 && lead <= 0xf3) return [0x80, 0xbf];
  return lead === 0xf4 ? [0x80, 0x8f] : undefined;
}

/** Whether bytes are wrong wherever they stand. They may begin and end inside a character. */
export function isNeverUtf8(bytes: Uint8Array): boolean {
  let at = 0;
  while (at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80) at += 1;
  for (; at < bytes.length; at += 1) {
    const lead = bytes[at] ?? 0;
    if (lead < 0x80 || (lead & 0xc0) === 0x80) continue;
    const range = firstRange(lead);
    if (range === undefined) return true;
    const next = bytes[at + 1];
    if (next !== undefined && (next < range[0] || next > range[1])) return true;
  }
  return false;
}

/**
 * The bytes that may follow `last`, when they are fewer than the usual ones: an output that ends in one of four
 * lead bytes. Undefined = no restriction beyond the grammar's.
 */
export function narrowedBy(last: number | undefined): readonly [low: number, high: number] | undefined {
  return last === 0xe0 || last === 0xed || last === 0xf0 || last === 0xf4 ? firstRange(last) : undefined;
}

/** Bytes that continue a character at the start of a token. */
function continuations(bytes: Uint8Array): number {
  const count = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return count < 0 ? bytes.length : count;
}

/**
 * Tokens that may come where the last character still lacks so many bytes (0 to 3), one bit each. Classes and literals
 * of a grammar know characters; its free text, in parameters of calls and in what stands before an answer, knows bytes only.
 */
export function tokensByLacking(size: number, bytesOf: (token: number) => Uint8Array): readonly Int32Array[] {
  const masks = Array.from({ length: 4 }, () => new Int32Array(Math.ceil(size / 32)));
  for (let token = 0; token < size; token += 1) {
    const bytes = bytesOf(token);
    const count = continuations(bytes);
    const isPart = count === bytes.length && count > 0;
    for (const [lacking, mask] of masks.entries()) {
      const fits = isPart ? count <= lacking : count === lacking;
      if (fits) mask[token >> 5] = (mask[token >> 5] ?? 0) | (1 << (token & 31));
    }
  }
  return masks;
}
