// A one-line grammar for wordings: [a|b|] picks one alternative (nesting allowed), {name} is a slot to fill.
// Wordings are compiled once, where they are declared, because the generator says millions of them.
import type { Random } from './random.js';

type Node = string | { readonly slot: string } | { readonly choices: readonly Phrase[] };

/** A compiled wording. */
export type Phrase = readonly Node[];

/** Values for a wording's slots. */
export type Slots = Readonly<Record<string, string | number>>;

/** Compiles wordings written one per line; blank lines are skipped. */
export function phrases(text: string): readonly Phrase[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map(phrase);
}

/** Compiles a single wording. */
export function phrase(text: string): Phrase {
  const { nodes, end } = parse(text, 0, false);
  if (end !== text.length) throw new Error(`unbalanced bracket in wording: ${text}`);
  return nodes;
}

/** Says one of the wordings with its slots filled. */
export function say(random: Random, wordings: readonly Phrase[], slots: Slots = {}): string {
  return write(random, random.pick(wordings), slots);
}

function write(random: Random, nodes: Phrase, slots: Slots): string {
  let text = '';
  for (const node of nodes) {
    if (typeof node === 'string') text += node;
    else if ('choices' in node) text += write(random, random.pick(node.choices), slots);
    else {
      const value = slots[node.slot];
      if (value === undefined) throw new Error(`no value for slot {${node.slot}}`);
      text += String(value);
    }
  }
  return text;
}

function parse(text: string, start: number, nested: boolean): { nodes: Phrase; end: number } {
  const nodes: Node[] = [];
  let at = start;
  let plain = '';
  const flush = (): void => {
    if (plain !== '') nodes.push(plain);
    plain = '';
  };
  while (at < text.length) {
    const char = text[at];
    if (nested && (char === '|' || char === ']')) break;
    if (char === '[') {
      flush();
      const group = parseChoices(text, at + 1);
      nodes.push({ choices: group.choices });
      at = group.end;
    } else if (char === '{') {
      flush();
      const close = text.indexOf('}', at);
      nodes.push({ slot: text.slice(at + 1, close) });
      at = close + 1;
    } else {
      plain += char;
      at += 1;
    }
  }
  flush();
  return { nodes, end: at };
}

function parseChoices(text: string, start: number): { choices: Phrase[]; end: number } {
  const choices: Phrase[] = [];
  let at = start;
  for (;;) {
    const part = parse(text, at, true);
    choices.push(part.nodes);
    if (text[part.end] === ']') return { choices, end: part.end + 1 };
    if (text[part.end] !== '|') throw new Error(`unclosed bracket in wording: ${text}`);
    at = part.end + 1;
  }
}
