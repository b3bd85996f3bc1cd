// The pieces tool-call readers are made of. A reader is a generator that is given one character at a time, so
// that each format reads like its grammar while the text may arrive in any chunks. Text goes into one of three
// places: a call's arguments, `raw` (given back as content if no call comes of it), or it was syntax and is gone.

import type { ToolDefinition } from '../../protocol/index.js';
import { isJsonSpace, JsonScanner } from './json-scanner.js';

/** A reader in progress: yields when it wants a character, returns whether it read what it expected. */
export type Step<T> = Generator<undefined, T, string>;

/** Where calls go. */
export interface CallSink {
  begin(name: string): void;
  argumentsText(text: string): void;
}

/** One format's way to write calls. */
export interface ToolReader {
  /** Markers that open a call wherever they stand; the reader starts behind them. */
  readonly openers: readonly string[];
  /** Ordinary text that may open a call where nothing was said yet; the reader starts at it. */
  readonly unmarked: readonly string[];
  /** A reply begins behind an opener that the prompt ended with. */
  readonly startsInside?: boolean;
  /** Reads calls; false where the text is not what the format writes. */
  read(r: Reading): Step<boolean>;
}

/** Longest text held back while it is not clear whether a call begins. */
const MAX_UNDECIDED = 65_536;

/** State of one reader. `c` is the current, not yet consumed character; empty at the end of the reply. */
export class Reading {
  c = '';
  /** Consumed text that is content if this is not a call after all. */
  raw = '';
  /** A call has begun and its arguments are not complete. */
  begun = false;
  /** What is being read only closes calls that are complete, so a cut loses nothing. */
  closing = false;
  /** At least one call was read whole. */
  completed = false;
  private held = '';

  constructor(
    private readonly sink: CallSink,
    readonly tools: readonly ToolDefinition[],
    /** The opener was an ordinary character: only names of given tools make it a call. */
    readonly isUnmarked: boolean,
  ) {}

  accepts(name: string): boolean {
    return name !== '' && (!this.isUnmarked || this.tools.some((tool) => tool.name === name));
  }

  get isAtEnd(): boolean {
    return this.c === '';
  }

  get isTooLong(): boolean {
    return !this.begun && this.raw.length > MAX_UNDECIDED;
  }

  begin(name: string): void {
    this.begun = true;
    this.raw = '';
    this.sink.begin(name);
    if (this.held !== '') this.sink.argumentsText(this.held);
    this.held = '';
  }

  argument(text: string): void {
    if (this.begun) this.sink.argumentsText(text);
    else this.held += text;
  }

  complete(): void {
    this.begun = false;
    this.completed = true;
    this.raw = '';
  }
}

/** Consumes the current character as syntax. */
export function* take(r: Reading): Step<void> {
  r.raw += r.c;
  r.c = yield;
}

export function* spaces(r: Reading): Step<void> {
  while (isJsonSpace(r.c)) yield* take(r);
}

/** Consumes exactly this text. */
export function* literal(r: Reading, text: string): Step<boolean> {
  for (const char of text) {
    if (r.c !== char) return false;
    yield* take(r);
  }
  return true;
}

/** Consumes text up to, not including, the first of these characters; undefined when the reply ends before. */
export function* until(r: Reading, stops: string): Step<string | undefined> {
  let text = '';
  while (r.c !== '' && !stops.includes(r.c)) {
    if (r.isTooLong) return undefined;
    text += r.c;
    yield* take(r);
  }
  return r.c === '' ? undefined : text;
}

/** Consumes one JSON value and returns its text; undefined when it is not JSON. */
export function* jsonText(r: Reading): Step<string | undefined> {
  const scanner = new JsonScanner();
  let text = '';
  while (r.c !== '' && !r.isTooLong) {
    const verdict = scanner.feed(r.c);
    if (verdict === 'error') return undefined;
    if (verdict === 'behind') return text;
    text += r.c;
    yield* take(r);
    if (verdict === 'end') return text;
  }
  return undefined;
}

function* jsonString(r: Reading): Step<string | undefined> {
  if (r.c !== '"') return undefined;
  const text = yield* jsonText(r);
  return text === undefined ? undefined : (JSON.parse(text) as string);
}

/** Passes an arguments object on as it arrives. */
export function* argumentsObject(r: Reading): Step<boolean> {
  if (r.c !== '{') return false;
  const scanner = new JsonScanner();
  while (r.c !== '' && !r.isTooLong) {
    const verdict = scanner.feed(r.c);
    if (verdict === 'error' || verdict === 'behind') return false;
    r.argument(r.c);
    if (!r.begun) r.raw += r.c;
    r.c = yield;
    if (verdict === 'end') return true;
  }
  return false;
}

/** Arguments that are not written as an object: JSON text in a string is unpacked, null means none. */
function* otherArguments(r: Reading): Step<boolean> {
  const text = yield* jsonText(r);
  if (text === undefined) return false;
  if (text === 'null') r.argument('{}');
  else r.argument(text.startsWith('"') ? unpack(text) : text);
  return true;
}

function unpack(text: string): string {
  const inner = JSON.parse(text) as string;
  try {
    const value: unknown = JSON.parse(inner);
    return typeof value === 'object' && value !== null ? inner : text;
  } catch {
    return text;
  }
}

/** Members a call may have. An unmarked object with another one is an ordinary JSON answer, not to be held back. */
const MEMBERS = new Set(['name', 'arguments', 'parameters', 'type', 'id']);

/**
 * One call written as an object with `name` and `arguments` or `parameters`, in any order; other members are
 * skipped. The call begins as soon as its name is known and its arguments start.
 */
export function* callObject(r: Reading): Step<boolean> {
  if (!(yield* literal(r, '{'))) return false;
  let name: string | undefined;
  let hasArguments = false;
  do {
    yield* spaces(r);
    const key = yield* jsonString(r);
    if (key === undefined || (r.isUnmarked && !MEMBERS.has(key))) return false;
    yield* spaces(r);
    if (!(yield* literal(r, ':'))) return false;
    yield* spaces(r);
    if (key === 'name' && name === undefined) {
      name = yield* jsonString(r);
      if (name === undefined || !r.accepts(name)) return false;
    } else if ((key === 'arguments' || key === 'parameters') && !hasArguments) {
      hasArguments = true;
      if (name !== undefined) r.begin(name);
      if (!(r.c === '{' ? yield* argumentsObject(r) : yield* otherArguments(r))) return false;
    } else if ((yield* jsonText(r)) === undefined) {
      return false;
    }
    yield* spaces(r);
  } while (yield* literal(r, ','));
  if (name === undefined || r.c !== '}') return false;
  if (!r.begun) r.begin(name);
  if (!hasArguments) r.argument('{}');
  yield* take(r);
  r.complete();
  return true;
}

/** Consumes a closing text, with white space around it; a reply cut inside it loses nothing. */
export function* closing(r: Reading, text: string): Step<boolean> {
  r.closing = true;
  yield* spaces(r);
  const isWhole = yield* literal(r, text);
  r.closing = r.isAtEnd;
  return isWhole;
}
