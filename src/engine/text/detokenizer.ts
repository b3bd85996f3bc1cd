// Token bytes to text, whole characters only: a character whose bytes are spread over tokens appears with its last
// one. Also keeps each token's bytes and text, so that the usual token costs an array look-up.

const REPLACEMENT = '\ufffd';

/**
 * Incremental UTF-8 decoder of one sequence. Bytes that can no longer become a character turn into U+FFFD, one per
 * longest valid beginning (the WHATWG rule, as TextDecoder has it; a byte order mark is text like any other).
 */
export class TextStream {
  /** Bytes still missing from the character at hand; 0 between characters. */
  #missing = 0;
  #codePoint = 0;
  /** Range the next continuation byte must lie in: rules out overlong forms, surrogates and values over 10FFFF. */
  #lower = 0x80;
  #upper = 0xbf;

  /** True while a character is incomplete. */
  get isPending(): boolean {
    return this.#missing > 0;
  }

  /** Takes a token's bytes; returns the characters completed by them. That is also the token's text for TGI. */
  push(bytes: Uint8Array): string {
    let text = '';
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i]!;
      if (this.#missing === 0) {
        text += byte < 0x80 ? String.fromCharCode(byte) : this.#begin(byte);
      } else if (byte < this.#lower || byte > this.#upper) {
        this.#reset();
        text += REPLACEMENT;
        // The byte may begin the next character.
        i--;
      } else {
        this.#lower = 0x80;
        this.#upper = 0xbf;
        this.#codePoint = (this.#codePoint << 6) | (byte & 0x3f);
        if (--this.#missing === 0) text += String.fromCodePoint(this.#codePoint);
      }
    }
    return text;
  }

  /** Takes a token from the table: as `push`, but costs nothing for a token that is whole text by itself. */
  pushToken(token: number, table: TokenTable): string {
    const text = this.#missing === 0 ? table.wholeText(token) : null;
    return text ?? this.push(table.bytes(token));
  }

  /** Ends the text; an incomplete character is dropped. */
  flush(): void {
    this.#reset();
  }

  #reset(): void {
    this.#missing = 0;
    this.#lower = 0x80;
    this.#upper = 0xbf;
  }

  #begin(byte: number): string {
    if (byte >= 0xc2 && byte <= 0xdf) {
      this.#missing = 1;
      this.#codePoint = byte & 0x1f;
    } else if (byte >= 0xe0 && byte <= 0xef) {
      if (byte === 0xe0) this.#lower = 0xa0;
      if (byte === 0xed) this.#upper = 0x9f;
      this.#missing = 2;
      this.#codePoint = byte & 0x0f;
    } else if (byte >= 0xf0 && byte <= 0xf4) {
      if (byte === 0xf0) this.#lower = 0x90;
      if (byte === 0xf4) this.#upper = 0x8f;
      this.#missing = 3;
      this.#codePoint = byte & 0x07;
    } else {
      return REPLACEMENT;
    }
    return '';
  }
}

/** Bytes and texts of a model's tokens, fetched from the runner once each. One per engine. */
export class TokenTable {
  readonly #fetch: (token: number) => Uint8Array;
  readonly #bytes: (Uint8Array | undefined)[] = [];
  /** null: not whole characters by itself. */
  readonly #texts: (string | null | undefined)[] = [];

  constructor(fetch: (token: number) => Uint8Array) {
    this.#fetch = fetch;
  }

  /** The token's bytes; not to be written to. */
  bytes(token: number): Uint8Array {
    const known = this.#bytes[token];
    if (known !== undefined) return known;
    const bytes = this.#fetch(token);
    this.#bytes[token] = bytes;
    return bytes;
  }

  /** The token's text if its bytes are valid, whole characters; otherwise null. */
  wholeText(token: number): string | null {
    const known = this.#texts[token];
    if (known !== undefined) return known;
    const stream = new TextStream();
    const text = stream.push(this.bytes(token));
    const isWhole = !stream.isPending && !text.includes(REPLACEMENT);
    this.#texts[token] = isWhole ? text : null;
    return this.#texts[token];
  }
}

/** Bytes as text, without a character that is not complete at the end. */
export function decodeText(bytes: Uint8Array): string {
  return new TextStream().push(bytes);
}
