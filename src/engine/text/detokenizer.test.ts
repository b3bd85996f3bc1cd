import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeText, TextStream, TokenTable } from './detokenizer.js';

const utf8 = (text: string) => new TextEncoder().encode(text);
const whatwg = (bytes: Uint8Array) => {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  // `stream` keeps an incomplete tail inside, as ours does.
  return decoder.decode(bytes, { stream: true });
};

/** Bytes that often are the beginnings, middles and ends of characters. */
const trickyBytes = fc.array(
  fc.oneof(
    fc.integer({ min: 0, max: 255 }),
    fc.constantFrom(0x41, 0x80, 0x9f, 0xa0, 0xbf, 0xc1, 0xc3, 0xe0, 0xe2, 0xed, 0xf0, 0xf4, 0xf5),
  ),
  { maxLength: 40 },
);

describe('TextStream', () => {
  it('gives a split character to the token that completes it', () => {
    const stream = new TextStream();
    const [a, b, c, d] = utf8('😀');
    expect([[0x61, a!], [b!], [c!], [d!, 0x62]].map((part) => stream.push(Uint8Array.from(part)))).toEqual([
      'a',
      '',
      '',
      '😀b',
    ]);
  });

  it('turns bytes into U+FFFD only when they cannot become a character any more', () => {
    const stream = new TextStream();
    expect(stream.push(Uint8Array.of(0xe2, 0x82))).toBe('');
    expect(stream.isPending).toBe(true);
    expect(stream.push(Uint8Array.of(0x41))).toBe('\ufffdA');
    expect(stream.push(Uint8Array.of(0xff))).toBe('\ufffd');
    expect(stream.push(Uint8Array.of(0xed, 0xa0, 0x80))).toBe('\ufffd\ufffd\ufffd');
    expect(stream.push(utf8('\ufeffx'))).toBe('\ufeffx');
  });

  it('drops an incomplete tail at the end', () => {
    const stream = new TextStream();
    stream.push(Uint8Array.of(0xf0, 0x9f));
    stream.flush();
    expect(stream.isPending).toBe(false);
    expect(stream.push(utf8('ok'))).toBe('ok');
  });

  it('reads any bytes as TextDecoder does, however they are cut', () => {
    fc.assert(
      fc.property(trickyBytes, fc.array(fc.nat(40)), (numbers, cuts) => {
        const bytes = Uint8Array.from(numbers);
        const stream = new TextStream();
        const places = [0, ...cuts.filter((cut) => cut <= bytes.length), bytes.length].sort((x, y) => x - y);
        const parts = places.slice(1).map((to, i) => stream.push(bytes.subarray(places[i], to)));
        expect(parts.join('')).toBe(whatwg(bytes));
      }),
      { numRuns: 2000 },
    );
  });

  it('keeps every character whole when text is pushed byte by byte', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const stream = new TextStream();
        const parts = [...utf8(text)].map((byte) => stream.push(Uint8Array.of(byte)));
        expect(parts.join('')).toBe(text);
        expect(parts.every((part) => [...part].length <= 1)).toBe(true);
      }),
    );
  });
});

describe('TokenTable', () => {
  const vocabulary = ['plain', 'ä', '😀', '', '\ufffd'].map(utf8);
  const pieces = [...vocabulary, utf8('é').subarray(0, 1), utf8('é').subarray(1), Uint8Array.of(0x61, 0xe2)];

  it('fetches each token once and tells whole texts from parts', () => {
    const fetched: number[] = [];
    const table = new TokenTable((token) => {
      fetched.push(token);
      return pieces[token]!;
    });
    expect([0, 1, 2, 3].map((token) => table.wholeText(token))).toEqual(['plain', 'ä', '😀', '']);
    expect([5, 6, 7].map((token) => table.wholeText(token))).toEqual([null, null, null]);
    table.wholeText(0);
    table.bytes(0);
    table.wholeText(5);
    expect(fetched).toEqual([0, 1, 2, 3, 5, 6, 7]);
  });

  it('gives the same text by token as by bytes, in any order of tokens', () => {
    const table = new TokenTable((token) => pieces[token]!);
    fc.assert(
      fc.property(fc.array(fc.nat(pieces.length - 1)), (tokens) => {
        const byToken = new TextStream();
        const byBytes = new TextStream();
        for (const token of tokens) {
          expect(byToken.pushToken(token, table)).toBe(byBytes.push(pieces[token]!));
        }
      }),
    );
  });
});

describe('decodeText', () => {
  it('reads whole characters and leaves out what is not complete', () => {
    expect(decodeText(utf8('häß 😀'))).toBe('häß 😀');
    expect(decodeText(utf8('a😀').subarray(0, 4))).toBe('a');
    expect(decodeText(new Uint8Array(0))).toBe('');
  });
});
