// Small readers that check a JSON node against a type and say what is wrong in the words TGI's clients know
// (those of Rust's serde). Which fields a body has is left to schema.ts.

import { type JsonNode, joinKey, positionOf } from './json-text.js';

/** A value of the wrong shape: where, what, and the offset read so far (null = the message names no place). */
export class ShapeError extends Error {
  constructor(
    readonly path: string,
    readonly detail: string,
    readonly offset: number | null,
  ) {
    super(detail);
  }
}

/** What a reader is given beside the node: the whole text and the path to the node. */
export interface Place {
  readonly text: string;
  readonly path: string;
}

/** Part of the OpenAPI document. */
export type Schema = Readonly<Record<string, unknown>>;

/** Turns a node into a value or throws `ShapeError`; may say what it accepts. */
export interface Read<T> {
  (node: JsonNode, place: Place): T;
  readonly schema?: Schema;
}

/** One field of a struct. Without `missing` the field is required. */
export interface Field<T> {
  readonly wire: string;
  readonly aliases: readonly string[];
  readonly read: Read<T>;
  readonly missing?: { readonly value: T };
}

type Fields = Readonly<Record<string, Field<unknown>>>;

/** The value a table of fields reads to. */
export type Struct<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never;
};

/** The message of a shape error, with path and place. */
export function shapeMessage(text: string, error: ShapeError): string {
  const path = error.path === '' ? '' : `${error.path}: `;
  const place = error.offset === null ? '' : ` at ${positionOf(text, error.offset)}`;
  return `${path}${error.detail}${place}`;
}

/** A field that must be there. */
export function required<T>(wire: string, read: Read<T>, aliases: readonly string[] = []): Field<T> {
  return { wire, aliases, read };
}

/** A field that may be absent; null is as wrong as any other type. */
export function defaulted<T>(wire: string, read: Read<T>, value: T): Field<T> {
  return { wire, aliases: [], read, missing: { value } };
}

/** A field that may be absent or null; both read as null unless `absent` says otherwise. */
export function optional<T>(
  wire: string,
  read: Read<T>,
  aliases: readonly string[] = [],
  absent: T | null = null,
): Field<T | null> {
  return { wire, aliases, read: nullable(read), missing: { value: absent } };
}

/** Accepts null beside what `read` accepts. */
export function nullable<T>(read: Read<T>): Read<T | null> {
  const accept: Read<T | null> = (node, place) => (node.kind === 'null' ? null : read(node, place));
  return documented(accept, { ...read.schema, nullable: true });
}

/** A reader that says what it accepts. */
export function documented<T>(read: Read<T>, schema: Schema): Read<T> {
  return Object.assign((node: JsonNode, place: Place) => read(node, place), { schema });
}

function structSchema(fields: Fields): Schema {
  const all = Object.values(fields);
  const needed = all.filter((field) => field.missing === undefined).map((field) => field.wire);
  return {
    type: 'object',
    ...(needed.length === 0 ? {} : { required: needed }),
    properties: Object.fromEntries(all.map((field) => [field.wire, field.read.schema ?? {}])),
  };
}

/** An object with known fields; others are ignored, a field given twice is refused. */
export function struct<F extends Fields>(name: string, fields: F): Read<Struct<F>> {
  const byWire = new Map<string, string>();
  for (const [property, field] of Object.entries(fields)) {
    for (const key of [field.wire, ...field.aliases]) byWire.set(key, property);
  }
  const read: Read<Struct<F>> = (node, place) => {
    if (node.kind !== 'object') throw wrongType(node, place, `struct ${name}`);
    const values: Record<string, unknown> = {};
    for (const member of node.members) {
      const property = byWire.get(member.key);
      const field = property === undefined ? undefined : fields[property];
      if (property === undefined || field === undefined) continue;
      if (Object.hasOwn(values, property)) {
        const detail = `duplicate field \`${field.wire}\``;
        throw new ShapeError(place.path, detail, skipSpace(place.text, member.keyStop));
      }
      values[property] = field.read(member.value, {
        text: place.text,
        path: joinKey(place.path, member.key),
      });
    }
    for (const [property, field] of Object.entries(fields)) {
      if (Object.hasOwn(values, property)) continue;
      if (field.missing === undefined) {
        throw new ShapeError(place.path, `missing field \`${field.wire}\``, node.stop);
      }
      values[property] = field.missing.value;
    }
    return values as Struct<F>;
  };
  return documented(read, structSchema(fields));
}

/** A list whose items all read alike. */
export function list<T>(read: Read<T>): Read<readonly T[]> {
  const readAll: Read<readonly T[]> = (node, place) => {
    if (node.kind !== 'array') throw wrongType(node, place, 'a sequence');
    return node.items.map((item, index) => read(item, { text: place.text, path: `${place.path}[${index}]` }));
  };
  return documented(readAll, { type: 'array', items: read.schema ?? {} });
}

export const readString: Read<string> = documented(
  (node, place) => {
    if (node.kind !== 'string') throw wrongType(node, place, 'a string');
    return node.value;
  },
  { type: 'string' },
);

export const readBoolean: Read<boolean> = documented(
  (node, place) => {
    if (node.kind !== 'boolean') throw wrongType(node, place, 'a boolean');
    return node.value;
  },
  { type: 'boolean' },
);

/** Any JSON value, as plain data. */
export const readAny: Read<unknown> = (node, place) =>
  JSON.parse(place.text.slice(node.start, node.stop)) as unknown;

/** A 32-bit float; integers are fine. */
export const readF32: Read<number> = documented(
  (node, place) => {
    if (node.kind !== 'number') throw wrongType(node, place, 'f32');
    return Number(node.raw);
  },
  { type: 'number', format: 'float' },
);

export const readU32: Read<number> = smallInteger('u32', 0, 4_294_967_295);
export const readI32: Read<number> = smallInteger('i32', -2_147_483_648, 2_147_483_647);

/** A count; values beyond 2^53 lose digits, which no count reaches. */
export const readUsize: Read<number> = documented(
  (node, place) => Number(readInteger(node, place, 'usize')),
  { type: 'integer', minimum: 0 },
);

/** A 64-bit unsigned integer with every digit. */
export const readU64: Read<bigint> = documented((node, place) => readInteger(node, place, 'u64'), {
  type: 'integer',
  format: 'int64',
  minimum: 0,
});

const U64_MAX = 2n ** 64n - 1n;
const INTEGER = /^-?\d+$/;

function readInteger(node: JsonNode, place: Place, expected: string): bigint {
  if (node.kind !== 'number' || !isInteger(node.raw)) throw wrongType(node, place, expected);
  const value = BigInt(node.raw);
  if (value < 0n) throw wrongValue(node, place, expected);
  return value;
}

function smallInteger(expected: string, low: number, high: number): Read<number> {
  const read: Read<number> = (node, place) => {
    if (node.kind !== 'number' || !isInteger(node.raw)) throw wrongType(node, place, expected);
    const value = Number(node.raw);
    if (value < low || value > high) throw wrongValue(node, place, expected);
    return value;
  };
  return documented(read, { type: 'integer', format: 'int32', ...(low === 0 ? { minimum: 0 } : {}) });
}

/** Whether the number is read as an integer: no fraction, no exponent, within 64 bits, and not minus zero. */
function isInteger(raw: string): boolean {
  if (!INTEGER.test(raw) || raw === '-0') return false;
  const value = BigInt(raw);
  return value <= U64_MAX && value >= -(2n ** 63n);
}

function wrongValue(node: JsonNode, place: Place, expected: string): ShapeError {
  return new ShapeError(
    place.path,
    `invalid value: ${describe(node)}, expected ${expected}`,
    placeAfter(node),
  );
}

/** "invalid type" for a node that is of another kind than expected. */
export function wrongType(node: JsonNode, place: Place, expected: string): ShapeError {
  return new ShapeError(
    place.path,
    `invalid type: ${describe(node)}, expected ${expected}`,
    placeAfter(node),
  );
}

/** A refusal of a value that was read whole: the place is after it, and after what closes the outer value. */
export function refuse(node: JsonNode, place: Place, detail: string): ShapeError {
  if (node.start === 0 || place.path === '') return new ShapeError(place.path, detail, null);
  const after = skipSpace(place.text, node.stop);
  const closing = place.text[after] === '}' || place.text[after] === ']';
  return new ShapeError(place.path, detail, closing ? after + 1 : after);
}

/** Scalars are read before they are judged; a list or object is judged by its first character. */
function placeAfter(node: JsonNode): number {
  return node.kind === 'array' || node.kind === 'object' ? node.start : node.stop;
}

function describe(node: JsonNode): string {
  switch (node.kind) {
    case 'null':
      return 'null';
    case 'boolean':
      return `boolean \`${node.value}\``;
    case 'string':
      return `string ${JSON.stringify(node.value)}`;
    case 'number':
      return isInteger(node.raw) ? `integer \`${node.raw}\`` : `floating point \`${decimal(node.raw)}\``;
    case 'array':
      return 'sequence';
    case 'object':
      return 'map';
  }
}

/** A float without exponent and always with a fraction. */
function decimal(raw: string): string {
  const value = Number(raw);
  const shown = Math.abs(value) >= 1e21 ? BigInt(value).toString() : String(value);
  if (shown.includes('e-'))
    return value.toFixed(Math.min(100, 20 - Math.floor(Math.log10(Math.abs(value))))).replace(/0+$/, '');
  if (shown === '0' && raw.startsWith('-')) return '-0.0';
  return shown.includes('.') ? shown : `${shown}.0`;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at++;
  return at;
}
