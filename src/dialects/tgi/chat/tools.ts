// Tools of 3.3.6: which functions the model may pick, the schema its reply follows, and how they are shown to it.
// A reply reads {"function": {"_name": "...", arguments...}}.

import type { Constraint, JsonSchema, ToolDefinition } from '../../../protocol/index.js';
import { toolError } from '../errors.js';
import { closeSchema, isObject, type SchemaObject } from '../request/constraint.js';
import type { FunctionBody } from '../schema/tools.js';
import type { ChatBody } from '../schema.js';
import { JsonSyntaxError, parsePlain } from '../wire/json-text.js';

/** The function that stands for "answer in words". */
export const NO_TOOL = 'no_tool';

const NO_TOOL_FUNCTION: FunctionBody = {
  name: NO_TOOL,
  description: 'Choose this to answer in plain words, when none of the other functions fits.',
  arguments: { type: 'object', properties: {} },
};

const DEFAULT_TOOL_PROMPT =
  'Call one of the functions above: answer with JSON that names the function as "_name" and gives its parameters. Do not use variables.';

/** The functions of one request. */
export interface ToolPlan {
  readonly functions: readonly FunctionBody[];
  readonly toolPrompt: string;
}

/** Picks the functions the model may call; null = a plain chat. Throws `TgiError`. */
export function planTools(body: ChatBody): ToolPlan | null {
  const { tools, toolChoice, responseFormat } = body;
  if (tools === null) return null;
  if (responseFormat !== null) throw toolError('Grammar and tools are mutually exclusive');
  const all = tools.map((tool) => tool.function);
  const functions = choose(all, toolChoice);
  if (functions.length === 0) return null;
  return { functions, toolPrompt: body.toolPrompt ?? DEFAULT_TOOL_PROMPT };
}

function choose(all: readonly FunctionBody[], choice: ChatBody['toolChoice']): readonly FunctionBody[] {
  switch (choice.kind) {
    case 'none':
      return [];
    case 'required':
      return all;
    case 'auto':
      return all.length === 0 ? [] : [...all, NO_TOOL_FUNCTION];
    case 'named': {
      const named = all.filter(({ name }) => name === choice.name);
      if (named.length === 0) throw toolError(`Tool with name ${choice.name} not found`);
      return named;
    }
  }
}

/** The rule a reply follows when it has to be a call. */
export function toolConstraint({ functions }: ToolPlan): Constraint {
  const definitions: Record<string, unknown> = {};
  const variants = functions.map((each, index) => variant(each, index, definitions));
  const schema = {
    type: 'object',
    properties: { function: variants.length === 1 ? variants[0] : { anyOf: variants } },
    required: ['function'],
    additionalProperties: false,
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions }),
  };
  return { kind: 'json-schema', schema, strict: false, whitespace: 'single' };
}

function variant(each: FunctionBody, index: number, definitions: Record<string, unknown>): SchemaObject {
  const declared = schemaObject(each.arguments);
  const rename = (name: string): string => `${index}.${name}`;
  const closed = moveReferences(closeSchema(declared, 'schema'), rename) as SchemaObject;
  for (const key of ['$defs', 'definitions']) {
    const local = closed[key];
    if (!isObject(local)) continue;
    for (const [name, schema] of Object.entries(local)) definitions[rename(name)] = schema;
  }
  const { properties, required } = closed;
  return {
    type: 'object',
    properties: {
      _name: { type: 'string', const: each.name },
      ...(isObject(properties) ? properties : {}),
    },
    required: ['_name', ...(Array.isArray(required) ? required : [])],
    additionalProperties: false,
  };
}

/** References into a tool's own definitions follow these to the root. */
function moveReferences(schema: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(schema)) return schema.map((each) => moveReferences(each, rename));
  if (!isObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      const target =
        key === '$ref' && typeof value === 'string' ? /^#\/(?:\$defs|definitions)\/(.+)$/.exec(value) : null;
      return [
        key,
        target?.[1] === undefined ? moveReferences(value, rename) : `#/$defs/${rename(target[1])}`,
      ];
    }),
  );
}

/** What is appended to the last message; the tools themselves only where the template does not show them. */
export function toolText(plan: ToolPlan, showsTools: boolean): string {
  if (showsTools) return `\n---\n${plan.toolPrompt}`;
  const tools = plan.functions.map(({ description, name, arguments: schema }) => ({
    type: 'function',
    function: { description, name, arguments: JSON.stringify(schema) },
  }));
  return `\n---\n${JSON.stringify(tools)}\n${plan.toolPrompt}`;
}

/** The functions as templates read them. */
export function toDefinitions(plan: ToolPlan): readonly ToolDefinition[] {
  return plan.functions.map(({ name, description, arguments: schema }) => ({
    name,
    ...(description === null ? {} : { description }),
    parameters: schemaObject(schema) as JsonSchema,
  }));
}

function schemaObject(value: unknown): SchemaObject {
  if (isObject(value)) return value;
  if (typeof value === 'string') {
    try {
      const parsed: unknown = JSON.parse(value);
      if (isObject(parsed)) return parsed;
    } catch {
      throw toolError('the parameters of a function are neither an object nor JSON text');
    }
  }
  return {};
}

/** A call read back from a finished reply. */
export interface ToolReply {
  readonly name: string;
  /** Compact JSON text. */
  readonly arguments: string;
}

/** Reads a whole reply. Throws `TgiError` when it was cut off or is no call. */
export function readCall(text: string): ToolReply {
  let parsed: unknown;
  try {
    parsed = parsePlain(text);
  } catch (error) {
    const why = error instanceof JsonSyntaxError ? error.detail : 'not JSON';
    throw toolError(`Failed to parse generated text: ${why} ${JSON.stringify(text)}`);
  }
  const call = isObject(parsed) ? parsed['function'] : undefined;
  const name = isObject(call) ? call['_name'] : undefined;
  if (!isObject(call) || typeof name !== 'string') {
    throw toolError(`Failed to parse generated text: no function call ${JSON.stringify(text)}`);
  }
  const { _name, ...rest } = call;
  return { name, arguments: JSON.stringify(rest) };
}
