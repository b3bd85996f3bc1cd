// Schemas as users of this wire write them: a property that has a description and says nothing of its value means a
// text. To the letter it would allow any JSON, which is not what a model should have to choose from. Pure.

import type { JsonSchema, ToolDefinition } from '../../../protocol/index.js';
import { isObject } from '../check/reader.js';

/** Says nothing of a value. */
const ANNOTATIONS = new Set([
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  '$comment',
]);
/** Keywords with schemas by name, in a list, or alone; the first of each describe values, the others combine schemas. */
const NAMED = ['properties', 'patternProperties', '$defs', 'definitions'];
const LISTED = ['prefixItems', 'anyOf', 'oneOf', 'allOf'];
const ALONE = ['items', 'additionalProperties'];
const OF_VALUES = new Set(['properties', 'patternProperties', 'prefixItems', 'items']);
/** Schemas nested deeper are left as they are; that they are too deep is for the compiler to say. */
const DEEPEST = 64;

/** The schema with every such leaf made a string. */
export function withTextLeaves(schema: JsonSchema, depth = 0): JsonSchema {
  if (typeof schema === 'boolean' || depth > DEEPEST) return schema;
  const changed: Record<string, unknown> = { ...schema };
  const inner = (keyword: string, value: unknown): unknown => {
    if (!isObject(value)) return value;
    return OF_VALUES.has(keyword) && isBareLeaf(value)
      ? { ...value, type: 'string' }
      : withTextLeaves(value, depth + 1);
  };
  for (const keyword of NAMED) {
    const map = schema[keyword];
    if (!isObject(map)) continue;
    changed[keyword] = Object.fromEntries(
      Object.entries(map).map(([name, value]) => [name, inner(keyword, value)]),
    );
  }
  for (const keyword of LISTED) {
    const list = schema[keyword];
    if (Array.isArray(list)) changed[keyword] = list.map((value: unknown) => inner(keyword, value));
  }
  for (const keyword of ALONE)
    if (Object.hasOwn(schema, keyword)) changed[keyword] = inner(keyword, schema[keyword]);
  return changed;
}

/** The tools with such leaves of their arguments made strings. */
export function withTextArguments(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
  return tools.map((tool) =>
    tool.parameters === undefined ? tool : { ...tool, parameters: withTextLeaves(tool.parameters) },
  );
}

function isBareLeaf(schema: Readonly<Record<string, unknown>>): boolean {
  const { description, default: value = '' } = schema;
  return (
    typeof description === 'string' &&
    typeof value === 'string' &&
    Object.keys(schema).every((key) => ANNOTATIONS.has(key))
  );
}
