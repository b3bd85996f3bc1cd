// Reads JSON text into nodes that know where they lie, so that a refusal can name line and column, integers
// beyond 2^53 keep every digit and a repeated key is seen. What shape a body must have is left to shape.ts.

/** A JSON value with its half-open range of UTF-16 units in the text. */
export type JsonNode =
  | { readonly kind: 'null'; readonly start: number; readonly stop: number }
  | { readonly kind: 'boolean'; readonly start: number; readonly stop: number; readonly value: boolean }
  | { readonly kind: 'number'; readonly start: number; readonly stop: number; readonly raw: string }
  | { readonly kind: 'string'; readonly start: number; readonly stop: number; readonly value: string }
  | {
      readonly kind: 'array';
      readonly start: number;
      readonly stop: number;
      readonly items: readonly JsonNode[];
    }
  | {
      readonly kind: 'object';
      readonly start: number;
      readonly stop: number;
      readonly members: readonly JsonMember[];
    };

/** A key with its value; `keyStop` is where the key's closing quote ends. */
export interface JsonMember {
  readonly key: string;
  readonly keyStop: number;
  readonly value: JsonNode;
}

/** Text that is not JSON. `offset` counts UTF-16 units read when the fault was seen. */
export class JsonSyntaxError extends Error {
  constructor(
    readonly path: string,
    readonly detail: string,
    readonly offset: number,
  ) {
    super(detail);
  }
}

/** Deepest nesting that is read. */
const MAX_DEPTH = 128;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids exactly these inside a string
const PLAIN_RUN = /[^"\\\u0000-\u001f]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const DIGIT = /[0-9]/;
const HEX4 = /^[0-9a-fA-F]{4}$/;
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** "line L column C" of an offset: lines from 1, columns in UTF-8 bytes read on that line. */
export function positionOf(text: string, offset: number): string {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < lineStart; at = text.indexOf('\n', at + 1)) line++;
  return `line ${line} column ${Buffer.byteLength(text.slice(lineStart, offset))}`;
}

/** A text as plain data. Throws `JsonSyntaxError` with the place in its message. */
export function parsePlain(text: string): unknown {
  try {
    parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new JsonSyntaxError(
      error.path,
      `${error.detail} at ${positionOf(text, error.offset)}`,
      error.offset,
    );
  }
  return JSON.parse(text) as unknown;
}

/** Joins a path and a key the way messages show it: `parameters.stop`. */
export function joinKey(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

/** Parses a whole text. Throws `JsonSyntaxError`. */
export function parseJson(text: string): JsonNode {
  const reader = new Reader(text);
  const node = reader.value('');
  reader.end();
  return node;
}

class Reader {
  private at = 0;
  private depth = 0;

  constructor(private readonly text: string) {}

  value(path: string): JsonNode {
    this.space();
    const start = this.at;
    switch (this.text[start]) {
      case '{':
        return this.object(path, start);
      case '[':
        return this.array(path, start);
      case '"': {
        const value = this.string(path);
        return { kind: 'string', start, stop: this.at, value };
      }
      case 'n':
        this.word('null', path);
        return { kind: 'null', start, stop: this.at };
      case 't':
        this.word('true', path);
        return { kind: 'boolean', start, stop: this.at, value: true };
      case 'f':
        this.word('false', path);
        return { kind: 'boolean', start, stop: this.at, value: false };
      case undefined:
        throw this.fault(path, 'EOF while parsing a value');
      default:
        return this.number(path, start);
    }
  }

  end(): void {
    this.space();
    if (this.at < this.text.length) throw this.fault('', 'trailing characters');
  }

  private object(path: string, start: number): JsonNode {
    this.enter(path);
    const members: JsonMember[] = [];
    this.space();
    if (this.text[this.at] === '}') return this.leaveObject(start, members);
    for (;;) {
      this.space();
      const next = this.text[this.at];
      if (next === undefined) throw this.fault(path, 'EOF while parsing an object');
      if (next === '}') throw this.fault(path, 'trailing comma');
      if (next !== '"') throw this.fault(path, 'key must be a string');
      const key = this.string(path);
      const keyStop = this.at;
      this.expect(':', path, 'expected `:`', 'EOF while parsing an object');
      members.push({ key, keyStop, value: this.value(joinKey(path, key)) });
      this.space();
      if (this.text[this.at] === '}') return this.leaveObject(start, members);
      this.expect(',', path, 'expected `,` or `}`', 'EOF while parsing an object');
    }
  }

  private leaveObject(start: number, members: readonly JsonMember[]): JsonNode {
    this.at++;
    this.depth--;
    return { kind: 'object', start, stop: this.at, members };
  }

  private array(path: string, start: number): JsonNode {
    this.enter(path);
    const items: JsonNode[] = [];
    this.space();
    while (this.text[this.at] !== ']') {
      items.push(this.value(`${path}[${items.length}]`));
      this.space();
      if (this.text[this.at] === ']') break;
      this.expect(',', path, 'expected `,` or `]`', 'EOF while parsing a list');
      this.space();
      if (this.text[this.at] === ']') throw this.fault(path, 'trailing comma');
    }
    this.at++;
    this.depth--;
    return { kind: 'array', start, stop: this.at, items };
  }

  private string(path: string): string {
    this.at++;
    let value = '';
    for (;;) {
      PLAIN_RUN.lastIndex = this.at;
      const run = PLAIN_RUN.exec(this.text)?.[0] ?? '';
      value += run;
      this.at += run.length;
      const next = this.text[this.at];
      if (next === '"') {
        this.at++;
        return value;
      }
      if (next === undefined) throw this.fault(path, 'EOF while parsing a string');
      if (next !== '\\') {
        throw this.fault(path, 'control character (\\u0000-\\u001F) found while parsing a string');
      }
      this.at++;
      value += this.escape(path);
    }
  }

  private escape(path: string): string {
    const letter = this.text[this.at];
    if (letter === undefined) throw this.fault(path, 'EOF while parsing a string');
    if (letter !== 'u') {
      const plain = ESCAPES[letter];
      if (plain === undefined) throw this.fault(path, 'invalid escape');
      this.at++;
      return plain;
    }
    const unit = this.hex(path);
    if (unit < 0xd800 || unit > 0xdfff) return String.fromCharCode(unit);
    const paired = this.text.startsWith('\\u', this.at);
    if (unit > 0xdbff || !paired) throw this.fault(path, 'lone leading surrogate in hex escape');
    this.at++;
    const low = this.hex(path);
    if (low < 0xdc00 || low > 0xdfff) throw this.fault(path, 'lone leading surrogate in hex escape');
    return String.fromCharCode(unit, low);
  }

  private hex(path: string): number {
    const digits = this.text.slice(this.at + 1, this.at + 5);
    if (!HEX4.test(digits)) throw this.fault(path, 'invalid escape');
    this.at += 5;
    return Number.parseInt(digits, 16);
  }

  private number(path: string, start: number): JsonNode {
    NUMBER.lastIndex = start;
    const raw = NUMBER.exec(this.text)?.[0];
    if (raw === undefined) {
      throw this.fault(path, this.text[start] === '-' ? 'invalid number' : 'expected value');
    }
    this.at = start + raw.length;
    const next = this.text[this.at] ?? '';
    if (next === '.' || next === 'e' || next === 'E' || DIGIT.test(next)) {
      throw this.fault(path, 'invalid number');
    }
    if (!Number.isFinite(Number(raw))) throw this.fault(path, 'number out of range');
    return { kind: 'number', start, stop: this.at, raw };
  }

  private word(word: string, path: string): void {
    if (!this.text.startsWith(word, this.at)) throw this.fault(path, 'expected ident');
    this.at += word.length;
  }

  private expect(mark: string, path: string, otherwise: string, atEnd: string): void {
    this.space();
    const next = this.text[this.at];
    if (next === undefined) throw this.fault(path, atEnd);
    if (next !== mark) throw this.fault(path, otherwise);
    this.at++;
  }

  private enter(path: string): void {
    this.at++;
    if (++this.depth > MAX_DEPTH) throw this.fault(path, 'recursion limit exceeded');
  }

  private space(): void {
    for (;;) {
      const unit = this.text.charCodeAt(this.at);
      if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return;
      this.at++;
    }
  }

  private fault(path: string, detail: string): JsonSyntaxError {
    return new JsonSyntaxError(path, detail, Math.min(this.at + 1, this.text.length));
  }
}
