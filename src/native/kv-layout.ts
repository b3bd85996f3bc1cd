// The layout of llama.cpp's sequence state, so that it can be cut and joined by token ranges. Pure.
//
// A state is: header (magic, sequence id, number of streams), per stream a cell count; for the one stream in use
// then a meta record per cell (position, 1, sequence id), then for each layer its K rows, then for each layer its
// V rows, each group behind a short header. Row i of every group belongs to cell i. When V is stored transposed
// (no flash attention) a layer's V is one group per channel. We call such a group a plane. (llama.cpp 0.5.0,
// llama-kv-cache.cpp, state_write_meta and state_write_data.)

const META_BYTES = 12;
const HEADER_BYTES = 12;

/** One group of equally long rows, one row per cell, and the bytes written before it. */
interface Plane {
  readonly header: Uint8Array;
  readonly rowBytes: number;
}

/** How one context writes its sequences. The same for every sequence of the context. */
export interface KvLayout {
  readonly magic: number;
  readonly streams: number;
  readonly planes: readonly Plane[];
  /** Bytes between the cell records and the first plane. */
  readonly trailer: Uint8Array;
  readonly rowBytesTotal: number;
}

/** Rows of consecutive positions: plane after plane, each `length` rows. */
export interface KvRows {
  readonly length: number;
  readonly bytes: number;
  readonly data: Uint8Array;
}

/** Bytes of the state of a sequence with this many cells. */
export function stateBytes(layout: KvLayout, cells: number): number {
  if (cells === 0) return HEADER_BYTES + 4 * layout.streams;
  const headers = layout.planes.reduce((sum, plane) => sum + plane.header.length, 0);
  const perCell = META_BYTES + layout.rowBytesTotal;
  return HEADER_BYTES + 4 * layout.streams + layout.trailer.length + headers + cells * perCell;
}

/**
 * Reads the layout off a state of a sequence with at least one cell. Undefined when the state holds anything this
 * file does not know (recurrent state, a second cache, extended cells): such a model's KV cannot be cut.
 */
export function readLayout(state: Uint8Array): KvLayout | undefined {
  const view = new DataView(state.buffer, state.byteOffset, state.byteLength);
  const cursor = { at: HEADER_BYTES };
  try {
    const streams = view.getUint32(8, true);
    const cells = skipStreamCounts(view, cursor, streams);
    if (cells === 0) return undefined;
    if (view.getUint32(cursor.at + 4, true) !== 1) return undefined;
    cursor.at += cells * META_BYTES;
    const trailerAt = cursor.at;
    const transposed = view.getUint32(cursor.at, true) === 1;
    const layers = view.getUint32(cursor.at + 4, true);
    cursor.at += 8;
    const planes = readPlanes(state, view, cursor, { cells, layers, transposed });
    // Streams after the one in use are empty: four zero bytes each.
    const rest = state.byteLength - cursor.at;
    if (rest % 4 !== 0 || rest / 4 !== streams - 1 - emptyBefore(view, streams)) return undefined;
    return {
      magic: view.getUint32(0, true),
      streams,
      planes,
      trailer: state.slice(trailerAt, trailerAt + 8),
      rowBytesTotal: planes.reduce((sum, plane) => sum + plane.rowBytes, 0),
    };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Takes positions `from` .. `to - 1` out of a state. The state must hold exactly the positions 0 .. cells - 1. */
export function takeRows(layout: KvLayout, state: Uint8Array, from: number, to: number): KvRows {
  const view = new DataView(state.buffer, state.byteOffset, state.byteLength);
  const cursor = { at: HEADER_BYTES };
  const cells = skipStreamCounts(view, cursor, layout.streams);
  const order = cellOrder(view, cursor.at, cells);
  cursor.at += cells * META_BYTES + layout.trailer.length;
  const length = to - from;
  const data = new Uint8Array(length * layout.rowBytesTotal);
  let out = 0;
  for (const { header, rowBytes } of layout.planes) {
    cursor.at += header.length;
    if (order === undefined) {
      data.set(state.subarray(cursor.at + from * rowBytes, cursor.at + to * rowBytes), out);
    } else {
      for (let position = from; position < to; position++) {
        const row = cursor.at + (order[position] ?? 0) * rowBytes;
        data.set(state.subarray(row, row + rowBytes), out + (position - from) * rowBytes);
      }
    }
    out += length * rowBytes;
    cursor.at += cells * rowBytes;
  }
  return { length, bytes: data.length, data };
}

/** Writes a state holding these rows at positions from 0 on. Returns the bytes written to `out`. */
export function writeState(layout: KvLayout, blocks: readonly KvRows[], out: Uint8Array): number {
  const cells = blocks.reduce((sum, block) => sum + block.length, 0);
  const view = new DataView(out.buffer, out.byteOffset, out.byteLength);
  view.setUint32(0, layout.magic, true);
  view.setInt32(4, 0, true);
  view.setUint32(8, layout.streams, true);
  view.setUint32(HEADER_BYTES, cells, true);
  let at = HEADER_BYTES + 4;
  for (let position = 0; position < cells; position++, at += META_BYTES) {
    view.setInt32(at, position, true);
    view.setUint32(at + 4, 1, true);
    view.setInt32(at + 8, 0, true);
  }
  out.set(layout.trailer, at);
  at += layout.trailer.length;
  const offsets = blocks.map(() => 0);
  for (const { header, rowBytes } of layout.planes) {
    out.set(header, at);
    at += header.length;
    for (let b = 0; b < blocks.length; b++) {
      const block = blocks[b];
      if (block === undefined) continue;
      const start = offsets[b] ?? 0;
      const size = block.length * rowBytes;
      out.set(block.data.subarray(start, start + size), at);
      offsets[b] = start + size;
      at += size;
    }
  }
  out.fill(0, at, at + 4 * (layout.streams - 1));
  return at + 4 * (layout.streams - 1);
}

/** Cuts rows in two; both halves are copies. */
export function cutRows(layout: KvLayout, rows: KvRows, at: number): readonly [KvRows, KvRows] {
  const head = new Uint8Array(at * layout.rowBytesTotal);
  const tail = new Uint8Array((rows.length - at) * layout.rowBytesTotal);
  let source = 0;
  for (const { rowBytes } of layout.planes) {
    const before = (source / rows.length) * at;
    const after = (source / rows.length) * (rows.length - at);
    const middle = source + at * rowBytes;
    const end = source + rows.length * rowBytes;
    head.set(rows.data.subarray(source, middle), before);
    tail.set(rows.data.subarray(middle, end), after);
    source = end;
  }
  return [
    { length: at, bytes: head.length, data: head },
    { length: rows.length - at, bytes: tail.length, data: tail },
  ];
}

interface PlaneShape {
  readonly cells: number;
  readonly layers: number;
  readonly transposed: boolean;
}

/** Walks K of all layers, then V of all layers. A RangeError means that the bytes are something else. */
function readPlanes(state: Uint8Array, view: DataView, cursor: { at: number }, shape: PlaneShape): Plane[] {
  const planes: Plane[] = [];
  const add = (headerBytes: number, rowBytes: number): void => {
    planes.push({ header: state.slice(cursor.at, cursor.at + headerBytes), rowBytes });
    cursor.at += headerBytes + shape.cells * rowBytes;
    if (cursor.at > state.byteLength) throw new RangeError('state is shorter than its layout');
  };
  const rowSize = (): number => Number(view.getBigUint64(cursor.at + 4, true));
  for (let layer = 0; layer < shape.layers; layer++) add(12, rowSize());
  for (let layer = 0; layer < shape.layers; layer++) {
    if (!shape.transposed) {
      add(12, rowSize());
      continue;
    }
    const elementBytes = view.getUint32(cursor.at + 4, true);
    const channels = view.getUint32(cursor.at + 8, true);
    for (let channel = 0; channel < channels; channel++) add(channel === 0 ? 12 : 0, elementBytes);
  }
  return planes;
}

/** Moves past the empty streams' counts up to the one in use; returns its cell count (0 = no stream in use). */
function skipStreamCounts(view: DataView, cursor: { at: number }, streams: number): number {
  for (let stream = 0; stream < streams; stream++) {
    const cells = view.getUint32(cursor.at, true);
    cursor.at += 4;
    if (cells > 0) return cells;
  }
  return 0;
}

function emptyBefore(view: DataView, streams: number): number {
  const cursor = { at: HEADER_BYTES };
  skipStreamCounts(view, cursor, streams);
  return (cursor.at - HEADER_BYTES) / 4 - 1;
}

/** Cell index by position; undefined when cells already lie in order, as they nearly always do. */
function cellOrder(view: DataView, at: number, cells: number): Uint32Array | undefined {
  let ordered = true;
  for (let cell = 0; cell < cells && ordered; cell++)
    ordered = view.getInt32(at + cell * META_BYTES, true) === cell;
  if (ordered) return undefined;
  const order = new Uint32Array(cells);
  for (let cell = 0; cell < cells; cell++) order[view.getInt32(at + cell * META_BYTES, true)] = cell;
  return order;
}
