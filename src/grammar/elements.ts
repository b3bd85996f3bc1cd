// Arguments of a call as elements of plain text, one per parameter: what protocol's `parameterTypes` says is text
// stands there as it is, everything else as JSON. The reader (chat) goes by the same word.

import { isPlainText, parameterTypes, type ToolDefinition } from '../protocol/index.js';
import { anyOf, type CharSet, literal, subtract, textUpTo, times } from './ebnf.js';
import { refused } from './limits.js';
import { matched, regexText } from './regex/emit.js';
import type { RegexNode } from './regex/parse.js';
import type { Converter } from './schema/converter.js';
import { flatten } from './schema/merge.js';
import { below, countOf, requiredOf, type Schema, schemaMap } from './schema/model.js';
import { patternTree } from './schema/strings.js';

/** How a format writes one parameter: `open` name (`text` or `json`) value `close`. */
export interface ElementSyntax {
  readonly open: string;
  /** In front of a plain text, and in front of JSON. */
  readonly text: string;
  readonly json: string;
  readonly close: string;
  /** The tag at which readers take a value to end. */
  readonly tag: string;
}

/** Most characters a length may count in the grammar; each costs a walk over the vocabulary at compile time. */
const COUNTED = 64;
/** What no parameter's name can hold, because the tags around it do. */
const UNFIT_NAME = /[<>"\s]/;
/** Open angle bracket: every tag begins with it, and holds no other. */
const BRACKET: CharSet = [[0x3c, 0x3c]];

/** The elements of a tool's arguments; may be empty text. Throws `constraint` with the place of a fault. */
export function elementsText(
  converter: Converter,
  { tool, schema, at }: { readonly tool: ToolDefinition; readonly schema: unknown; readonly at: string },
  syntax: ElementSyntax,
): string {
  const flat = flatten(schema, at, converter.resolve);
  if (flat === false) throw refused(at, 'no value can match it');
  const named = schemaMap(flat, 'properties', at);
  const required = new Set(requiredOf(flat, at));
  for (const name of required) if (!Object.hasOwn(named, name)) throw unfit(at, name, 'is not described');
  const elements = Object.entries(named).map(([name, property]) => {
    const where = below(at, 'properties', name);
    const text = UNFIT_NAME.test(name)
      ? undefined
      : element(converter, { tool, name, property, at: where }, syntax);
    if (text !== undefined) return required.has(name) ? text : `(${text})?`;
    if (required.has(name)) throw unfit(at, name, 'cannot be written in the format of this model');
    return undefined;
  });
  return elements.filter((text) => text !== undefined).join(' ');
}

function unfit(at: string, name: string, why: string): Error {
  return refused(below(at, 'required'), `the parameter ${JSON.stringify(name)} ${why}`);
}

interface Parameter {
  readonly tool: ToolDefinition;
  readonly name: string;
  readonly property: unknown;
  readonly at: string;
}

function element(
  converter: Converter,
  { tool, name, property, at }: Parameter,
  syntax: ElementSyntax,
): string | undefined {
  const isText = isPlainText(parameterTypes(tool.parameters, name));
  const value = isText
    ? plainText(converter, property, { at, close: syntax.close, tag: syntax.tag })
    : jsonText(converter, property, at, syntax);
  if (value === undefined) return undefined;
  const lead = literal(syntax.open + name + (isText ? syntax.text : syntax.json));
  return converter.rules.add('element', `${lead} ${value}`);
}

function jsonText(
  converter: Converter,
  property: unknown,
  at: string,
  { close }: ElementSyntax,
): string | undefined {
  const value = converter.convert(property, { at, depth: 1, usesGuard: false, entered: new Set() });
  return value && `${value.text} ${literal(close)}`;
}

/** Where a text stands, and the tag it must not hold. */
interface TextPlace {
  readonly at: string;
  /** What stands behind it, with the tag in it. */
  readonly close: string;
  readonly tag: string;
}

/** A string's characters as they are, without the tag that ends it, and what closes it. Undefined when there is none. */
function plainText(converter: Converter, property: unknown, place: TextPlace): string | undefined {
  const { at, close, tag } = place;
  if (property === false) return undefined;
  const schema = property === true ? {} : flatten(property, at, converter.resolve);
  if (schema === false) return undefined;
  if ('const' in schema || 'enum' in schema) return listed(converter, schema, place);
  const { anyOf: some, oneOf: one, ...rest } = schema;
  const branches = some ?? one;
  if (Array.isArray(branches)) {
    const all = branches.map((branch) => plainText(converter, { allOf: [rest, branch] }, place));
    return anyOf(all);
  }
  const tree = patternTree(schema, at);
  if (tree === 'impossible') return undefined;
  if (tree !== undefined) {
    const text = regexText(matched(withoutBrackets(tree), false, at), 'raw', at);
    // In place: a rule of its own could match the empty text.
    return text === undefined ? undefined : `(${text}) ${literal(close)}`;
  }
  const min = countOf(schema, 'minLength', at) ?? 0;
  const max = countOf(schema, 'maxLength', at);
  if (max !== undefined && max < min) return undefined;
  // Where the format has line breaks around a value, one in front of the tag is the model's to write.
  const free = `${textUpTo(converter.rules, tag)} ${literal(close.slice(close.indexOf(tag) + tag.length))}`;
  if (max === undefined && min <= 1) return min === 0 ? free : `[^<\\n] ${free}`;
  if (min <= COUNTED && (max ?? 0) <= COUNTED) return `[^<]${times(min, max)} ${literal(close)}`;
  converter.unsupported(at, `lengths beyond ${COUNTED} are not supported in the format of this model`);
  return free;
}

function listed(converter: Converter, schema: Schema, { at, close, tag }: TextPlace): string | undefined {
  const values: unknown = schema['enum'] ?? [schema['const']];
  if (!Array.isArray(values)) throw refused(below(at, 'enum'), 'it must be a list of values');
  const isValid = converter.validator(schema, at);
  const texts = values.filter((value) => typeof value === 'string' && isValid(value) && !value.includes(tag));
  return anyOf(texts.map((text) => literal(String(text) + close)));
}

/** Wide classes without the bracket that begins a tag; one that stands alone is meant. */
function withoutBrackets(node: RegexNode): RegexNode {
  switch (node.kind) {
    case 'set': {
      const set = subtract(node.set, BRACKET);
      return set.length === 0 ? node : { kind: 'set', set };
    }
    case 'repeat':
      return { ...node, item: withoutBrackets(node.item) };
    case 'sequence':
    case 'choice':
      return { ...node, items: node.items.map(withoutBrackets) };
    case 'anchor':
      return node;
  }
}
