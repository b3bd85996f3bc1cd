// String schemas as grammar text: plain, by pattern, by format. Lengths go to the guard where they can.

import { type CharSet, charSet, complement, literal, type Rules, setText, subtract, times } from '../ebnf.js';
import { LIMITS, refused } from '../limits.js';
import { matched, regexLength, regexText } from '../regex/emit.js';
import { parseRegex, type RegexNode } from '../regex/parse.js';
import { FORMATS } from './formats.js';
import { below, countOf, type Schema, textOf } from './model.js';

/** Characters a JSON string holds unescaped. */
const PLAIN = '[^"\\\\\\x00-\\x1F]';
const PLAIN_SET = complement([
  [0x00, 0x1f],
  [0x22, 0x22],
  [0x5c, 0x5c],
]);
const PRINTABLE: CharSet = [
  [0x20, 0x21],
  [0x23, 0x5b],
  [0x5d, 0x7e],
];
/** Most states a length may take in the grammar; stricter than asked for above it. */
const COUNTED = 512;

/** The rule for any string. Written so that its characters repeat in one rule, which is what keeps masks cheap. */
export function anyString(rules: Rules): string {
  const hex = rules.add('hex', '[0-9A-Fa-f]{3}');
  const pair = '[0-9A-Fa-f]{2}';
  // Halves of surrogate pairs are left out: they are no characters on their own.
  const escaped = rules.add('escape', `["\\\\/bfnrt] | "u" ([0-9A-CE-Fa-ce-f] ${hex} | [Dd] [0-7] ${pair})`);
  const body = `("\\"" | ${PLAIN} chars | "\\\\" ${escaped} chars) (=[ \\n\\t\\r]* [,}\\]:])`;
  rules.define('chars', body);
  return rules.add('string', '"\\"" chars');
}

export interface StringText {
  readonly text: string;
  /** Length bounds left to the guard. */
  readonly min?: number;
  readonly max?: number;
}

/** Narrows the one free repetition of a tree so that its length lies in bounds; undefined if that cannot be done. */
function clamp(tree: RegexNode, min: number, max: number | undefined): RegexNode | undefined {
  const { min: shortest, max: longest } = regexLength(tree);
  if (shortest >= min && (max === undefined || (longest !== undefined && longest <= max))) return tree;
  const items = tree.kind === 'sequence' ? [...tree.items] : [tree];
  const isFree = (item: RegexNode): boolean => {
    const length = regexLength(item);
    return length.min !== length.max;
  };
  const free = items.filter(isFree);
  const only = free[0];
  if (free.length !== 1 || only?.kind !== 'repeat' || only.item.kind !== 'set') return undefined;
  const fixed = items.reduce((sum, item) => sum + (item === only ? 0 : regexLength(item).min), 0);
  const low = Math.max(only.min, min - fixed);
  const high = max === undefined ? only.max : Math.min(only.max ?? Number.POSITIVE_INFINITY, max - fixed);
  if (high !== undefined && high < low) return undefined;
  const narrowed: RegexNode = { ...only, min: low, max: high };
  return { kind: 'sequence', items: items.map((item) => (item === only ? narrowed : item)) };
}

/**
 * What a string's pattern or format says, within its lengths; undefined where it has neither, `impossible` where
 * nothing matches.
 */
export function patternTree(schema: Schema, at: string): RegexNode | 'impossible' | undefined {
  const min = countOf(schema, 'minLength', at) ?? 0;
  const max = countOf(schema, 'maxLength', at);
  if (max !== undefined && max < min) return 'impossible';
  const pattern = textOf(schema, 'pattern', at);
  const format = FORMATS[textOf(schema, 'format', at) ?? ''];
  if (pattern === undefined && format === undefined) return undefined;
  const where = below(at, pattern === undefined ? 'format' : 'pattern');
  if (pattern !== undefined && format !== undefined)
    throw refused(where, 'it is not supported beside format');
  const tree = matched(parseRegex(pattern ?? format ?? '', where), pattern !== undefined, where);
  const clamped = clamp(tree, min, max);
  if (clamped === undefined) throw refused(where, 'it is not supported with these length bounds');
  return matched(clamped, false, where);
}

/**
 * A string schema. `usesGuard` false puts lengths into the grammar. Undefined when no string matches.
 */
export function stringText(
  schema: Schema,
  at: string,
  rules: Rules,
  usesGuard: boolean,
): StringText | undefined {
  const tree = patternTree(schema, at);
  if (tree === 'impossible') return undefined;
  if (tree !== undefined) {
    const where = below(at, 'pattern' in schema ? 'pattern' : 'format');
    const text = regexText(tree, 'json-string', where);
    return text === undefined ? undefined : { text: rules.add('text', `"\\"" ${text} "\\""`) };
  }
  const min = countOf(schema, 'minLength', at) ?? 0;
  const max = countOf(schema, 'maxLength', at);
  if (max === 0) return { text: literal('""') };
  if (min === 0 && max === undefined) return { text: anyString(rules) };
  if (usesGuard) return { text: anyString(rules), min, ...(max === undefined ? {} : { max }) };
  if (min > COUNTED) throw refused(below(at, 'minLength'), `more than ${COUNTED} is not supported here`);
  const high = max === undefined ? undefined : Math.min(max, COUNTED);
  return { text: rules.add('text', `"\\"" ${PLAIN}${times(min, high)} "\\""`) };
}

/** Names that are none of `taken`, as JSON strings: a walk along the tree of taken names that leaves it somewhere. */
export function anyNameBut(taken: readonly string[], rules: Rules): string {
  if (taken.length === 0) return anyString(rules);
  anyString(rules);
  if (taken.length > LIMITS.choices) throw refused('properties', 'there are too many');
  const rest = (names: readonly string[]): string => {
    const next = new Map<string, string[]>();
    let isTaken = false;
    for (const name of names) {
      const [first, ...others] = [...name];
      if (first === undefined) isTaken = true;
      // Escapes are not offered on the way, so a name that needs one cannot be spelled beyond it.
      else if (first < ' ' || first === '"' || first === '\\') continue;
      else next.set(first, [...(next.get(first) ?? []), others.join('')]);
    }
    const known = [...next.keys()];
    const taken = charSet(known.map((char) => [char.codePointAt(0) ?? 0, char.codePointAt(0) ?? 0]));
    // Characters beyond ASCII cannot be left out one by one, so names that start a taken one leave them all out.
    const isAscii = taken.every(([, to]) => to < 0x80);
    const others = setText(subtract(isAscii ? PLAIN_SET : PRINTABLE, taken));
    const alternatives = [
      ...(isTaken ? [] : ['"\\""']),
      ...known.map((char) => `${literal(char)} ${rest(next.get(char) ?? [])}`),
      ...(others === undefined ? [] : [`${others} chars`]),
    ];
    return rules.add('name', alternatives.join(' | '));
  };
  return rules.add('key', `"\\"" ${rest(taken)}`);
}
