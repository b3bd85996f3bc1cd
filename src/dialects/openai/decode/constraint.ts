// response_format, tools and the guided_* family to the protocol's one Constraint. Two rules for one reply are
// refused rather than one of them dropped.

import {
  type Constraint,
  type JsonSchema,
  KoineError,
  type ToolChoice,
  type ToolDefinition,
} from '../../../protocol/index.js';
import type { CommonBody } from '../schema.js';

/** A rule for the output and the field that set it. */
export interface OutputRule {
  readonly field: string;
  readonly constraint: Constraint;
}

/** The rule a body sets for its output; undefined = free text. */
export function decodeConstraint(
  body: CommonBody,
  tools: readonly ToolDefinition[] = [],
  choice: ToolChoice = { kind: 'none' },
  parallel = true,
): OutputRule | undefined {
  const rules = outputRules(body);
  const [first, second] = rules;
  if (first !== undefined && second !== undefined) {
    const message = `'${first.field}' and '${second.field}' both set a rule for the output; send one of them.`;
    throw new KoineError('invalid_request', message, { field: second.field });
  }
  if (tools.length === 0 || choice.kind === 'none') return first;
  if (first === undefined || choice.kind !== 'auto') {
    // A reply that has to be a call leaves nothing for another rule to say.
    const constraint = toolRule(tools, choice, parallel);
    return constraint && { field: 'tools', constraint };
  }
  const { field, constraint: answer } = first;
  if (answer.kind !== 'grammar') {
    return { field, constraint: { kind: 'tool-call', tools, mode: 'auto', parallel, answer } };
  }
  const message = `'${field}' cannot be combined with tools the model may call; set 'tool_choice' to 'none'.`;
  throw new KoineError('unsupported', message, { field });
}

function outputRules(body: CommonBody): readonly OutputRule[] {
  const rules: OutputRule[] = [];
  const add = (field: string, constraint: Constraint | undefined): void => {
    if (constraint !== undefined) rules.push({ field, constraint });
  };
  add('response_format', responseFormat(body.response_format));
  const { guided_json, guided_regex, guided_choice, guided_grammar, grammar } = body;
  if (guided_json !== undefined) add('guided_json', schemaRule(guided_json, 'guided_json', false));
  if (guided_regex !== undefined) add('guided_regex', { kind: 'regex', pattern: guided_regex });
  if (guided_choice !== undefined) add('guided_choice', { kind: 'choice', choices: guided_choice });
  if (guided_grammar !== undefined) {
    add('guided_grammar', { kind: 'grammar', grammar: guided_grammar, syntax: 'ebnf' });
  }
  if (grammar !== undefined) add('grammar', { kind: 'grammar', grammar, syntax: 'gbnf' });
  return rules;
}

function responseFormat(format: CommonBody['response_format']): Constraint | undefined {
  if (format === undefined || format.type === 'text') return undefined;
  if (format.type === 'regex_schema') {
    const field = 'response_format.regex_schema';
    if (format.regex_schema !== undefined) return { kind: 'regex', pattern: format.regex_schema };
    throw new KoineError('invalid_request', `'${field}' is required.`, { field });
  }
  if (format.type === 'json_object') {
    if (format.schema === undefined) return { kind: 'json-object' };
    return schemaRule(format.schema, 'response_format.schema', false);
  }
  const field = 'response_format.json_schema';
  if (format.json_schema?.schema === undefined) {
    throw new KoineError('invalid_request', `'${field}.schema' is required.`, { field });
  }
  return schemaRule(format.json_schema.schema, field, format.json_schema.strict ?? false);
}

function schemaRule(given: unknown, field: string, strict: boolean): Constraint {
  const schema = typeof given === 'string' ? parsed(given, field) : given;
  if (
    typeof schema === 'boolean' ||
    (typeof schema === 'object' && schema !== null && !Array.isArray(schema))
  ) {
    return { kind: 'json-schema', schema: schema as JsonSchema, strict, whitespace: 'single' };
  }
  throw new KoineError('constraint', `'${field}' must be a JSON schema: an object, true or false.`, {
    field,
  });
}

function parsed(text: string, field: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new KoineError('constraint', `'${field}' is not valid JSON.`, { field }, cause);
  }
}

function toolRule(
  tools: readonly ToolDefinition[],
  choice: ToolChoice,
  parallel: boolean,
): Constraint | undefined {
  switch (choice.kind) {
    case 'none':
      return undefined;
    case 'auto':
      return { kind: 'tool-call', tools, mode: 'auto', parallel };
    case 'required':
      return { kind: 'tool-call', tools, mode: 'call', parallel };
    case 'named':
      return {
        kind: 'tool-call',
        tools: tools.filter(({ name }) => name === choice.name),
        mode: 'call',
        parallel: false,
      };
  }
}
