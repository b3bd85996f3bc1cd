// Regular expressions as a tree: the part of ECMAScript's syntax that a grammar can express. What it cannot
// (look-around, back-references, word boundaries) is refused with its position.

import { type CharSet, charSet, complement } from '../ebnf.js';
import { LIMITS, refused } from '../limits.js';

export type RegexNode =
  | { readonly kind: 'set'; readonly set: CharSet }
  | { readonly kind: 'sequence'; readonly items: readonly RegexNode[] }
  | { readonly kind: 'choice'; readonly items: readonly RegexNode[] }
  | {
      readonly kind: 'repeat';
      readonly item: RegexNode;
      readonly min: number;
      /** Undefined = no upper bound. */
      readonly max: number | undefined;
    }
  | { readonly kind: 'anchor'; readonly at: 'start' | 'end'; readonly position: number };

const DIGIT: CharSet = [[0x30, 0x39]];
const WORD: CharSet = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];
const SPACE: CharSet = charSet([
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
]);
const LINE_ENDS: CharSet = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
];
const CLASSES: Readonly<Record<string, CharSet>> = {
  d: DIGIT,
  D: complement(DIGIT),
  w: WORD,
  W: complement(WORD),
  s: SPACE,
  S: complement(SPACE),
};
const CONTROLS: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, f: 12, v: 11, '0': 0 };
const MAX_DEPTH = 100;

class Parser {
  private at = 0;
  private depth = 0;
  private readonly chars: readonly string[];

  constructor(
    pattern: string,
    private readonly where: string,
  ) {
    this.chars = [...pattern];
  }

  whole(): RegexNode {
    const node = this.choice();
    if (this.at < this.chars.length) throw this.fail(`unexpected "${this.chars[this.at]}"`);
    return node;
  }

  private fail(why: string, at = this.at): Error {
    return refused(this.where, `${why} at position ${at} of the regular expression`);
  }

  private peek(text: string): boolean {
    return [...text].every((char, index) => this.chars[this.at + index] === char);
  }

  private accept(text: string): boolean {
    if (!this.peek(text)) return false;
    this.at += text.length;
    return true;
  }

  private choice(): RegexNode {
    this.depth += 1;
    if (this.depth > MAX_DEPTH) throw this.fail('too many nested groups');
    const items = [this.sequence()];
    while (this.accept('|')) items.push(this.sequence());
    this.depth -= 1;
    return items.length === 1 ? (items[0] as RegexNode) : { kind: 'choice', items };
  }

  private sequence(): RegexNode {
    const items: RegexNode[] = [];
    while (this.at < this.chars.length && !this.peek('|') && !this.peek(')')) items.push(this.repeat());
    return items.length === 1 ? (items[0] as RegexNode) : { kind: 'sequence', items };
  }

  private repeat(): RegexNode {
    const start = this.at;
    const item = this.atom();
    const bounds = this.bounds();
    if (bounds === undefined) return item;
    if (item.kind === 'anchor') throw this.fail('nothing to repeat', start);
    this.accept('?');
    if (this.peek('+') || this.peek('*') || this.peek('?')) throw this.fail('a repetition of a repetition');
    return { kind: 'repeat', item, ...bounds };
  }

  private bounds(): { min: number; max: number | undefined } | undefined {
    if (this.accept('*')) return { min: 0, max: undefined };
    if (this.accept('+')) return { min: 1, max: undefined };
    if (this.accept('?')) return { min: 0, max: 1 };
    const match = /^\{(\d{1,9})(?:(,)(\d{0,9}))?\}/.exec(this.chars.slice(this.at, this.at + 24).join(''));
    if (match === null) return undefined;
    const min = Number(match[1]);
    const max = match[2] === undefined ? min : match[3] ? Number(match[3]) : undefined;
    if (max !== undefined && max < min) throw this.fail('the numbers of a repetition are out of order');
    this.at += match[0].length;
    return { min, max };
  }

  private atom(): RegexNode {
    const start = this.at;
    const char = this.chars[this.at] ?? '';
    if (char === '(') return this.group();
    if (char === '[') return { kind: 'set', set: this.classSet() };
    this.at += 1;
    if (char === '.') return { kind: 'set', set: complement(LINE_ENDS) };
    if (char === '^') return { kind: 'anchor', at: 'start', position: start };
    if (char === '$') return { kind: 'anchor', at: 'end', position: start };
    if (char === '\\') return { kind: 'set', set: this.escape(false) };
    if ('*+?'.includes(char)) throw this.fail('nothing to repeat', start);
    return { kind: 'set', set: single(char) };
  }

  private group(): RegexNode {
    const start = this.at;
    this.at += 1;
    if (this.accept('?')) {
      if (this.peek('=') || this.peek('!') || this.peek('<=') || this.peek('<!')) {
        throw this.fail('look-around is not supported', start);
      }
      const name = /^(:|P?<[A-Za-z_]\w*>)/.exec(this.chars.slice(this.at, this.at + 64).join(''));
      if (name === null) throw this.fail('this kind of group is not supported', start);
      this.at += name[0].length;
    }
    const node = this.choice();
    if (!this.accept(')')) throw this.fail('a group is not closed', start);
    return node;
  }

  private classSet(): CharSet {
    const start = this.at;
    this.at += 1;
    const isNegated = this.accept('^');
    const ranges: (readonly [number, number])[] = [];
    while (!this.accept(']')) {
      if (this.at >= this.chars.length) throw this.fail('a character class is not closed', start);
      const from = this.classItem();
      const only = from.length === 1 && from[0]?.[0] === from[0]?.[1] ? from[0] : undefined;
      if (only === undefined || !this.peek('-') || this.chars[this.at + 1] === ']') {
        ranges.push(...from);
        continue;
      }
      this.at += 1;
      const to = this.classItem();
      const last = to.length === 1 && to[0]?.[0] === to[0]?.[1] ? to[0] : undefined;
      if (last === undefined || last[0] < only[0]) throw this.fail('a range of characters is out of order');
      ranges.push([only[0], last[0]]);
    }
    const set = isNegated ? complement(charSet(ranges)) : charSet(ranges);
    if (set.length === 0) throw this.fail('a character class is empty', start);
    return set;
  }

  private classItem(): CharSet {
    const char = this.chars[this.at] ?? '';
    this.at += 1;
    return char === '\\' ? this.escape(true) : single(char);
  }

  private escape(inClass: boolean): CharSet {
    const start = this.at - 1;
    const char = this.chars[this.at];
    if (char === undefined) throw this.fail('nothing follows the backslash', start);
    this.at += 1;
    const set = CLASSES[char];
    if (set !== undefined) return set;
    if (inClass && char === 'b') return [[8, 8]];
    const control = CONTROLS[char];
    if (control !== undefined) return [[control, control]];
    if ('bB'.includes(char)) throw this.fail('word boundaries are not supported', start);
    if ('pP'.includes(char)) throw this.fail('Unicode properties are not supported', start);
    if (/[1-9k]/.test(char)) throw this.fail('back-references are not supported', start);
    if (char === 'x' || char === 'u') return this.hex(char, start);
    if (/[A-Za-z]/.test(char)) throw this.fail(`the escape \\${char} is not supported`, start);
    return single(char);
  }

  private hex(kind: string, start: number): CharSet {
    const rest = this.chars.slice(this.at, this.at + 12).join('');
    const match =
      /^\{([0-9A-Fa-f]{1,6})\}/.exec(rest) ??
      (kind === 'x' ? /^([0-9A-Fa-f]{2})/ : /^([0-9A-Fa-f]{4})/).exec(rest);
    const codePoint = Number.parseInt(match?.[1] ?? '', 16);
    if (match === null || codePoint > 0x10ffff || (codePoint >= 0xd800 && codePoint <= 0xdfff)) {
      throw this.fail(`the escape \\${kind} names no character`, start);
    }
    this.at += match[0].length;
    return [[codePoint, codePoint]];
  }
}

function single(char: string): CharSet {
  const codePoint = char.codePointAt(0) ?? 0;
  return [[codePoint, codePoint]];
}

/** Parses a pattern. Throws `constraint`, beginning with `where` and naming the position of the fault. */
export function parseRegex(pattern: string, where: string): RegexNode {
  if (pattern.length > LIMITS.regexLength) {
    throw refused(where, `the regular expression is longer than ${LIMITS.regexLength} characters`);
  }
  return new Parser(pattern, where).whole();
}
