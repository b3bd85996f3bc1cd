// Parameters written as elements of plain text instead of JSON: strings stand between two tags as they are, other
// values as JSON. Which of both a value is, the tool's schema says, or the tag itself. Strings are passed on as they
// come, other values once they are whole.

import { isPlainText, parameterTypes, typeOfValue, type ValueType } from '../../protocol/index.js';
import { JsonScanner } from './json-scanner.js';
import { type Reading, type Step, take } from './reading.js';

/** How a format sets a value apart. */
export interface ValueTags {
  /** The tag behind it. */
  readonly end: string;
  /** One line break on each side is no part of it. */
  readonly isOnLinesOfItsOwn: boolean;
}

/** What is known of a value before it is read. Undefined types = anything. */
export type ValueKind =
  | { readonly kind: 'text' }
  | { readonly kind: 'json'; readonly types: ReadonlySet<ValueType> | undefined };

/** What a tool's schema says of a parameter. */
export function kindOf(r: Reading, tool: string, key: string): ValueKind {
  const types = parameterTypes(r.tools.find(({ name }) => name === tool)?.parameters, key);
  return isPlainText(types) ? { kind: 'text' } : { kind: 'json', types };
}

/** The members of one call's arguments, put together as JSON. */
export class Members {
  private separator = '{';

  constructor(
    private readonly r: Reading,
    private readonly tags: ValueTags,
  ) {}

  /** Reads the value of a parameter, up to and with the tag behind it. */
  *value(key: string, kind: ValueKind): Step<boolean> {
    this.r.argument(`${this.separator}${JSON.stringify(key)}: `);
    this.separator = ', ';
    const isWhole =
      kind.kind === 'text' ? yield* plainText(this.r, this.tags) : yield* json(this.r, this.tags, kind.types);
    this.r.raw = '';
    return isWhole;
  }

  /** There are no more of them: the call is complete. */
  end(): void {
    this.r.argument(this.separator === '{' ? '{}' : '}');
    this.r.complete();
  }
}

function* plainText(r: Reading, { end, isOnLinesOfItsOwn }: ValueTags): Step<boolean> {
  const ends = isOnLinesOfItsOwn ? [`\n${end}`, end] : [end];
  let held = '';
  const pass = (text: string): void => {
    if (text !== '') r.argument(JSON.stringify(text).slice(1, -1));
    r.raw = '';
  };
  r.argument('"');
  if (isOnLinesOfItsOwn && r.c === '\n') yield* take(r);
  while (r.c !== '') {
    held += r.c;
    const whole = ends.find((text) => held.endsWith(text));
    if (whole !== undefined) {
      pass(held.slice(0, -whole.length));
      r.argument('"');
      yield* take(r);
      return true;
    }
    const certain = held.length - undecided(held, ends);
    pass(held.slice(0, certain));
    held = held.slice(certain);
    yield* take(r);
  }
  return false;
}

/** Length of the part at the end that may begin one of `ends`, or that is half a character. */
function undecided(text: string, ends: readonly string[]): number {
  for (let length = text.length; length > 0; length -= 1) {
    const part = text.slice(-length);
    if (ends.some((end) => end.startsWith(part))) return length;
  }
  return /[\ud800-\udbff]$/.test(text) ? 1 : 0;
}

function* json(r: Reading, tags: ValueTags, types: ReadonlySet<ValueType> | undefined): Step<boolean> {
  let text = '';
  while (r.c !== '') {
    text += r.c;
    yield* take(r);
    if (!text.endsWith(tags.end)) continue;
    const value = text.slice(0, -tags.end.length);
    // The tag may stand in a string of the value; then neither a line break nor another tag follows it.
    if (endsInString(value) && r.c !== '\n' && r.c !== '<' && !r.isAtEnd) continue;
    r.argument(toJson(tags.isOnLinesOfItsOwn ? value.replace(/^\n/, '').replace(/\n$/, '') : value, types));
    return true;
  }
  return false;
}

function endsInString(text: string): boolean {
  const scanner = new JsonScanner();
  for (const char of text) if (scanner.feed(char) !== 'more') return false;
  return scanner.isInString;
}

/** As some models write them. */
const WORDS: Readonly<Record<string, ValueType>> = {
  true: 'boolean',
  false: 'boolean',
  null: 'null',
  none: 'null',
};

/** A value as JSON: what it says if it may be that, otherwise a string. */
function toJson(value: string, types: ReadonlySet<ValueType> | undefined): string {
  const text = value.trim();
  const mayBe = (type: ValueType): boolean => types === undefined || types.has(type) || !types.has('string');
  try {
    if (mayBe(typeOfValue(JSON.parse(text)))) return text;
  } catch {
    const word = text.toLowerCase();
    const type = WORDS[word];
    if (type !== undefined && mayBe(type)) return type === 'null' ? 'null' : word;
  }
  return JSON.stringify(value);
}
