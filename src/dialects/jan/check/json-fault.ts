// Finds where a text stops being JSON, for the place and the words of a refusal. Used only on texts that the parser
// has refused already; keeps its own stack, so that no depth of nesting can exhaust the call stack.

/** Where the fault is, in characters (code points), and what was expected there. */
export interface JsonFault {
  readonly offset: number;
  readonly error: string;
}

/** What may come next. */
type Expected = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma-or-end' | 'nothing';

const SPACE = /[ \t\n\r]*/y;
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids exactly these inside a string
const STRING_PART = /(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y;

/** The first fault of a text; undefined when there is none. */
export function findJsonFault(text: string): JsonFault | undefined {
  const reader = new Scan(text);
  const found = reader.run();
  return found && { offset: codePoints(text.slice(0, found.at)), error: found.error };
}

class Scan {
  readonly #text: string;
  /** Closing brackets that are still to come. */
  readonly #open: ('}' | ']')[] = [];
  #at = 0;
  #expected: Expected = 'value';

  constructor(text: string) {
    this.#text = text;
  }

  run(): { at: number; error: string } | undefined {
    for (;;) {
      this.#skip(SPACE);
      if (this.#at >= this.#text.length && this.#expected === 'nothing') return undefined;
      const error = this.#step(this.#text[this.#at]);
      if (error !== undefined) return { at: this.#at, error };
    }
  }

  /** Reads one piece; returns what is wrong with it. */
  #step(character: string | undefined): string | undefined {
    switch (this.#expected) {
      case 'nothing':
        return 'Extra data';
      case 'colon':
        if (character !== ':') return "Expecting ':' delimiter";
        return this.#pass('value');
      case 'comma-or-end':
        if (character === this.#open.at(-1)) return this.#close();
        if (character !== ',') return "Expecting ',' delimiter";
        return this.#pass(this.#open.at(-1) === '}' ? 'key' : 'value');
      case 'key':
      case 'key-or-end':
        if (character === '}' && this.#expected === 'key-or-end') return this.#close();
        if (character !== '"') return 'Expecting property name enclosed in double quotes';
        return this.#string('colon');
      case 'value-or-end':
      case 'value':
        return this.#value(character);
    }
  }

  #value(character: string | undefined): string | undefined {
    if (character === ']' && this.#expected === 'value-or-end') return this.#close();
    if (character === '{' || character === '[') {
      this.#open.push(character === '{' ? '}' : ']');
      return this.#pass(character === '{' ? 'key-or-end' : 'value-or-end');
    }
    if (character === '"') return this.#string(this.#afterValue());
    const from = this.#at;
    this.#skip(SCALAR);
    if (this.#at === from) return 'Expecting value';
    this.#expected = this.#afterValue();
    return undefined;
  }

  #string(next: Expected): string | undefined {
    const from = this.#at;
    this.#at += 1;
    this.#skip(STRING_PART);
    const end = this.#text[this.#at];
    if (end === '"') return this.#pass(next);
    if (end === undefined) {
      this.#at = from;
      return 'Unterminated string';
    }
    return end === '\\' ? 'Invalid escape' : 'Invalid control character';
  }

  #close(): undefined {
    this.#open.pop();
    return this.#pass(this.#afterValue());
  }

  #pass(next: Expected): undefined {
    this.#at += 1;
    this.#expected = next;
  }

  #afterValue(): Expected {
    return this.#open.length === 0 ? 'nothing' : 'comma-or-end';
  }

  #skip(pattern: RegExp): void {
    pattern.lastIndex = this.#at;
    this.#at += pattern.exec(this.#text)?.[0].length ?? 0;
  }
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
