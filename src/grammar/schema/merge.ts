// Several schemas that hold at once (allOf, $ref with neighbours, alternatives beside other keywords) as one.

import { LIMITS, refused } from '../limits.js';
import { ANNOTATIONS, below, isSchemaObject, type Schema, typesOf } from './model.js';

/** Finds what a `$ref` points at. */
export type Resolve = (reference: string, at: string) => unknown;

type Combine = (a: unknown, b: unknown) => unknown;

const both: Combine = (a, b) => ({ allOf: [a, b] });
const larger: Combine = (a, b) => Math.max(Number(a), Number(b));
const smaller: Combine = (a, b) => Math.min(Number(a), Number(b));

const COMBINE: Readonly<Record<string, Combine>> = {
  minimum: larger,
  exclusiveMinimum: larger,
  minLength: larger,
  minItems: larger,
  minProperties: larger,
  maximum: smaller,
  exclusiveMaximum: smaller,
  maxLength: smaller,
  maxItems: smaller,
  maxProperties: smaller,
  propertyNames: both,
  additionalProperties: both,
  unevaluatedProperties: both,
  required: (a, b) => (Array.isArray(a) && Array.isArray(b) ? [...new Set([...a, ...b])] : a),
  enum: (a, b) => {
    if (!Array.isArray(a) || !Array.isArray(b)) return a;
    const known = new Set(b.map((value) => JSON.stringify(value)));
    return a.filter((value) => known.has(JSON.stringify(value)));
  },
  patternProperties: (a, b) => mergeMaps(a, b),
};

function mergeMaps(a: unknown, b: unknown): unknown {
  if (!isSchemaObject(a) || !isSchemaObject(b)) return a;
  const out: Record<string, unknown> = { ...a };
  for (const [key, value] of Object.entries(b)) out[key] = key in a ? both(a[key], value) : value;
  return out;
}

/** Properties of `b` that `a` does not name, under what `a` says of names it does not know. */
function admit(a: Schema, b: Schema): Schema {
  const extra = a['additionalProperties'];
  const own = isSchemaObject(a['properties']) ? a['properties'] : {};
  const others = isSchemaObject(b['properties']) ? b['properties'] : {};
  if (extra === undefined || extra === true) return others;
  const patterns = isSchemaObject(a['patternProperties']) ? Object.keys(a['patternProperties']) : [];
  const isNamed = (name: string): boolean =>
    name in own || patterns.some((pattern) => new RegExp(pattern, 'u').test(name));
  const admitted = Object.entries(others).map(([name, schema]) => [
    name,
    isNamed(name) ? schema : extra === false ? false : both(schema, extra),
  ]);
  return Object.fromEntries(admitted) as Schema;
}

/** Patterns of one side are extra members to the other: only where that one allows any is the sum simple. */
function refusePatterns(a: Schema, b: Schema, at: string): void {
  const extra = b['additionalProperties'];
  if (a['patternProperties'] === undefined || extra === undefined || extra === true) return;
  if (JSON.stringify(a['patternProperties']) === JSON.stringify(b['patternProperties'])) return;
  throw refused(
    below(at, 'patternProperties'),
    'beside additionalProperties of another schema it is not supported',
  );
}

const ELEMENTS = ['items', 'prefixItems', 'additionalItems'];

/** Elements by position and behind them, in the words of draft 2020-12. */
function elementsOf(schema: Schema): { readonly prefix: readonly unknown[]; readonly rest: unknown } {
  const { items, prefixItems, additionalItems } = schema;
  if (Array.isArray(items)) return { prefix: items, rest: additionalItems };
  return { prefix: Array.isArray(prefixItems) ? prefixItems : [], rest: items };
}

/** Elements that follow two schemas: what one says of all others it says of the positions the other names. */
function mergeElements(a: Schema, b: Schema): Schema {
  const left = elementsOf(a);
  const right = elementsOf(b);
  const join = (one: unknown, other: unknown): unknown =>
    one === undefined ? other : other === undefined ? one : both(one, other);
  const length = Math.max(left.prefix.length, right.prefix.length);
  const prefix = Array.from({ length }, (_, index) =>
    join(left.prefix[index] ?? left.rest, right.prefix[index] ?? right.rest),
  ).map((item) => item ?? true);
  const items = join(left.rest, right.rest);
  return {
    ...(prefix.length === 0 ? {} : { prefixItems: prefix }),
    ...(items === undefined ? {} : { items }),
  };
}

function mergeTypes(a: Schema, b: Schema, at: string): readonly string[] {
  const left = typesOf({ type: a['type'] }, at) ?? [];
  const right = typesOf({ type: b['type'] }, at) ?? [];
  const common = left.filter((type) => right.includes(type));
  if (left.includes('number') && right.includes('integer')) common.push('integer');
  if (left.includes('integer') && right.includes('number')) common.push('integer');
  return [...new Set(common)];
}

function product(a: unknown, b: unknown, at: string): readonly unknown[] {
  const left = Array.isArray(a) ? a : [];
  const right = Array.isArray(b) ? b : [];
  if (left.length * right.length > LIMITS.alternatives) {
    throw refused(at, `combining its alternatives gives more than ${LIMITS.alternatives}`);
  }
  return left.flatMap((one) => right.map((other) => both(one, other)));
}

/** Two schemas that hold at once; false when they exclude each other. */
export function merge(a: Schema | false, b: Schema | false, at: string): Schema | false {
  if (a === false || b === false) return false;
  refusePatterns(a, b, at);
  refusePatterns(b, a, at);
  const out: Record<string, unknown> = { ...a };
  if (ELEMENTS.some((keyword) => keyword in a) && ELEMENTS.some((keyword) => keyword in b)) {
    for (const keyword of ELEMENTS) delete out[keyword];
    Object.assign(out, mergeElements(a, b));
  }
  if (a['properties'] !== undefined || b['properties'] !== undefined) {
    out['properties'] = mergeMaps(admit(b, a), admit(a, b));
  }
  for (const [keyword, value] of Object.entries(b)) {
    if (keyword === 'properties' || (ELEMENTS.includes(keyword) && ELEMENTS.some((name) => name in a)))
      continue;
    const known = a[keyword];
    if (known === undefined) out[keyword] = value;
    else if (JSON.stringify(known) === JSON.stringify(value) || ANNOTATIONS.has(keyword)) continue;
    else if (keyword === 'type') {
      const types = mergeTypes(a, b, at);
      if (types.length === 0) return false;
      out[keyword] = types;
    } else if (keyword === 'const') return false;
    else if (keyword === 'anyOf' || (keyword === 'oneOf' && 'oneOf' in a)) {
      out[keyword] = product(known, value, below(at, keyword));
    } else {
      const combine = COMBINE[keyword];
      if (combine === undefined) {
        throw refused(below(at, keyword), 'two different values of it hold at once, which is not supported');
      }
      out[keyword] = combine(known, value);
    }
  }
  return out;
}

/** A schema without `$ref` and `allOf` at its top: what they bring in is merged. False when nothing matches. */
export function flatten(schema: unknown, at: string, resolve: Resolve, depth = 0): Schema | false {
  if (depth > LIMITS.schemaDepth) throw refused(at, 'its references go round in a circle');
  if (schema === true) return {};
  if (schema === false) return false;
  if (!isSchemaObject(schema)) throw refused(at, 'it is not a schema (an object, true or false)');
  if (schema['$ref'] === undefined && schema['allOf'] === undefined) return schema;
  const { $ref: reference, allOf: all, ...rest } = schema;
  let merged: Schema | false = rest;
  if (reference !== undefined) {
    if (typeof reference !== 'string') throw refused(below(at, '$ref'), 'it must be a string');
    const target = resolve(reference, below(at, '$ref'));
    merged = merge(merged, flatten(target, below(at, '$ref'), resolve, depth + 1), at);
  }
  if (all !== undefined && !Array.isArray(all))
    throw refused(below(at, 'allOf'), 'it must be a list of schemas');
  for (const [index, one] of (all ?? []).entries()) {
    merged = merge(merged, flatten(one, below(at, 'allOf', index), resolve, depth + 1), at);
  }
  return merged;
}
