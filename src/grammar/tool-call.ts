// Calls of tools as grammar: the model's own syntax around arguments that follow their schema. Arguments may be
// elements that are all optional, and no rule may match the empty text: the first character behind them is theirs.

import type { Constraint, JsonSchema, ToolDefinition } from '../protocol/index.js';
import { literal, prefixed } from './ebnf.js';
import { type ElementSyntax, elementsText } from './elements.js';
import { LIMITS, refused } from './limits.js';
import { Converter } from './schema/converter.js';
import type { LengthGuard } from './schema/guard.js';
import { below } from './schema/model.js';

/** How a format writes calls; `chat` knows it. One call is `begin` name `middle` arguments `end`. */
export interface ToolCallSyntax {
  readonly opening: string;
  readonly begin: string;
  readonly middle: string;
  readonly end: string;
  readonly separator: string;
  readonly closing: string;
  readonly arguments: 'json' | ElementSyntax;
  /** Stands in front of text, in formats where a reply begins inside a header. */
  readonly textHeader?: string;
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

/** Names stand inside JSON in some formats; in others nothing tells them from the tags around them. */
const IN_JSON = '{"name": "';
const UNFIT_NAME = /[\s<>"'`[\]{}｜|]/u;

/** A tool's name as a call holds it. */
function writtenName(name: string, { begin }: ToolCallSyntax): string {
  if (begin.endsWith(IN_JSON) && name !== '') return JSON.stringify(name).slice(1, -1);
  if (name !== '' && !UNFIT_NAME.test(name)) return name;
  const said = name === '' ? 'a name is empty' : `the name ${JSON.stringify(name.slice(0, 80))}`;
  throw refused('tools', name === '' ? said : `${said} cannot be written in the format of this model`);
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
  /** As a call holds it. */
  readonly name: string;
  /** Grammar of the arguments, with root rule `root`. */
  readonly grammar: string;
  /** What of a call's `end` the grammar does not hold. */
  readonly end: string;
  readonly guard: LengthGuard | undefined;
}

function toolArguments(tool: ToolDefinition, syntax: ToolCallSyntax): ToolArguments {
  const name = writtenName(tool.name, syntax);
  // By name: a choice among the tools has left others out, so that a position would mislead.
  const at = below('tools', tool.name, 'parameters');
  const schema = argumentsSchema(tool);
  const converter = new Converter(schema, tool.strict === true, 'single', at);
  if (syntax.arguments !== 'json') {
    const elements = elementsText(converter, { tool, schema, at }, syntax.arguments);
    const root = `${elements} ${literal(syntax.end.slice(0, 1))}`;
    return { name, grammar: converter.rules.text(root), end: syntax.end.slice(1), guard: undefined };
  }
  const { text, shape, isGuarded } = converter.convertRoot();
  const behind = syntax.begin + name + syntax.middle;
  const guard = isGuarded ? { behind, shape } : undefined;
  return { name, grammar: converter.rules.text(text), end: syntax.end, guard };
}

function callGrammar(constraint: ToolConstraint, syntax: ToolCallSyntax): ToolGrammar {
  const parsed = constraint.tools.map((tool) => toolArguments(tool, syntax));
  const calls = parsed.map(
    ({ name, end }, index) =>
      `${literal(syntax.begin + name + syntax.middle)} t${index}_root ${literal(end)}`,
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
  const parsed = constraint.tools.map((tool) => toolArguments(tool, syntax));
  const tags = parsed.map(({ name, grammar, end }) => ({
    type: 'tag',
    begin: syntax.opening + syntax.begin + name + syntax.middle,
    content: { type: 'grammar', grammar },
    end: end + syntax.closing,
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

/**
 * Replies that begin inside a header: calls have no marker of their own in front of the first one, so that text needs
 * a header too, and ends where the separator of calls stands (three equal characters, `>>>`).
 */
function headedGrammar(constraint: ToolConstraint, syntax: ToolCallSyntax, textHeader: string): ToolGrammar {
  const { text, guards } = callGrammar({ ...constraint, mode: 'call' }, syntax);
  const [mark = ''] = syntax.separator;
  const other = `[^${mark}]+`;
  const calls = `${literal(syntax.separator)} root_calls`;
  const lines = [
    `root ::= root_calls | ${literal(textHeader)} (said | ${literal(mark)} (said_1)?)?`,
    text.replace(/^root ::=/, 'root_calls ::='),
    `said ::= ${other} (${literal(mark)} (said_1)? | ${calls})?`,
    `said_1 ::= said | ${literal(mark)} (said)?`,
  ];
  return { kind: 'ebnf', text: lines.join('\n'), guards };
}

/** "One of these tools, then its arguments", in a format's syntax. */
export function toolCallGrammar(constraint: ToolConstraint, syntax: ToolCallSyntax): ToolGrammar {
  checkTools(constraint.tools);
  if (constraint.mode === 'call') return callGrammar(constraint, syntax);
  const { textHeader } = syntax;
  return textHeader === undefined
    ? autoGrammar(constraint, syntax)
    : headedGrammar(constraint, syntax, textHeader);
}
