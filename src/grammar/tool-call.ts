// Calls of tools as grammar: the model's own syntax around arguments that follow their schema.

import type { Constraint, JsonSchema, ToolDefinition } from '../protocol/index.js';
import { literal } from './ebnf.js';
import { LIMITS, refused } from './limits.js';
import { Converter } from './schema/converter.js';
import type { LengthGuard } from './schema/guard.js';

/** How a format writes calls; `chat` knows it. One call is `begin` name `middle` arguments `end`. */
export interface ToolCallSyntax {
  readonly opening: string;
  readonly begin: string;
  readonly middle: string;
  readonly end: string;
  readonly separator: string;
  readonly closing: string;
  readonly arguments: 'json' | 'qwen-xml';
}

export interface ToolGrammar {
  /** EBNF for `call`; for `auto` a structural tag in JSON. */
  readonly kind: 'ebnf' | 'structural-tag';
  readonly text: string;
  readonly guards: readonly LengthGuard[];
}

type ToolConstraint = Constraint & { readonly kind: 'tool-call' };

const MAX_PARALLEL = 64;
const NO_PARAMETERS: JsonSchema = { type: 'object', properties: {}, additionalProperties: false };

function checkTools(tools: readonly ToolDefinition[]): void {
  if (tools.length === 0) throw refused('tools', 'a call is demanded, but there are none');
  if (tools.length > LIMITS.choices) throw refused('tools', `there are more than ${LIMITS.choices}`);
}

/** Arguments must be an object whatever the schema says, and an absent schema means no arguments. */
function argumentsSchema(tool: ToolDefinition): JsonSchema {
  const schema = tool.parameters;
  if (schema === undefined || typeof schema === 'boolean') return NO_PARAMETERS;
  return 'type' in schema || '$ref' in schema || 'anyOf' in schema || 'oneOf' in schema || 'allOf' in schema
    ? schema
    : { ...schema, type: 'object' };
}

interface ToolArguments {
  readonly name: string;
  /** Grammar of the arguments, with root rule `root`. */
  readonly grammar: string;
  readonly guard: LengthGuard | undefined;
}

function toolArguments(tool: ToolDefinition, index: number, syntax: ToolCallSyntax): ToolArguments {
  const at = `tools/${index}/parameters`;
  const converter = new Converter(argumentsSchema(tool), tool.strict === true, 'single', at);
  const { text, shape, isGuarded } = converter.convertRoot();
  const behind = syntax.begin + tool.name + syntax.middle;
  return {
    name: tool.name,
    grammar: converter.rules.text(text),
    guard: isGuarded ? { behind, shape } : undefined,
  };
}

/** Gives every rule of a grammar a name of its own, so that several can stand in one. */
function prefixed(grammar: string, prefix: string): string {
  return grammar
    .split('\n')
    .map((line) => {
      const parts = line.match(/"(?:\\.|[^"\\])*"|\[(?:\\.|[^\]\\])*\]|[A-Za-z_][A-Za-z0-9_]*|./gs) ?? [];
      return parts.map((part) => (/^[A-Za-z_]/.test(part) ? prefix + part : part)).join('');
    })
    .join('\n');
}

function callGrammar(constraint: ToolConstraint, syntax: ToolCallSyntax): ToolGrammar {
  const parsed = constraint.tools.map((tool, index) => toolArguments(tool, index, syntax));
  const calls = parsed.map(
    ({ name }, index) =>
      `${literal(syntax.begin + name + syntax.middle)} t${index}_root ${literal(syntax.end)}`,
  );
  // Formats without anything between calls cannot tell a second one from text.
  const isParallel =
    constraint.parallel && (syntax.separator !== '' || syntax.begin.startsWith('[') || syntax.opening !== '');
  const more = isParallel ? ` (${literal(syntax.separator)} call){0,${MAX_PARALLEL - 1}}` : '';
  const lines = [
    `root ::= ${literal(syntax.opening)} call${more} ${literal(syntax.closing)}`,
    `call ::= ${calls.join(' | ')}`,
    ...parsed.map(({ grammar }, index) => prefixed(grammar, `t${index}_`)),
  ];
  const guards = parsed.flatMap(({ guard }) => (guard === undefined ? [] : [guard]));
  return { kind: 'ebnf', text: lines.join('\n'), guards };
}

function autoGrammar(constraint: ToolConstraint, syntax: ToolCallSyntax): ToolGrammar {
  const parsed = constraint.tools.map((tool, index) => toolArguments(tool, index, syntax));
  const tags = parsed.map(({ name, grammar }) => ({
    type: 'tag',
    begin: syntax.opening + syntax.begin + name + syntax.middle,
    content: { type: 'grammar', grammar },
    end: syntax.end + syntax.closing,
  }));
  const tag = {
    type: 'structural_tag',
    format: {
      type: 'triggered_tags',
      triggers: [syntax.opening + syntax.begin],
      tags,
      stop_after_first: !constraint.parallel,
    },
  };
  const guards = parsed.flatMap(({ guard }) => (guard === undefined ? [] : [guard]));
  return { kind: 'structural-tag', text: JSON.stringify(tag), guards };
}

/** "One of these tools, then its arguments", in a format's syntax. */
export function toolCallGrammar(constraint: ToolConstraint, syntax: ToolCallSyntax): ToolGrammar {
  checkTools(constraint.tools);
  if (syntax.arguments !== 'json') {
    throw refused('tools', 'calls cannot be enforced in the XML format this model speaks');
  }
  return constraint.mode === 'call' ? callGrammar(constraint, syntax) : autoGrammar(constraint, syntax);
}
