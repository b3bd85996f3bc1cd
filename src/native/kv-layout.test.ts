import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cutRows,
  type KvLayout,
  type KvRows,
  readLayout,
  stateBytes,
  takeRows,
  writeState,
} from './kv-layout.js';

/** A state as llama.cpp writes it, with rows whose bytes tell where they belong. */
interface Shape {
  readonly streams: number;
  /** Stream in use. */
  readonly stream: number;
  /** Position of each cell. */
  readonly positions: readonly number[];
  readonly kRowBytes: readonly number[];
  /** Row size of V, or when transposed the number of channels of 2 bytes. */
  readonly vRowBytes: readonly number[];
  readonly transposed: boolean;
}

/** The byte at `index` of a row: depends on plane, position and index, so that a mix-up shows. */
const byteOf = (plane: number, position: number, index: number): number =>
  (plane * 97 + position * 31 + index * 7) & 0xff;

function buildState(shape: Shape): Uint8Array {
  const bytes: number[] = [];
  const u32 = (value: number): void => {
    bytes.push(value & 0xff, (value >> 8) & 0xff, (value >> 16) & 0xff, (value >>> 24) & 0xff);
  };
  const u64 = (value: number): void => {
    u32(value);
    u32(0);
  };
  const rows = (plane: number, rowBytes: number): void => {
    for (const position of shape.positions)
      for (let i = 0; i < rowBytes; i++) bytes.push(byteOf(plane, position, i));
  };
  u32(0x51617273);
  u32(3);
  u32(shape.streams);
  for (let stream = 0; stream < shape.streams; stream++) {
    if (stream !== shape.stream) {
      u32(0);
      continue;
    }
    u32(shape.positions.length);
    for (const position of shape.positions) {
      u32(position);
      u32(1);
      u32(3);
    }
    u32(shape.transposed ? 1 : 0);
    u32(shape.kRowBytes.length);
    let plane = 0;
    for (const size of shape.kRowBytes) {
      u32(1);
      u64(size);
      rows(plane++, size);
    }
    for (const size of shape.vRowBytes) {
      u32(1);
      if (shape.transposed) {
        u32(2);
        u32(size);
        for (let channel = 0; channel < size; channel++) rows(plane++, 2);
      } else {
        u64(size);
        rows(plane++, size);
      }
    }
  }
  return Uint8Array.from(bytes);
}

const PLAIN: Shape = {
  streams: 4,
  stream: 2,
  positions: [0, 1, 2, 3, 4, 5],
  kRowBytes: [8, 6],
  vRowBytes: [4, 10],
  transposed: false,
};

function layoutOf(state: Uint8Array): KvLayout {
  const layout = readLayout(state);
  if (layout === undefined) throw new Error('the layout was not understood');
  return layout;
}

/** What the rows of positions `from` .. `to - 1` must hold. */
function expectedRows({ kRowBytes, vRowBytes, transposed }: Shape, from: number, to: number): number[] {
  const planes = [
    ...kRowBytes,
    ...(transposed ? vRowBytes.flatMap((n) => Array<number>(n).fill(2)) : vRowBytes),
  ];
  const bytes: number[] = [];
  planes.forEach((rowBytes, plane) => {
    for (let position = from; position < to; position++)
      for (let i = 0; i < rowBytes; i++) bytes.push(byteOf(plane, position, i));
  });
  return bytes;
}

const variants: readonly (readonly [string, Shape])[] = [
  ['streams', PLAIN],
  ['one pool', { ...PLAIN, streams: 1, stream: 0 }],
  ['the first of several streams', { ...PLAIN, stream: 0 }],
  ['the last of several streams', { ...PLAIN, stream: 3 }],
  ['values stored by channel', { ...PLAIN, vRowBytes: [3, 5], transposed: true }],
  ['cells out of order', { ...PLAIN, positions: [4, 0, 5, 2, 1, 3] }],
];

describe.each(variants)('a state with %s', (_name, shape) => {
  const state = buildState(shape);
  const layout = layoutOf(state);

  it('has the size its layout says', () => {
    expect(stateBytes(layout, shape.positions.length)).toBe(state.length);
  });

  it('gives the rows of any range of positions', () => {
    for (let from = 0; from < 6; from++) {
      for (let to = from + 1; to <= 6; to++) {
        const rows = takeRows(layout, state, from, to);
        expect(rows).toMatchObject({ length: to - from, bytes: (to - from) * layout.rowBytesTotal });
        expect([...rows.data]).toEqual(expectedRows(shape, from, to));
      }
    }
  });

  it('can be cut at every place, and each half again', () => {
    const whole = takeRows(layout, state, 0, 6);
    for (let at = 1; at < 6; at++) {
      const [head, tail] = cutRows(layout, whole, at);
      expect([...head.data]).toEqual(expectedRows(shape, 0, at));
      expect([...tail.data]).toEqual(expectedRows(shape, at, 6));
    }
  });

  it('is written back from blocks as it would be read', () => {
    const out = new Uint8Array(stateBytes(layout, 6) + 50).fill(0xee);
    const blocks = [
      takeRows(layout, state, 0, 2),
      takeRows(layout, state, 2, 3),
      takeRows(layout, state, 3, 6),
    ];
    const size = writeState(layout, blocks, out);
    expect(size).toBe(stateBytes(layout, 6));
    const again = out.subarray(0, size);
    expect(layoutOf(again).rowBytesTotal).toBe(layout.rowBytesTotal);
    expect([...takeRows(layout, again, 0, 6).data]).toEqual(expectedRows(shape, 0, 6));
    expect([...out.subarray(size)].every((byte) => byte === 0xee)).toBe(true);
  });
});

describe('cutting and joining', () => {
  it('give the same rows back, wherever and however often', () => {
    const state = buildState({ ...PLAIN, positions: Array.from({ length: 40 }, (_, i) => i) });
    const layout = layoutOf(state);
    const whole = takeRows(layout, state, 0, 40);
    fc.assert(
      fc.property(fc.array(fc.nat(1000), { maxLength: 6 }), (cuts) => {
        let blocks: KvRows[] = [whole];
        for (const cut of cuts) {
          const index = cut % blocks.length;
          const block = blocks[index];
          if (block === undefined || block.length < 2) continue;
          blocks = blocks.toSpliced(index, 1, ...cutRows(layout, block, 1 + (cut % (block.length - 1))));
        }
        expect(blocks.reduce((sum, { length }) => sum + length, 0)).toBe(40);
        const out = new Uint8Array(stateBytes(layout, 40));
        expect(writeState(layout, blocks, out)).toBe(out.length);
        expect(Buffer.compare(takeRows(layout, out, 0, 40).data, whole.data)).toBe(0);
      }),
      { numRuns: 100 },
    );
  });

  it('write an empty sequence as one without cells', () => {
    const layout = layoutOf(buildState(PLAIN));
    expect(stateBytes(layout, 0)).toBe(12 + 4 * 4);
  });
});

describe('a state of another kind', () => {
  const state = buildState(PLAIN);

  it('is not understood when it is cut short, has more behind it, or holds nothing', () => {
    expect(readLayout(state.subarray(0, state.length - 8))).toBeUndefined();
    expect(readLayout(Uint8Array.from([...state, 1, 2, 3]))).toBeUndefined();
    expect(readLayout(Uint8Array.from([...state, 0, 0, 0, 0]))).toBeUndefined();
    expect(readLayout(state.subarray(0, 12))).toBeUndefined();
    expect(readLayout(new Uint8Array(0))).toBeUndefined();
    expect(readLayout(buildState({ ...PLAIN, positions: [] }))).toBeUndefined();
  });

  it('is not understood when cells belong to several sequences', () => {
    const shared = state.slice();
    new DataView(shared.buffer).setUint32(12 + 4 * 3 + 4, 2, true);
    expect(readLayout(shared)).toBeUndefined();
  });
});
