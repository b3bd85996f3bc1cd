import { describe, expect, it } from 'vitest';
import { isNeverUtf8, narrowedBy, tokensByLacking } from './utf8.js';

const TOKENS = ['a', 'é', '', '日x'].map((text) => new TextEncoder().encode(text));
const PARTS = [[0xa9], [0x97, 0xa5], [0x97, 0xa5, 0x61], [0xe6], [0xf0, 0x9f]].map((bytes) =>
  Uint8Array.from(bytes),
);
const all = [...TOKENS, ...PARTS];

describe('tokens by what the last character lacks', () => {
  it.each([
    [0, [0, 1, 2, 3, 7, 8]],
    [1, [4]],
    [2, [4, 5, 6]],
    [3, [4, 5]],
  ])('%i bytes: %j', (lacking, allowed) => {
    const mask = tokensByLacking(all.length, (token) => all[token] ?? new Uint8Array(0))[lacking]?.[0] ?? 0;
    expect(all.map((_, token) => token).filter((token) => mask & (1 << token))).toEqual(allowed);
  });
});

describe('bytes that are no text', () => {
  it('are known wherever they stand', () => {
    expect(
      [[0xc0], [0xff], [0xe0, 0x80], [0xed, 0xa0]].map((bytes) => isNeverUtf8(Uint8Array.from(bytes))),
    ).toEqual([true, true, true, true]);
    expect(all.some(isNeverUtf8)).toBe(false);
  });

  it('narrow what may follow four lead bytes', () => {
    expect(narrowedBy(0xed)).toEqual([0x80, 0x9f]);
    expect(narrowedBy(0xe1)).toBeUndefined();
    expect(narrowedBy(undefined)).toBeUndefined();
  });
});
