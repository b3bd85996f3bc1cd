// A regular expression's tree as grammar text, either for raw output or for the inside of a JSON string, where
// quotes, backslashes and control characters are written as escapes.

import {
  anyOf,
  type CharSet,
  complement,
  contains,
  literal,
  setText,
  sizeOf,
  subtract,
  times,
} from '../ebnf.js';
import { LIMITS, refused } from '../limits.js';
import type { RegexNode } from './parse.js';

/** Where the text stands. */
export type RegexContext = 'raw' | 'json-string';

const ANYTHING: RegexNode = {
  kind: 'repeat',
  item: { kind: 'set', set: complement([]) },
  min: 0,
  max: undefined,
};
const EMPTY: RegexNode = { kind: 'sequence', items: [] };

/** Characters JSON strings must escape. */
const ESCAPED: CharSet = [
  [0x00, 0x1f],
  [0x22, 0x22],
  [0x5c, 0x5c],
];
/** Those that have a short escape, as the text behind the backslash. */
const SHORT: readonly (readonly [codePoint: number, text: string])[] = [
  [0x22, '"'],
  [0x5c, '\\'],
  [0x08, 'b'],
  [0x0c, 'f'],
  [0x0a, 'n'],
  [0x0d, 'r'],
  [0x09, 't'],
];

/** Characters from which on a set counts as wide. */
const WIDE = 256;

function classOf(set: CharSet, where: string): string {
  const text = setText(set);
  if (text !== undefined) return text;
  throw refused(
    where,
    'a class may hold all characters beyond ASCII, or up to 512 of them, but not a part as large as here',
  );
}

function emitSet(set: CharSet, context: RegexContext, where: string): string | undefined {
  if (context === 'raw') return set.length === 0 ? undefined : classOf(set, where);
  const plain = subtract(set, ESCAPED);
  // A wide set (`.`, `[^x]`) leaves the escapes out: with them every repetition of it becomes slow to match.
  if (sizeOf(plain) > WIDE) return classOf(plain, where);
  const escapes = SHORT.filter(([codePoint]) => contains(set, codePoint)).map(([, text]) =>
    literal(`\\${text}`),
  );
  return anyOf([plain.length === 0 ? undefined : classOf(plain, where), ...escapes]);
}

function emit(node: RegexNode, context: RegexContext, where: string): string | undefined {
  switch (node.kind) {
    case 'set':
      return emitSet(node.set, context, where);
    case 'sequence': {
      const items = joinLiterals(node.items).map((item) =>
        typeof item === 'string' ? literalIn(item, context) : emit(item, context, where),
      );
      if (items.some((item) => item === undefined)) return undefined;
      return items.length === 0 ? literal('') : items.join(' ');
    }
    case 'choice':
      return anyOf(node.items.map((item) => emit(item, context, where)));
    case 'repeat': {
      const item = emit(node.item, context, where);
      if (item === undefined) return node.min === 0 ? literal('') : undefined;
      if (node.max === 0) return literal('');
      return `${node.item.kind === 'set' ? item : `(${item})`}${times(node.min, node.max)}`;
    }
    case 'anchor':
      return literal('');
  }
}

/** Runs of single characters as texts. */
function joinLiterals(items: readonly RegexNode[]): readonly (RegexNode | string)[] {
  const joined: (RegexNode | string)[] = [];
  for (const item of items) {
    const only = item.kind === 'set' && sizeOf(item.set) === 1 ? item.set[0]?.[0] : undefined;
    const last = joined.at(-1);
    if (only === undefined) joined.push(item);
    else if (typeof last === 'string') joined[joined.length - 1] = last + String.fromCodePoint(only);
    else joined.push(String.fromCodePoint(only));
  }
  return joined;
}

function literalIn(text: string, context: RegexContext): string {
  return literal(context === 'raw' ? text : JSON.stringify(text).slice(1, -1));
}

/** Shortest and longest text in characters; `max` undefined = unbounded. */
export function regexLength(node: RegexNode): { readonly min: number; readonly max: number | undefined } {
  switch (node.kind) {
    case 'set':
      return { min: 1, max: 1 };
    case 'anchor':
      return { min: 0, max: 0 };
    case 'sequence':
      return node.items.map(regexLength).reduce(
        (sum, item) => ({
          min: sum.min + item.min,
          max: sum.max === undefined || item.max === undefined ? undefined : sum.max + item.max,
        }),
        { min: 0, max: 0 },
      );
    case 'choice': {
      const items = node.items.map(regexLength);
      const isBounded = items.every((item) => item.max !== undefined);
      return {
        min: Math.min(...items.map((item) => item.min)),
        max: isBounded ? Math.max(...items.map((item) => item.max ?? 0)) : undefined,
      };
    }
    case 'repeat': {
      const item = regexLength(node.item);
      const max = node.max === 0 || item.max === 0 ? 0 : undefined;
      return {
        min: item.min * node.min,
        max: node.max === undefined || item.max === undefined ? max : item.max * node.max,
      };
    }
  }
}

/** States the expression unfolds to: nested bounded repetitions multiply. */
function unfolded(node: RegexNode): number {
  switch (node.kind) {
    case 'set':
    case 'anchor':
      return 1;
    case 'sequence':
    case 'choice':
      return node.items.reduce((sum, item) => sum + unfolded(item), 1);
    case 'repeat':
      return unfolded(node.item) * Math.max(1, node.max ?? node.min);
  }
}

/**
 * Takes the anchors off the ends. `search` adds what a missing anchor allows (JSON schema's `pattern`); otherwise
 * anchors at the ends change nothing. An anchor elsewhere cannot be expressed.
 */
function unanchor(node: RegexNode, search: boolean, where: string): RegexNode {
  if (node.kind === 'choice') {
    return { kind: 'choice', items: node.items.map((item) => unanchor(item, search, where)) };
  }
  const items = node.kind === 'sequence' ? [...node.items] : [node];
  const first = items[0];
  const hasStart = first?.kind === 'anchor' && first.at === 'start';
  if (hasStart) items.shift();
  const last = items.at(-1);
  const hasEnd = last?.kind === 'anchor' && last.at === 'end';
  if (hasEnd) items.pop();
  for (const item of items) refuseAnchors(item, where);
  if (search && !hasStart) items.unshift(ANYTHING);
  if (search && !hasEnd) items.push(ANYTHING);
  return items.length === 1 ? (items[0] ?? EMPTY) : { kind: 'sequence', items };
}

function refuseAnchors(node: RegexNode, where: string): void {
  switch (node.kind) {
    case 'set':
      return;
    case 'anchor':
      throw refused(where, `an anchor in the middle, at position ${node.position}, is not supported`);
    case 'repeat':
      refuseAnchors(node.item, where);
      return;
    default:
      for (const item of node.items) refuseAnchors(item, where);
  }
}

/** The tree as it is matched: the whole output (`search` false), or somewhere in it (`search` true). */
export function matched(node: RegexNode, search: boolean, where: string): RegexNode {
  const tree = unanchor(node, search, where);
  if (unfolded(tree) > LIMITS.repetition) {
    throw refused(
      where,
      `the repetitions of the regular expression unfold to more than ${LIMITS.repetition} states`,
    );
  }
  return tree;
}

/** Grammar text for a matched tree; undefined when no text matches. */
export function regexText(tree: RegexNode, context: RegexContext, where: string): string | undefined {
  return emit(tree, context, where);
}
