// Grammar text as XGrammar reads it: literals, character classes, and a collection of rules in which equal bodies
// share one name.

import { LIMITS, refused } from './limits.js';

/** Inclusive ranges of code points, ascending, without overlap. */
export type CharSet = readonly (readonly [from: number, to: number])[];

const MAX_CODE_POINT = 0x10ffff;
const SURROGATES: CharSet = [[0xd800, 0xdfff]];

/** Sorts and joins ranges. */
export function charSet(ranges: CharSet): CharSet {
  const sorted = [...ranges].sort((a, b) => a[0] - b[0]);
  const out: [number, number][] = [];
  for (const [from, to] of sorted) {
    const last = out.at(-1);
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else out.push([from, to]);
  }
  return out;
}

/** Every code point that is not in the set, surrogates left out: they do not exist in UTF-8. */
export function complement(set: CharSet): CharSet {
  const out: [number, number][] = [];
  let next = 0;
  for (const [from, to] of charSet([...set, ...SURROGATES])) {
    if (from > next) out.push([next, from - 1]);
    next = to + 1;
  }
  if (next <= MAX_CODE_POINT) out.push([next, MAX_CODE_POINT]);
  return out;
}

/** Code points of `set` that are not in `other`. */
export function subtract(set: CharSet, other: CharSet): CharSet {
  return complement([...complement(set), ...other]);
}

export function contains(set: CharSet, codePoint: number): boolean {
  return set.some(([from, to]) => codePoint >= from && codePoint <= to);
}

/** XGrammar's `\x` takes as many hex digits as follow, so the forms of fixed length are used. */
function classChar(codePoint: number): string {
  const char = String.fromCodePoint(codePoint);
  if (/[A-Za-z0-9 ]/.test(char)) return char;
  const hex = codePoint.toString(16);
  return codePoint <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

const FIRST_BEYOND_ASCII = 0x80;
/** Characters beyond ASCII up to which each is written as an alternative of its own. */
const MAX_LISTED = 512;
/** Beyond ASCII, only these may be missing from a set that is taken to hold everything there: white space. */
const NEGLIGIBLE: CharSet = [
  [0x80, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];

function ranges(set: CharSet): string {
  return set
    .map(([from, to]) => (from === to ? classChar(from) : `${classChar(from)}-${classChar(to)}`))
    .join('');
}

/** How many characters a set has. */
export function sizeOf(set: CharSet): number {
  return set.reduce((sum, [from, to]) => sum + to - from + 1, 0);
}

/**
 * One character of a set. XGrammar 0.1.27 reads classes right only within ASCII, and negated ones that leave out
 * nothing beyond it; so characters beyond are either all in, or listed. Undefined where neither is possible.
 */
export function setText(set: CharSet): string | undefined {
  const beyond = subtract(set, [[0, FIRST_BEYOND_ASCII - 1]]);
  const within = subtract(set, [[FIRST_BEYOND_ASCII, MAX_CODE_POINT]]);
  const missing = subtract([[FIRST_BEYOND_ASCII, MAX_CODE_POINT]], [...set, ...NEGLIGIBLE]);
  if (missing.length === 0) {
    const excluded = subtract([[0, FIRST_BEYOND_ASCII - 1]], within);
    // A class cannot be empty: the character 0 stands for nothing left out.
    return `[^${excluded.length === 0 ? '\\u0000' : ranges(excluded)}]`;
  }
  if (sizeOf(beyond) > MAX_LISTED) return undefined;
  const listed = beyond.flatMap(([from, to]) =>
    Array.from({ length: to - from + 1 }, (_, index) => literal(String.fromCodePoint(from + index))),
  );
  return anyOf([within.length === 0 ? undefined : `[${ranges(within)}]`, ...listed]);
}

/** A literal; the empty text is the empty literal. */
export function literal(text: string): string {
  let out = '"';
  for (const char of text) {
    const codePoint = char.codePointAt(0) ?? 0;
    if (char === '"' || char === '\\') out += `\\${char}`;
    else if (codePoint < 0x20 || codePoint === 0x7f) out += `\\u${codePoint.toString(16).padStart(4, '0')}`;
    else out += char;
  }
  return `${out}"`;
}

/** Alternatives as one expression; undefined when there is none, that is, when nothing matches. */
export function anyOf(alternatives: readonly (string | undefined)[]): string | undefined {
  const possible = [...new Set(alternatives.filter((text) => text !== undefined))];
  if (possible.length === 0) return undefined;
  return possible.length === 1 ? possible[0] : `(${possible.join(' | ')})`;
}

/** A repetition suffix: `{min,max}`, without upper bound when `max` is undefined. */
export function times(min: number, max: number | undefined): string {
  if (max === undefined) return min === 0 ? '*' : min === 1 ? '+' : `{${min},}`;
  if (min === 1 && max === 1) return '';
  return min === 0 && max === 1 ? '?' : `{${min},${max}}`;
}

/**
 * Rules under construction. No rule may match the empty text: XGrammar 0.1.27 accepts wrong input where such a rule
 * is referred to (`ws` in `item ws ("," ws item ws)*` lets the comma be left out). What may be empty is written
 * in place, as `(rule)?`; constraint.test.ts holds the case.
 */
export class Rules {
  private readonly bodies = new Map<string, string>();
  private readonly byBody = new Map<string, string>();
  private count = 0;

  /** A name for a rule whose body comes later (recursion). */
  reserve(hint: string): string {
    this.count += 1;
    if (this.count > LIMITS.rules) throw refused('schema', 'it is too large to be turned into a grammar');
    return `r_${hint.replace(/[^A-Za-z0-9]/g, '_').slice(0, 24)}_${this.count}`;
  }

  define(name: string, body: string): void {
    this.bodies.set(name, body);
  }

  /** A rule with this body; an equal one is used again. */
  add(hint: string, body: string): string {
    const known = this.byBody.get(body);
    if (known !== undefined) return known;
    const name = this.reserve(hint);
    this.byBody.set(body, name);
    this.bodies.set(name, body);
    return name;
  }

  /** The whole grammar, starting at `root`. */
  text(root: string): string {
    const lines = [`root ::= ${root}`];
    for (const [name, body] of this.bodies) lines.push(`${name} ::= ${body}`);
    return `${lines.join('\n')}\n`;
  }
}

/**
 * Any text up to a tag and the tag itself, as XGrammar follows it natively: written out, each character of the tag is a
 * state that costs a walk over the vocabulary at compile time (0.3 s for `</think>` at 150,000 tokens).
 */
export function textUpTo(rules: Rules, tag: string): string {
  return rules.add(
    'free',
    `TagDispatch(stop_eos=false, stop_str=(${literal(tag)}), loop_after_dispatch=false)`,
  );
}

/** Words of the grammar language that stand where names of rules do. */
const WORDS = new Set(['TagDispatch', 'stop_eos', 'stop_str', 'loop_after_dispatch', 'true', 'false']);

/** A rule's text in parts, of which those that begin like a name are one, or a word of the language. */
function partsOf(text: string): string[] {
  return text.match(/"(?:\\.|[^"\\])*"|\[(?:\\.|[^\]\\])*\]|[A-Za-z_][A-Za-z0-9_]*|./gs) ?? [];
}

/** Gives every rule of a grammar a name of its own, so that several can stand in one. */
export function prefixed(grammar: string, prefix: string): string {
  return grammar
    .split('\n')
    .map((line) =>
      partsOf(line)
        .map((part) => (/^[A-Za-z_]/.test(part) && !WORDS.has(part) ? prefix + part : part))
        .join(''),
    )
    .join('\n');
}

/** Stands in no grammar. */
const SELF = '@';

/**
 * The same grammar with one rule where several have the same body: each costs its states once more at compile time, and
 * what several grammars were joined into repeats strings, numbers and white space.
 */
export function withoutRepeats(grammar: string): string {
  let rules = grammar
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const at = line.indexOf(' ::= ');
      return { name: line.slice(0, at), parts: partsOf(line.slice(at + 5)) };
    });
  for (;;) {
    const byBody = new Map<string, string>();
    const renamed = new Map<string, string>();
    const kept = rules.filter(({ name, parts }) => {
      // A rule that goes on with itself is known by what stands around that.
      const body = parts.map((part) => (part === name ? SELF : part)).join('');
      const first = byBody.get(body);
      if (first === undefined) byBody.set(body, name);
      else renamed.set(name, first);
      return first === undefined;
    });
    if (renamed.size === 0) break;
    rules = kept.map(({ name, parts }) => ({ name, parts: parts.map((part) => renamed.get(part) ?? part) }));
  }
  return rules.map(({ name, parts }) => `${name} ::= ${parts.join('')}`).join('\n');
}
