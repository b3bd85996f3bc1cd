// What kinds of value a JSON schema admits, as far as its own words tell. Formats that write a call's parameters as
// plain text rest on it twice: who writes them and who reads them must take the same text for the same value.

import type { JsonSchema } from './message.js';

/** A kind of JSON value. */
export type ValueType = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

type Types = ReadonlySet<ValueType>;
type Members = Readonly<Record<string, unknown>>;

/** References and compositions followed; deeper ones say nothing. */
const MAX_DEPTH = 16;

/** The kind of a value that came out of JSON. */
export function typeOfValue(value: unknown): ValueType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return type === 'string' || type === 'number' || type === 'boolean' ? type : 'object';
}

/**
 * Kinds of value that a parameter of a tool may have; undefined where its schema does not say, or where the tool
 * has no such parameter.
 */
export function parameterTypes(parameters: JsonSchema | undefined, name: string): Types | undefined {
  return both(propertySchemas(parameters, parameters, name, 0).map((schema) => types(schema, parameters, 0)));
}

/** Whether a parameter is written as plain text: it is a string, or nothing is known of it. */
export function isPlainText(allowed: Types | undefined): boolean {
  return allowed === undefined || (allowed.size === 1 && allowed.has('string'));
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Every schema that speaks of one property: the object's own and those of its references and `allOf`. */
function propertySchemas(schema: unknown, root: unknown, name: string, depth: number): readonly unknown[] {
  if (!isMembers(schema) || depth > MAX_DEPTH) return [];
  const { properties, $ref: reference, allOf } = schema;
  const own = isMembers(properties) && Object.hasOwn(properties, name) ? [properties[name]] : [];
  const referred = typeof reference === 'string' ? [pointedAt(root, reference)] : [];
  const others = [...referred, ...(Array.isArray(allOf) ? allOf : [])];
  return [...own, ...others.flatMap((other) => propertySchemas(other, root, name, depth + 1))];
}

function pointedAt(root: unknown, reference: string): unknown {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  let value = root;
  for (const step of reference.split('/').slice(1)) {
    let name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    try {
      name = decodeURIComponent(name);
    } catch {
      // Not percent-encoded after all: the name stands as it is.
    }
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Members)[name];
  }
  return value;
}

function types(schema: unknown, root: unknown, depth: number): Types | undefined {
  if (!isMembers(schema) || depth > MAX_DEPTH) return undefined;
  const { $ref: reference, type, const: only, enum: listed, anyOf, oneOf, allOf } = schema;
  const inner = (other: unknown): Types | undefined => types(other, root, depth + 1);
  return both([
    'const' in schema ? new Set([typeOfValue(only)]) : undefined,
    Array.isArray(listed) ? new Set(listed.map(typeOfValue)) : undefined,
    namedTypes(type),
    typeof reference === 'string' ? inner(pointedAt(root, reference)) : undefined,
    Array.isArray(anyOf) ? either(anyOf.map(inner)) : undefined,
    Array.isArray(oneOf) ? either(oneOf.map(inner)) : undefined,
    Array.isArray(allOf) ? both(allOf.map(inner)) : undefined,
  ]);
}

const NAMED: Readonly<Record<string, ValueType>> = {
  object: 'object',
  array: 'array',
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};

function namedTypes(type: unknown): Types | undefined {
  const names: readonly unknown[] = Array.isArray(type) ? type : [type];
  const known = names.flatMap((name) => (typeof name === 'string' ? (NAMED[name] ?? []) : []));
  return known.length === 0 ? undefined : new Set(known);
}

/** Kinds that all of these allow; those that say nothing do not count. */
function both(all: readonly (Types | undefined)[]): Types | undefined {
  const known = all.filter((one) => one !== undefined);
  const [first, ...rest] = known;
  return first && new Set([...first].filter((type) => rest.every((one) => one.has(type))));
}

/** Kinds that one of these allows; undefined where one of them says nothing. */
function either(all: readonly (Types | undefined)[]): Types | undefined {
  const known = all.filter((one) => one !== undefined);
  return known.length < all.length ? undefined : new Set(known.flatMap((one) => [...one]));
}
