// Calls of tools as grammar: the model's own syntax around arguments that follow their schema. Arguments may be
// elements that are all optional, and no rule may match the empty text: the first character behind them is theirs.

import { type Constraint, type JsonSchema, KoineError, type ToolDefinition } from '../protocol/index.js';
import { literal, prefixed, textUpTo, withoutRepeats } from './ebnf.js';
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
  /** May stand in front of the first call, in formats that have no marker of their own. */
  readonly tag?: string;
}

export interface ToolGrammar {
  readonly text: string;
  readonly guards: readonly LengthGuard[];
  /** Tools whose arguments are any, and why. */
  readonly loosened: readonly string[];
}

/** How far arguments follow their schemas: those of tools that are not strict may be any where nothing else works. */
export type Holding = 'whole' | 'names';

export type ToolConstraint = Constraint & { readonly kind: 'tool-call' };

const MAX_PARALLEL = 64;
const NO_PARAMETERS: JsonSchema = { type: 'object', properties: {}, additionalProperties: false };

function checkTools(tools: readonly ToolDefinition[]): void {
  if (tools.length === 0) throw refused('tools', 'a call is demanded, but there are none');
  if (tools.length > LIMITS.choices) throw refused('tools', `there are more than ${LIMITS.choices}`);
}

/** Names stand inside JSON in some formats; in others nothing tells them from the tags around them. */
export const IN_JSON = '{"name": "';
const UNFIT_NAME = /[\s<>"'`[\]{}｜|]/u;

/** A tool's name as a call holds it. */
export function writtenName(name: string, { begin }: ToolCallSyntax): string {
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

function toolArguments(tool: ToolDefinition, name: string, syntax: ToolCallSyntax): ToolArguments {
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

/** Any arguments: an object, or whatever stands in front of the end of a call. */
const ANY = 'any';

function anyArguments({ arguments: form, end }: ToolCallSyntax): { grammar: string; end: string } {
  const converter = new Converter({ type: 'object' }, false, 'single');
  const { rules } = converter;
  return form === 'json'
    ? { grammar: rules.text(converter.anyObject()), end }
    : { grammar: rules.text(textUpTo(rules, end)), end: '' };
}

/** A tool's arguments; why they are any, where they are. */
function heldArguments(
  tool: ToolDefinition,
  syntax: ToolCallSyntax,
  isAuto: boolean,
  holding: Holding,
): { readonly name: string; readonly held: ToolArguments | string } {
  const name = writtenName(tool.name, syntax);
  const mayBeAny = isAuto && tool.strict !== true;
  if (mayBeAny && holding === 'names') return { name, held: 'the schemas of all tools are too much' };
  try {
    return { name, held: toolArguments(tool, name, syntax) };
  } catch (error) {
    if (!mayBeAny || !(error instanceof KoineError)) throw error;
    return { name, held: error.message };
  }
}

/** Whether the grammar holds further calls, rather than one. */
function isRepeated(
  { parallel, mode }: ToolConstraint,
  { opening, begin, separator }: ToolCallSyntax,
): boolean {
  // Where each call has a mark of its own, a free one ends before the next: a token that reaches over its end would
  // otherwise commit the model to one more.
  if (mode === 'auto' && opening === '' && begin !== IN_JSON) return false;
  // Formats without anything between calls cannot tell a second one from text.
  return parallel && (separator !== '' || begin.startsWith('[') || opening !== '');
}

/**
 * Calls of these tools, in a format's syntax. Where the model may choose (`auto`) this is what a call follows once it
 * has begun; there a tool that is not strict and whose schema cannot be followed has any arguments.
 */
export function toolCallGrammar(
  constraint: ToolConstraint,
  syntax: ToolCallSyntax,
  holding: Holding = 'whole',
): ToolGrammar {
  checkTools(constraint.tools);
  const isAuto = constraint.mode === 'auto';
  const tools = constraint.tools.map((tool) => heldArguments(tool, syntax, isAuto, holding));
  const any = anyArguments(syntax);
  const calls = tools.map(({ name, held }, index) => {
    const [root, end] = typeof held === 'string' ? [ANY, any.end] : [`t${index}`, held.end];
    return `${literal(syntax.begin + name + syntax.middle)} ${root}_root ${literal(end)}`;
  });
  const more = isRepeated(constraint, syntax)
    ? ` (${literal(syntax.separator)} call){0,${MAX_PARALLEL - 1}}`
    : '';
  const lines = [
    `root ::= ${literal(syntax.opening)} call${more} ${literal(syntax.closing)}`,
    `call ::= ${calls.join(' | ')}`,
    ...tools.flatMap(({ held }, index) =>
      typeof held === 'string' ? [] : [prefixed(held.grammar, `t${index}_`)],
    ),
  ];
  const loosened = tools.flatMap(({ name, held }) =>
    typeof held === 'string' && holding === 'whole' ? [`${name} (${held})`] : [],
  );
  if (tools.some(({ held }) => typeof held === 'string')) lines.push(prefixed(any.grammar, `${ANY}_`));
  const guards = tools.flatMap(({ held }) =>
    typeof held === 'string' || held.guard === undefined ? [] : [held.guard],
  );
  return { text: withoutRepeats(lines.join('\n')), guards, loosened };
}
