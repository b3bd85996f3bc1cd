// Readers of lists and objects. All members are read, so that a client hears of every fault at once; members nobody
// asked for are left out in silence.

import { type Fault, InvalidBody, type Loc } from './fault.js';
import { fail, INVALID, isObject, type Reader } from './reader.js';

/** Every item of a list. */
export function listOf<T>(read: Reader<T>): Reader<readonly T[]> {
  return (value, loc, faults) => {
    if (!Array.isArray(value)) return fail(faults, 'list_type', loc, 'Input should be a valid list', value);
    const items = value.map((item: unknown, index) => read(item, [...loc, index], faults));
    return isWhole(items) ? items : INVALID;
  };
}

/** Every value of an object with any keys. */
export function mapOf<T>(read: Reader<T>): Reader<ReadonlyMap<string, T>> {
  return (value, loc, faults) => {
    if (!isObject(value)) return notObject(value, loc, faults);
    const entries = new Map<string, T>();
    let isValid = true;
    for (const [key, member] of Object.entries(value)) {
      const item = read(member, [...loc, key], faults);
      if (item === INVALID) isValid = false;
      else entries.set(key, item);
    }
    return isValid ? entries : INVALID;
  };
}

/** An object, untouched. */
export const anyObject: Reader<Readonly<Record<string, unknown>>> = (value, loc, faults) =>
  isObject(value) ? value : notObject(value, loc, faults);

/** A member of an object: its reader, and what it is when it is absent. */
export interface Member<T> {
  readonly read: Reader<T>;
  /** Absent = the member is required. */
  readonly whenAbsent?: { readonly value: T };
}

/** A member that must be there. */
export function required<T>(read: Reader<T>): Member<T> {
  return { read };
}

/** A member with a default. */
export function optional<T>(read: Reader<T>, value: NoInfer<T>): Member<T> {
  return { read, whenAbsent: { value } };
}

/** What an object with these members reads as. */
export type ObjectOf<M> = { readonly [K in keyof M]: M[K] extends Member<infer T> ? T : never };

type Members = Readonly<Record<string, Member<unknown>>>;

/** An object with known members. */
export function object<M extends Members>(members: M): Reader<ObjectOf<M>> {
  const list = Object.entries(members);
  return (value, loc, faults) => {
    if (!isObject(value)) return notObject(value, loc, faults);
    const read: Record<string, unknown> = {};
    const before = faults.length;
    for (const [name, { read: readMember, whenAbsent }] of list) {
      if (Object.hasOwn(value, name)) read[name] = readMember(value[name], [...loc, name], faults);
      else if (whenAbsent !== undefined) read[name] = whenAbsent.value;
      else fail(faults, 'missing', [...loc, name], 'Field required');
    }
    return faults.length === before ? (read as ObjectOf<M>) : INVALID;
  };
}

/** Reads a whole body. Throws `InvalidBody` with every fault. */
export function readBody<T>(read: Reader<T>, body: unknown): T {
  const faults: Fault[] = [];
  const value = read(body, ['body'], faults);
  if (value === INVALID) throw new InvalidBody(faults);
  return value;
}

function notObject(value: unknown, loc: Loc, faults: Fault[]): typeof INVALID {
  return fail(faults, 'dict_type', loc, 'Input should be a valid dictionary', value);
}

function isWhole<T>(items: readonly (T | typeof INVALID)[]): items is readonly T[] {
  return !items.includes(INVALID);
}
