// Grammars on the wire to the protocol's constraints: JSON schemas are checked, closed against unknown properties
// and, for 1.4.2, put in alphabetical order; expressions pass as they are.

import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Constraint } from '../../../protocol/index.js';
import { validationError } from '../errors.js';
import type { GrammarBody } from '../schema/grammar.js';
import { JsonSyntaxError, parsePlain } from '../wire/json-text.js';

/** How a version reads schemas. */
export interface GrammarRules {
  /** Space between JSON tokens: at most one (3.3.6) or any run (1.4.2). */
  readonly whitespace: 'single' | 'any';
  readonly order: 'schema' | 'alphabet';
  /** 3.3.6 refuses a schema without `properties` at its root. */
  readonly needsProperties: boolean;
}

export const GRAMMAR_V3: GrammarRules = { whitespace: 'single', order: 'schema', needsProperties: true };
export const GRAMMAR_V1: GrammarRules = { whitespace: 'any', order: 'alphabet', needsProperties: false };

/** A JSON schema as an object. */
export type SchemaObject = Readonly<Record<string, unknown>>;

/** Turns a grammar into a constraint. Throws `TgiError` where it is not valid or grammars are switched off. */
export function toConstraint(grammar: GrammarBody, rules: GrammarRules, isEnabled: boolean): Constraint {
  if (!isEnabled) throw validationError('grammar is not supported');
  if (grammar.kind === 'regex') return { kind: 'regex', pattern: grammar.pattern };
  const schema = schemaOf(grammar.schema);
  checkSchema(schema);
  if (rules.needsProperties && !Object.hasOwn(schema, 'properties')) {
    throw validationError("grammar is not valid: Grammar must have a 'properties' field");
  }
  return {
    kind: 'json-schema',
    schema: closeSchema(schema, rules.order) as SchemaObject,
    strict: false,
    whitespace: rules.whitespace,
  };
}

function schemaOf(value: unknown): SchemaObject {
  const parsed = typeof value === 'string' ? parseSchema(value) : value;
  if (isObject(parsed)) return parsed;
  if (typeof value === 'string') throw validationError('grammar is not valid: the schema is not an object');
  throw validationError('grammar is not supported');
}

function parseSchema(text: string): unknown {
  try {
    return parsePlain(text);
  } catch (error) {
    const why = error instanceof JsonSyntaxError ? error.detail : 'not JSON';
    throw validationError(`grammar is not valid: ${why}`);
  }
}

/** Only compares schemas with the draft's own: that compiles once (50 ms) and remembers nothing it was shown. */
const CHECKER = new Ajv2020({ strict: false, logger: false, addUsedSchema: false });

function checkSchema(schema: SchemaObject): void {
  // Other drafts are judged by the keywords they share with this one.
  const { $schema: _draft, ...rest } = schema;
  if (CHECKER.validateSchema(rest) !== true) {
    throw validationError(
      `grammar is not valid: ${CHECKER.errorsText(CHECKER.errors, { dataVar: 'schema' })}`,
    );
  }
}

/** Keywords whose value is a map of schemas. */
const SCHEMA_MAPS = new Set(['properties', '$defs', 'definitions', 'patternProperties', 'dependentSchemas']);
/** Keywords whose value is data, not a schema. */
const DATA = new Set(['const', 'enum', 'default', 'examples', 'required']);

/** Forbids properties that are not declared, at every depth. */
export function closeSchema(schema: unknown, order: GrammarRules['order']): unknown {
  if (Array.isArray(schema)) return schema.map((each) => closeSchema(each, order));
  if (!isObject(schema)) return schema;
  const closed: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (DATA.has(keyword)) closed[keyword] = value;
    else if (SCHEMA_MAPS.has(keyword) && isObject(value)) closed[keyword] = closeMap(value, order);
    else closed[keyword] = closeSchema(value, order);
  }
  if (Object.hasOwn(schema, 'properties')) closed['additionalProperties'] = false;
  return closed;
}

function closeMap(map: SchemaObject, order: GrammarRules['order']): SchemaObject {
  const entries = Object.entries(map);
  if (order === 'alphabet') entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, schema]) => [name, closeSchema(schema, order)]));
}

export function isObject(value: unknown): value is SchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
