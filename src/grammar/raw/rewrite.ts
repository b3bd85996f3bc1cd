// A client's grammar in the form XGrammar reads right and fast: no rule that matches the empty text (see Rules),
// and repeated alternatives as one rule that calls itself, whose masks are cheap.

import { anyOf, literal, setText, times } from '../ebnf.js';
import { refused } from '../limits.js';
import { leastSet } from './least-set.js';
import type { GrammarNode } from './parse.js';

const EMPTY: GrammarNode = { kind: 'sequence', items: [] };

export class Rewriter {
  private readonly nullable: ReadonlySet<string>;
  /** Rules that can be something else than empty. */
  private readonly texts: ReadonlySet<string>;
  private readonly names = new Map<string, string>();
  private readonly lines: string[] = [];
  private loops = 0;
  private made = 0;
  /** Set when a part cannot be expressed here, though the grammar is sound. */
  unsupported: string | undefined;

  constructor(private readonly rules: ReadonlyMap<string, GrammarNode>) {
    for (const [index, name] of [...rules.keys()].entries()) this.names.set(name, `g${index}`);
    this.nullable = leastSet(rules, (node, found) => this.isNullable(node, found));
    this.texts = leastSet(rules, hasText);
  }

  /** The whole grammar as text. */
  text(): string {
    for (const [name, node] of this.rules) {
      const body = this.nullable.has(name) ? this.without(node) : node;
      const text = body === undefined ? undefined : this.emit(body);
      if (text !== undefined) this.lines.push(`${this.names.get(name)} ::= ${text}`);
    }
    const start = this.emit({ kind: 'rule', name: 'root', at: 0 });
    if (start === undefined || start === '""')
      throw refused('grammar', 'no text but the empty one can match it');
    return `root ::= ${start}\n${this.lines.join('\n')}\n`;
  }

  private isNullable(node: GrammarNode, nullable = this.nullable): boolean {
    switch (node.kind) {
      case 'text':
        return node.text === '';
      case 'set':
        return false;
      case 'rule':
        return nullable.has(node.name);
      case 'sequence':
        return node.items.every((item) => this.isNullable(item, nullable));
      case 'choice':
        return node.items.some((item) => this.isNullable(item, nullable));
      case 'repeat':
        return node.min === 0 || this.isNullable(node.item, nullable);
    }
  }

  /** The same texts but the empty one; undefined when that was the only one. */
  private without(node: GrammarNode): GrammarNode | undefined {
    if (!this.isNullable(node)) return node;
    switch (node.kind) {
      case 'text':
      case 'set':
        return undefined;
      case 'rule':
        // Its own rule is already without.
        return this.isOnlyEmpty(node.name) ? undefined : node;
      case 'choice': {
        const items = node.items.map((item) => this.bare(item)).filter((item) => item !== undefined);
        return items.length === 0 ? undefined : { kind: 'choice', items };
      }
      case 'repeat': {
        const item = this.bare(node.item);
        return item === undefined || node.max === 0 ? undefined : { ...node, item, min: 1 };
      }
      case 'sequence': {
        // Every part may be empty: the first one that is not decides.
        this.made += node.items.length ** 2;
        if (this.made > MAX_MADE) throw refused('grammar', 'too many parts in a row may be left out');
        const items = node.items.flatMap((item, index) => {
          const first = this.bare(item);
          return first === undefined
            ? []
            : [{ kind: 'sequence', items: [first, ...node.items.slice(index + 1)] } as const];
        });
        return items.length === 0 ? undefined : { kind: 'choice', items };
      }
    }
  }

  /** Whether a rule that can be empty can be nothing else. */
  private isOnlyEmpty(name: string): boolean {
    return !this.texts.has(name);
  }

  /** `without`, with a reference to an emptiable rule marked as one that is not to be made optional again. */
  private bare(node: GrammarNode): GrammarNode | undefined {
    const rest = this.without(node);
    return rest?.kind === 'rule' && this.nullable.has(rest.name) ? { ...rest, at: BARE } : rest;
  }

  private emit(node: GrammarNode): string | undefined {
    switch (node.kind) {
      case 'text':
        return literal(node.text);
      case 'set': {
        const text = setText(node.set);
        if (text === undefined)
          this.unsupported ??= 'a class holds a large part of the characters beyond ASCII';
        return text ?? literal('');
      }
      case 'rule': {
        const name = this.names.get(node.name) ?? '';
        if (!this.nullable.has(node.name) || node.at === BARE) return name;
        return this.isOnlyEmpty(node.name) ? literal('') : `(${name})?`;
      }
      case 'sequence': {
        const items = node.items.map((item) => this.emit(item)).filter((item) => item !== '""');
        return items.length === 0 ? literal('') : items.join(' ');
      }
      case 'choice':
        return anyOf(node.items.map((item) => this.emit(item)));
      case 'repeat':
        return this.repeated(node);
    }
  }

  private repeated(node: GrammarNode & { kind: 'repeat' }): string | undefined {
    const isEmptiable = this.isNullable(node.item);
    const item = isEmptiable ? this.bare(node.item) : node.item;
    if (item === undefined || node.max === 0) return literal('');
    const min = isEmptiable ? 0 : node.min;
    if (node.max === undefined && min <= 1 && item.kind === 'choice') {
      const loop = this.loop(item.items);
      return min === 0 ? `(${loop})?` : loop;
    }
    const text = this.emit(item);
    return `${item.kind === 'set' ? text : `(${text})`}${times(min, node.max)}`;
  }

  /** One or more of these alternatives, as a rule that goes on with itself. */
  private loop(alternatives: readonly GrammarNode[]): string {
    this.loops += 1;
    const name = `loop${this.loops}`;
    const texts = alternatives.map((item) =>
      this.emit(this.isNullable(item) ? (this.bare(item) ?? EMPTY) : item),
    );
    const going = texts.map((text) => `${text} ${name}`);
    this.lines.push(`${name} ::= ${[...going, ...texts].join(' | ')}`);
    return name;
  }
}

/** Parts that may arise where all of a sequence may be left out: each of them may be the first that is not. */
const MAX_MADE = 1_000_000;
/** Position given to references that stand for their rule without the empty text. */
const BARE = -1;

/** Whether a part can be something else than empty, given the rules that can. */
function hasText(node: GrammarNode, found: ReadonlySet<string>): boolean {
  switch (node.kind) {
    case 'text':
      return node.text !== '';
    case 'set':
      return true;
    case 'rule':
      return found.has(node.name);
    case 'sequence':
    case 'choice':
      return node.items.some((item) => hasText(item, found));
    case 'repeat':
      return node.max !== 0 && hasText(node.item, found);
  }
}
