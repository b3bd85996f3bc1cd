// Readers of single values: they check, and convert where callers of this wire rely on it ("3" is an integer, 1 is
// true, but no number is a string). A reader that fails adds its faults and gives INVALID.

import { type Fault, type FaultType, fault, type Loc } from './fault.js';

/** What a reader gives when it has added a fault. */
export const INVALID = Symbol('invalid');

/** Reads one value found at a place. */
export type Reader<T> = (value: unknown, loc: Loc, faults: Fault[]) => T | typeof INVALID;

/** The type a reader gives. */
export type ReadBy<R> = R extends Reader<infer T> ? T : never;

/** Inclusive bounds of a number. */
export interface Bounds {
  readonly ge?: number;
  readonly le?: number;
}

/** Adds a fault and gives INVALID. */
export function fail(faults: Fault[], ...args: Parameters<typeof fault>): typeof INVALID {
  faults.push(fault(...args));
  return INVALID;
}

/** A string; nothing is converted to one. */
export const text: Reader<string> = (value, loc, faults) =>
  typeof value === 'string'
    ? value
    : fail(faults, 'string_type', loc, 'Input should be a valid string', value);

const TRUE = new Set<unknown>([true, 1, 'true', 't', 'yes', 'y', 'on', '1']);
const FALSE = new Set<unknown>([false, 0, 'false', 'f', 'no', 'n', 'off', '0']);

/** A boolean, or one of the numbers and words that stand for one. */
export const flag: Reader<boolean> = (value, loc, faults) => {
  const known = typeof value === 'string' ? value.toLowerCase() : value;
  if (TRUE.has(known)) return true;
  if (FALSE.has(known)) return false;
  const isWord = typeof value === 'string' || typeof value === 'number';
  const msg = 'Input should be a valid boolean';
  if (!isWord) return fail(faults, 'bool_type', loc, msg, value);
  return fail(faults, 'bool_parsing', loc, `${msg}, unable to interpret input`, value);
};

const INTEGER = /^\s*[+-]?\d+(\.0*)?\s*$/;
const NUMBER = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i;

/** An integer, also as text or as a boolean; a number with a fraction is none. */
export function integer(bounds: Bounds = {}): Reader<number> {
  const msg = 'Input should be a valid integer';
  return (value, loc, faults) => {
    switch (typeof value) {
      case 'boolean':
        return inBounds(Number(value), bounds, loc, faults);
      case 'string':
        if (INTEGER.test(value)) return inBounds(Number(value), bounds, loc, faults);
        return fail(faults, 'int_parsing', loc, `${msg}, unable to parse string as an integer`, value);
      case 'number':
        if (!Number.isFinite(value)) return notFinite(faults, loc);
        if (Number.isInteger(value)) return inBounds(value, bounds, loc, faults);
        return fail(faults, 'int_from_float', loc, `${msg}, got a number with a fractional part`, value);
      default:
        return fail(faults, 'int_type', loc, msg, value);
    }
  };
}

/** A number, also as text or as a boolean. */
export function number(bounds: Bounds = {}): Reader<number> {
  const msg = 'Input should be a valid number';
  return (value, loc, faults) => {
    switch (typeof value) {
      case 'boolean':
      case 'number':
        return inBounds(Number(value), bounds, loc, faults);
      case 'string':
        if (NUMBER.test(value)) return inBounds(Number(value), bounds, loc, faults);
        return fail(faults, 'float_parsing', loc, `${msg}, unable to parse string as a number`, value);
      default:
        return fail(faults, 'float_type', loc, msg, value);
    }
  };
}

/** JSON has no infinity, but a number too large to be held becomes one. */
function notFinite(faults: Fault[], loc: Loc): typeof INVALID {
  return fail(faults, 'finite_number', loc, 'Input should be a finite number');
}

function inBounds(value: number, { ge, le }: Bounds, loc: Loc, faults: Fault[]): number | typeof INVALID {
  if (!Number.isFinite(value)) return notFinite(faults, loc);
  if (ge !== undefined && value < ge) {
    const msg = `Input should be greater than or equal to ${ge}`;
    return fail(faults, 'greater_than_equal', loc, msg, value, { ge });
  }
  if (le !== undefined && value > le) {
    const msg = `Input should be less than or equal to ${le}`;
    return fail(faults, 'less_than_equal', loc, msg, value, { le });
  }
  return value;
}

/** One of some words. */
export function oneOf<const W extends string>(...words: readonly W[]): Reader<W> {
  const quoted = words.map((word) => `'${word}'`);
  const last = quoted.at(-1) ?? '';
  const expected = quoted.length < 2 ? last : `${quoted.slice(0, -1).join(', ')} or ${last}`;
  return (value, loc, faults) => {
    const found = words.find((word) => word === value);
    return found ?? fail(faults, 'literal_error', loc, `Input should be ${expected}`, value, { expected });
  };
}

/** The same, or null. */
export function nullable<T>(read: Reader<T>): Reader<T | null> {
  return (value, loc, faults) => (value === null ? null : read(value, loc, faults));
}

/** Anything at all, untouched. */
export const anything: Reader<unknown> = (value) => value;

/** How values are told apart by their JSON type. */
export interface Shapes<T> {
  readonly string?: Reader<T>;
  readonly list?: Reader<T>;
  readonly object?: Reader<T>;
  /** What is said of anything else. */
  readonly otherwise: readonly [type: FaultType, msg: string];
}

/** Reads by the JSON type of the value. */
export function byShape<T>({ string, list, object, otherwise }: Shapes<T>): Reader<T> {
  return (value, loc, faults) => {
    const isList = Array.isArray(value);
    const read = typeof value === 'string' ? string : isList ? list : isObject(value) ? object : undefined;
    return read === undefined
      ? fail(faults, otherwise[0], loc, otherwise[1], value)
      : read(value, loc, faults);
  };
}

/** A JSON object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
