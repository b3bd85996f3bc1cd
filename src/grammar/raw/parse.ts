// Clients' own grammars (GBNF as llama.cpp reads it, EBNF as XGrammar does) as a tree, with faults named by line
// and column. New lines do not end a rule: the next `name ::=` does.

import { type CharSet, charSet, complement } from '../ebnf.js';
import { refused } from '../limits.js';

export type GrammarNode =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'set'; readonly set: CharSet }
  | { readonly kind: 'rule'; readonly name: string; readonly at: number }
  | { readonly kind: 'sequence'; readonly items: readonly GrammarNode[] }
  | { readonly kind: 'choice'; readonly items: readonly GrammarNode[] }
  | {
      readonly kind: 'repeat';
      readonly item: GrammarNode;
      readonly min: number;
      /** Undefined = no upper bound. */
      readonly max: number | undefined;
    };

const NAME = /[A-Za-z_][A-Za-z0-9_.-]*/y;
const RULE = /([A-Za-z_][A-Za-z0-9_.-]*)\s*::=/y;
const SPACE = /(?:\s|#[^\n]*)*/y;
const BOUNDS = /\{\s*(\d{1,9})\s*(?:(,)\s*(\d{0,9})\s*)?\}/y;
const ESCAPE = /\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([\s\S]))/y;
const CONTROLS: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  '0': '\0',
  f: '\f',
  v: '\v',
  b: '\b',
};
const MAX_DEPTH = 100;

class Parser {
  private at = 0;
  private depth = 0;
  readonly rules = new Map<string, GrammarNode>();

  constructor(private readonly text: string) {
    this.skip(SPACE);
    while (this.at < text.length) this.rule();
    for (const node of this.rules.values()) this.checkNames(node);
  }

  fail(why: string, at = this.at): Error {
    const before = this.text.slice(0, at).split('\n');
    const column = (before.at(-1)?.length ?? 0) + 1;
    return refused('grammar', `line ${before.length}, column ${column}: ${why}`);
  }

  private take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text);
    if (match === null) return undefined;
    this.at += match[0].length;
    return match;
  }

  private skip(pattern: RegExp): void {
    this.take(pattern);
  }

  private accept(text: string): boolean {
    if (!this.text.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  private rule(): void {
    const start = this.at;
    const name = this.take(RULE)?.[1];
    if (name === undefined) throw this.fail('a rule is expected here (name ::= ...)');
    if (this.rules.has(name)) throw this.fail(`the rule ${name} is defined twice`, start);
    this.skip(SPACE);
    this.rules.set(name, this.choice());
  }

  private choice(): GrammarNode {
    this.depth += 1;
    if (this.depth > MAX_DEPTH) throw this.fail('too many nested groups');
    const items = [this.sequence()];
    while (this.accept('|')) {
      this.skip(SPACE);
      items.push(this.sequence());
    }
    this.depth -= 1;
    return items.length === 1 ? (items[0] as GrammarNode) : { kind: 'choice', items };
  }

  private sequence(): GrammarNode {
    const items: GrammarNode[] = [];
    while (this.at < this.text.length && this.text[this.at] !== '|' && this.text[this.at] !== ')') {
      RULE.lastIndex = this.at;
      if (RULE.test(this.text)) break;
      const item = this.repeat();
      if (item !== undefined) items.push(item);
      this.skip(SPACE);
    }
    return items.length === 1 ? (items[0] as GrammarNode) : { kind: 'sequence', items };
  }

  private repeat(): GrammarNode | undefined {
    let item = this.atom();
    for (;;) {
      this.skip(SPACE);
      const bounds = this.bounds();
      if (bounds === undefined) return item;
      if (item === undefined) throw this.fail('nothing to repeat');
      item = { kind: 'repeat', item, ...bounds };
    }
  }

  private bounds(): { min: number; max: number | undefined } | undefined {
    if (this.accept('*')) return { min: 0, max: undefined };
    if (this.accept('+')) return { min: 1, max: undefined };
    if (this.accept('?')) return { min: 0, max: 1 };
    if (this.text[this.at] !== '{') return undefined;
    const start = this.at;
    const match = this.take(BOUNDS);
    if (match === undefined) throw this.fail('a repetition is {n}, {n,} or {n,m}');
    const min = Number(match[1]);
    const max = match[2] === undefined ? min : match[3] ? Number(match[3]) : undefined;
    if (max !== undefined && max < min)
      throw this.fail('the numbers of a repetition are out of order', start);
    return { min, max };
  }

  private atom(): GrammarNode | undefined {
    const start = this.at;
    if (this.accept('"')) return { kind: 'text', text: this.literal(start) };
    if (this.accept('[')) return { kind: 'set', set: this.set(start) };
    if (this.accept('.')) return { kind: 'set', set: complement([]) };
    if (this.accept('(=')) {
      // XGrammar's look-ahead is a hint for speed and says nothing of the language.
      this.group(start);
      return undefined;
    }
    if (this.accept('(')) return this.group(start);
    const name = this.take(NAME)?.[0];
    if (name === undefined) throw this.fail(`unexpected "${this.text[start]}"`);
    return { kind: 'rule', name, at: start };
  }

  private group(start: number): GrammarNode {
    this.skip(SPACE);
    const node = this.choice();
    if (!this.accept(')')) throw this.fail('a group is not closed', start);
    return node;
  }

  private char(): number {
    const start = this.at;
    if (this.text[this.at] !== '\\') {
      const codePoint = this.text.codePointAt(this.at) ?? 0;
      this.at += codePoint > 0xffff ? 2 : 1;
      return codePoint;
    }
    const match = this.take(ESCAPE);
    const hex = match?.[1] ?? match?.[2] ?? match?.[3];
    const codePoint = hex === undefined ? undefined : Number.parseInt(hex, 16);
    if (codePoint !== undefined && (codePoint > 0x10ffff || (codePoint >= 0xd800 && codePoint <= 0xdfff))) {
      throw this.fail('the escape names no character', start);
    }
    const plain = match?.[4] ?? '';
    return codePoint ?? (CONTROLS[plain] ?? plain).codePointAt(0) ?? 0;
  }

  private literal(start: number): string {
    let text = '';
    while (!this.accept('"')) {
      if (this.at >= this.text.length) throw this.fail('a text is not closed', start);
      text += String.fromCodePoint(this.char());
    }
    return text;
  }

  private set(start: number): CharSet {
    const isNegated = this.accept('^');
    const ranges: [number, number][] = [];
    while (!this.accept(']')) {
      if (this.at >= this.text.length) throw this.fail('a character class is not closed', start);
      const from = this.char();
      const isRange = this.text[this.at] === '-' && this.text[this.at + 1] !== ']';
      if (isRange) this.at += 1;
      const to = isRange ? this.char() : from;
      if (to < from) throw this.fail('a range of characters is out of order');
      ranges.push([from, to]);
    }
    const set = isNegated ? complement(charSet(ranges)) : charSet(ranges);
    if (set.length === 0) throw this.fail('a character class is empty', start);
    return set;
  }

  private checkNames(node: GrammarNode): void {
    if (node.kind === 'rule' && !this.rules.has(node.name)) {
      throw this.fail(`the rule ${node.name} is not defined`, node.at);
    }
    if (node.kind === 'repeat') this.checkNames(node.item);
    if (node.kind === 'sequence' || node.kind === 'choice')
      for (const item of node.items) this.checkNames(item);
  }
}

/** Parses a grammar. Throws `constraint` with line and column. */
export function parseGrammar(text: string): ReadonlyMap<string, GrammarNode> {
  const { rules } = new Parser(text);
  if (!rules.has('root')) throw refused('grammar', 'it has no rule named root (root ::= ...)');
  return rules;
}
