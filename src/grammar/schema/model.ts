// JSON schemas as plain values, and what the converter's files share: reading keywords with a clear refusal, and
// the table of keywords a grammar cannot hold.

import { refused } from '../limits.js';

export type Schema = Readonly<Record<string, unknown>>;

/** Keywords that judge values in ways a grammar cannot. Strict requests are refused, others go without. */
export const UNSUPPORTED: ReadonlySet<string> = new Set([
  'not',
  'if',
  'then',
  'else',
  'contains',
  'minContains',
  'maxContains',
  'uniqueItems',
  'multipleOf',
  'dependentRequired',
  'dependentSchemas',
  'dependencies',
  '$dynamicRef',
  '$recursiveRef',
]);

/** Keywords that only describe. */
export const ANNOTATIONS: ReadonlySet<string> = new Set([
  'title',
  'description',
  'default',
  'examples',
  'example',
  'deprecated',
  'readOnly',
  'writeOnly',
  'contentEncoding',
  'contentMediaType',
  'contentSchema',
  '$schema',
  '$id',
  '$comment',
  '$defs',
  '$anchor',
  '$vocabulary',
  'definitions',
]);

export const JSON_TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'] as const;
export type JsonType = (typeof JSON_TYPES)[number];

export function isSchemaObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A place below another one, as a JSON pointer. */
export function below(at: string, ...steps: readonly (string | number)[]): string {
  return at + steps.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** A keyword that must hold a list of schemas. */
export function schemaList(schema: Schema, keyword: string, at: string): readonly unknown[] {
  const value = schema[keyword];
  if (!Array.isArray(value) || value.length === 0) {
    throw refused(below(at, keyword), 'it must be a list with at least one schema');
  }
  return value;
}

/** A keyword that must hold schemas by name. */
export function schemaMap(schema: Schema, keyword: string, at: string): Schema {
  const value = schema[keyword] ?? {};
  if (!isSchemaObject(value)) throw refused(below(at, keyword), 'it must be an object');
  return value;
}

/** A keyword that must hold a number; undefined when absent. */
export function numberOf(schema: Schema, keyword: string, at: string): number | undefined {
  const value = schema[keyword];
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw refused(below(at, keyword), 'it must be a number');
}

/** A keyword that must hold a count; undefined when absent. */
export function countOf(schema: Schema, keyword: string, at: string): number | undefined {
  const value = numberOf(schema, keyword, at);
  if (value === undefined || (Number.isInteger(value) && value >= 0)) return value;
  throw refused(below(at, keyword), 'it must be a whole number that is not negative');
}

/** A keyword that must hold text; undefined when absent. */
export function textOf(schema: Schema, keyword: string, at: string): string | undefined {
  const value = schema[keyword];
  if (value === undefined || typeof value === 'string') return value;
  throw refused(below(at, keyword), 'it must be a string');
}

/** The names in `required`. */
export function requiredOf(schema: Schema, at: string): readonly string[] {
  const value = schema['required'] ?? [];
  if (Array.isArray(value) && value.every((name) => typeof name === 'string')) return [...new Set(value)];
  throw refused(below(at, 'required'), 'it must be a list of strings');
}

const TYPE_KEYWORDS: readonly (readonly [JsonType, readonly string[]])[] = [
  [
    'object',
    [
      'properties',
      'required',
      'additionalProperties',
      'patternProperties',
      'propertyNames',
      'minProperties',
      'maxProperties',
    ],
  ],
  ['array', ['items', 'prefixItems', 'minItems', 'maxItems', 'additionalItems']],
  ['string', ['minLength', 'maxLength', 'pattern', 'format']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']],
];

/**
 * The types a schema allows. Without `type` those its other keywords speak of: the rest would be allowed too, but
 * nobody who lists properties wants a number. Undefined = any.
 */
export function typesOf(schema: Schema, at: string): readonly JsonType[] | undefined {
  const value = schema['type'];
  if (value === undefined) {
    const implied = TYPE_KEYWORDS.filter(([, keywords]) => keywords.some((keyword) => keyword in schema));
    return implied.length === 0 ? undefined : implied.map(([type]) => type);
  }
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  const isKnown = (type: unknown): type is JsonType => JSON_TYPES.some((known) => known === type);
  if (list.length > 0 && list.every(isKnown)) return list;
  throw refused(below(at, 'type'), `it must be one of ${JSON_TYPES.join(', ')}, or a list of them`);
}

/** Whether a value is of one of these types. */
export function isOfType(value: unknown, types: readonly JsonType[]): boolean {
  if (value === null) return types.includes('null');
  if (Array.isArray(value)) return types.includes('array');
  switch (typeof value) {
    case 'number':
      return types.includes('number') || (types.includes('integer') && Number.isInteger(value));
    case 'string':
      return types.includes('string');
    case 'boolean':
      return types.includes('boolean');
    default:
      return types.includes('object');
  }
}
