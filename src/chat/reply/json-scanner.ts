// Reads one JSON value character by character and tells where it ends. Strict (RFC 8259), keeps nothing of what
// it read: streamed call arguments pass through it untouched.

/** What a character meant: inside the value, its last one, the first one behind it (numbers), or not JSON. */
export type Verdict = 'more' | 'end' | 'behind' | 'error';

type State =
  | 'value'
  | 'value-or-close'
  | 'key'
  | 'key-or-close'
  | 'colon'
  | 'comma-or-close'
  | 'string'
  | 'escape'
  | 'hex'
  | 'literal'
  | 'number';

const MAX_DEPTH = 256;
/** A number so far: each state's successors by character class (sign, zero, digit, point, exponent). */
const NUMBER: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  start: { '-': 'sign', '0': 'zero', d: 'int' },
  sign: { '0': 'zero', d: 'int' },
  zero: { '.': 'point', e: 'exp' },
  int: { '0': 'int', d: 'int', '.': 'point', e: 'exp' },
  point: { '0': 'frac', d: 'frac' },
  frac: { '0': 'frac', d: 'frac', e: 'exp' },
  exp: { '-': 'expsign', '+': 'expsign', '0': 'expint', d: 'expint' },
  expsign: { '0': 'expint', d: 'expint' },
  expint: { '0': 'expint', d: 'expint' },
};
const NUMBER_ENDS = new Set(['zero', 'int', 'frac', 'expint']);

function numberClass(char: string): string {
  if (char >= '1' && char <= '9') return 'd';
  return char === 'E' ? 'e' : char;
}

export function isJsonSpace(char: string): boolean {
  return char === ' ' || char === '\n' || char === '\r' || char === '\t';
}

export class JsonScanner {
  private state: State = 'value';
  private readonly open: ('{' | '[')[] = [];
  private isKey = false;
  private hexLeft = 0;
  private literalLeft = '';
  private number = 'start';

  /** Whether the next character belongs to a string. */
  get isInString(): boolean {
    return this.state === 'string' || this.state === 'escape' || this.state === 'hex';
  }

  /** Takes one UTF-16 unit. After `end`, `behind` or `error` the scanner is used up. */
  feed(char: string): Verdict {
    switch (this.state) {
      case 'string':
        return this.inString(char);
      case 'escape':
        return this.inEscape(char);
      case 'hex':
        if (!/[0-9a-fA-F]/.test(char)) return 'error';
        this.hexLeft -= 1;
        if (this.hexLeft === 0) this.state = 'string';
        return 'more';
      case 'number':
        return this.inNumber(char);
      case 'literal':
        if (char !== this.literalLeft[0]) return 'error';
        this.literalLeft = this.literalLeft.slice(1);
        return this.literalLeft === '' ? this.valueEnds() : 'more';
      default:
        return isJsonSpace(char) ? 'more' : this.structural(char);
    }
  }

  private structural(char: string): Verdict {
    switch (this.state) {
      case 'value-or-close':
        return char === ']' ? this.close('[') : this.value(char);
      case 'key-or-close':
        if (char === '}') return this.close('{');
        return this.key(char);
      case 'key':
        return this.key(char);
      case 'colon':
        if (char !== ':') return 'error';
        this.state = 'value';
        return 'more';
      case 'comma-or-close':
        if (char === ',') {
          this.state = this.open.at(-1) === '{' ? 'key' : 'value';
          return 'more';
        }
        if (char === '}') return this.close('{');
        return char === ']' ? this.close('[') : 'error';
      default:
        return this.value(char);
    }
  }

  private value(char: string): Verdict {
    if (char === '{' || char === '[') {
      if (this.open.length === MAX_DEPTH) return 'error';
      this.open.push(char);
      this.state = char === '{' ? 'key-or-close' : 'value-or-close';
      return 'more';
    }
    if (char === '"') {
      this.isKey = false;
      this.state = 'string';
      return 'more';
    }
    const literal = char === 't' ? 'rue' : char === 'f' ? 'alse' : char === 'n' ? 'ull' : undefined;
    if (literal !== undefined) {
      this.state = 'literal';
      this.literalLeft = literal;
      return 'more';
    }
    this.number = 'start';
    this.state = 'number';
    return this.inNumber(char);
  }

  private key(char: string): Verdict {
    if (char !== '"') return 'error';
    this.isKey = true;
    this.state = 'string';
    return 'more';
  }

  private inString(char: string): Verdict {
    if (char === '\\') {
      this.state = 'escape';
      return 'more';
    }
    if (char === '"') {
      if (!this.isKey) return this.valueEnds();
      this.state = 'colon';
      return 'more';
    }
    return char < ' ' ? 'error' : 'more';
  }

  private inEscape(char: string): Verdict {
    if (char === 'u') {
      this.state = 'hex';
      this.hexLeft = 4;
      return 'more';
    }
    this.state = 'string';
    return '"\\/bfnrt'.includes(char) ? 'more' : 'error';
  }

  private inNumber(char: string): Verdict {
    const next = NUMBER[this.number]?.[numberClass(char)];
    if (next !== undefined) {
      this.number = next;
      return 'more';
    }
    if (!NUMBER_ENDS.has(this.number)) return 'error';
    if (this.open.length === 0) return 'behind';
    this.state = 'comma-or-close';
    return isJsonSpace(char) ? 'more' : this.structural(char);
  }

  private close(kind: '{' | '['): Verdict {
    if (this.open.pop() !== kind) return 'error';
    return this.valueEnds();
  }

  private valueEnds(): Verdict {
    if (this.open.length === 0) return 'end';
    this.state = 'comma-or-close';
    return 'more';
  }
}
