// What rules the output: a forced call before response_format before grammar, as llama-cpp-python ranks them.

import type { Constraint, JsonSchema, ToolChoice, ToolDefinition } from '../../../protocol/index.js';
import { fault, InvalidBody, type Loc, refused } from '../check/fault.js';
import { isObject } from '../check/reader.js';
import type { CommonBody, ResponseFormat } from '../schema.js';
import { withTextArguments, withTextLeaves } from './described-leaves.js';

/** A rule and the field that set it. */
export interface OutputRule {
  readonly field: 'grammar' | 'response_format' | 'tools';
  readonly constraint: Constraint;
}

/** The grammar of a body; an empty one is none. */
export function decodeGrammar({ grammar }: CommonBody): OutputRule | undefined {
  if (grammar === null || grammar === '') return undefined;
  return { field: 'grammar', constraint: { kind: 'grammar', grammar, syntax: 'gbnf' } };
}

/** What a chat says about its output beside the grammar. */
export interface ChatRules {
  readonly tools: readonly ToolDefinition[];
  readonly choice: ToolChoice;
  readonly parallel: boolean;
  readonly format: ResponseFormat | null;
  readonly grammar: OutputRule | undefined;
}

/** The one rule for a chat's output; undefined = free text. Throws `InvalidBody` for a schema that is none. */
export function decodeConstraint(rules: ChatRules): OutputRule | undefined {
  const { tools, choice } = rules;
  if (choice.kind === 'named') {
    const chosen = tools.filter(({ name }) => name === choice.name);
    return callRule(chosen, 'call', false);
  }
  if (choice.kind === 'required') return callRule(tools, 'call', rules.parallel);
  const format = decodeFormat(rules.format);
  const asked =
    format === undefined ? rules.grammar : { field: 'response_format' as const, constraint: format };
  if (asked !== undefined || choice.kind === 'none') return asked;
  return tools.length > 0 ? callRule(tools, 'auto', rules.parallel) : undefined;
}

function callRule(tools: readonly ToolDefinition[], mode: 'call' | 'auto', parallel: boolean): OutputRule {
  return {
    field: 'tools',
    constraint: { kind: 'tool-call', tools: withTextArguments(tools), mode, parallel },
  };
}

/** The schema may stand beside the type, or below `json_schema` as OpenAI has it. */
function decodeFormat(format: ResponseFormat | null): Constraint | undefined {
  if (format === null || format.type === 'text') return undefined;
  const { json_schema: wrapped } = format;
  if (format.type === 'json_schema' && wrapped === null && format.schema === null) {
    throw new InvalidBody([fault('missing', ['body', 'response_format', 'json_schema'], 'Field required')]);
  }
  if (wrapped !== null) {
    return schemaRule(wrapped.schema, ['response_format', 'json_schema', 'schema'], wrapped.strict === true);
  }
  return schemaRule(format.schema, ['response_format', 'schema'], false);
}

function schemaRule(given: unknown, loc: Loc, strict: boolean): Constraint {
  if (given === null) return { kind: 'json-object' };
  const schema = typeof given === 'string' ? parsed(given) : given;
  if (isSchema(schema)) {
    return { kind: 'json-schema', schema: withTextLeaves(schema), strict, whitespace: 'single' };
  }
  throw refused(loc, 'Input should be a JSON schema: an object, true or false', given);
}

/** The contract lets a schema be a text; text that is no JSON is no schema. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isObject(value);
}
