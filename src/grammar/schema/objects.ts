// Object schemas as grammar text: members in the schema's order, optional ones skipped, further ones at the end.

import { anyOf, literal, times } from '../ebnf.js';
import { refused } from '../limits.js';
import type { GuardShape } from './guard.js';
import { below, countOf, isSchemaObject, requiredOf, type Schema, schemaMap } from './model.js';
import { type Conversion, type Converted, inside, type Place } from './place.js';
import { anyNameBut, stringText } from './strings.js';

interface Member {
  readonly name: string;
  /** Name, colon and value. */
  readonly text: string;
  readonly shape: GuardShape;
  readonly isRequired: boolean;
  readonly isGuarded: boolean;
}

/** Members a schema does not name: each is `text`. */
interface Further {
  readonly text: string;
  readonly value: Converted;
}

function patternsOf(schema: Schema, place: Place): readonly (readonly [RegExp, string, unknown])[] {
  return Object.entries(schemaMap(schema, 'patternProperties', place.at)).map(([pattern, value]) => {
    try {
      return [new RegExp(pattern, 'u'), pattern, value] as const;
    } catch {
      throw refused(below(place.at, 'patternProperties', pattern), 'it is not a valid regular expression');
    }
  });
}

/** Schemas of the named members, with what patterns and names demand of them. Undefined = no object matches. */
function namedSchemas(
  converter: Conversion,
  schema: Schema,
  place: Place,
): ReadonlyMap<string, unknown> | undefined {
  const named = new Map<string, unknown>(Object.entries(schemaMap(schema, 'properties', place.at)));
  const required = requiredOf(schema, place.at);
  const patterns = patternsOf(schema, place);
  for (const name of required) {
    if (named.has(name)) continue;
    const isMatched = patterns.some(([regex]) => regex.test(name));
    named.set(name, isMatched ? true : (schema['additionalProperties'] ?? true));
  }
  for (const [name, value] of named) {
    const all = patterns.filter(([regex]) => regex.test(name)).map(([, , pattern]) => pattern);
    if (all.length > 0) named.set(name, { allOf: [value, ...all] });
  }
  const names = schema['propertyNames'];
  if (names === undefined) return named;
  const allows = names === true ? () => true : converter.validator(names, below(place.at, 'propertyNames'));
  for (const name of named.keys()) {
    if (allows(name)) continue;
    if (required.includes(name)) return undefined;
    named.delete(name);
  }
  return named;
}

function member(converter: Conversion, key: string, value: Converted): string {
  return converter.spaced(key, '":"', value.text);
}

/** What an object may hold beside its named members; undefined = nothing. */
function furtherMembers(
  converter: Conversion,
  schema: Schema,
  named: readonly string[],
  place: Place,
): Further | undefined {
  const patterns = patternsOf(schema, place);
  const isListed = isSchemaObject(schema['properties']) || patterns.length > 0 || named.length > 0;
  const extra =
    schema['additionalProperties'] ?? (schema['unevaluatedProperties'] === false ? false : !isListed);
  // A pattern that matches a named member would let that name come twice, under other rules: named ones suffice.
  if (patterns.some(([regex]) => named.some((name) => regex.test(name)))) return undefined;
  if (patterns.length > 0) return patternMembers(converter, patterns, extra, place);
  const value = converter.convert(extra, inside(place, 'additionalProperties'));
  if (value === undefined) return undefined;
  const names = schema['propertyNames'];
  if (names === undefined || names === true) {
    return { text: member(converter, anyNameBut(named, converter.rules), value), value };
  }
  const at = below(place.at, 'propertyNames');
  if (named.length > 0) {
    converter.unsupported(at, 'it is not supported beside properties and additionalProperties');
    return undefined;
  }
  if (!isSchemaObject(names)) return undefined;
  const key =
    'enum' in names || 'const' in names || '$ref' in names
      ? undefined
      : stringText(names, at, converter.rules, false);
  const text =
    key?.text ?? converter.convert(names, { ...inside(place, 'propertyNames'), usesGuard: false })?.text;
  return text === undefined ? undefined : { text: member(converter, text, value), value };
}

function patternMembers(
  converter: Conversion,
  patterns: readonly (readonly [RegExp, string, unknown])[],
  extra: unknown,
  place: Place,
): Further | undefined {
  const at = below(place.at, 'patternProperties');
  if (extra !== false) converter.unsupported(at, 'it is not supported beside additionalProperties');
  if (patterns.length > 1)
    converter.unsupported(at, 'more than one pattern is not supported, as they may overlap');
  const [first] = patterns;
  if (first === undefined) return undefined;
  const [, pattern, schema] = first;
  const value = converter.convert(schema, inside(place, 'patternProperties', pattern));
  const key = stringText({ pattern }, below(at, pattern), converter.rules, false);
  if (value === undefined || key === undefined) return undefined;
  return { text: member(converter, key.text, value), value };
}

/** Text that may be followed by something, and whether it may be missing. Undefined text = only missing. */
interface Part {
  readonly text: string | undefined;
  readonly canBeEmpty: boolean;
}

/** What an object holds: members by name, members of other names, and how many there may be. */
interface Contents {
  readonly members: readonly Member[];
  readonly further: Further | undefined;
  readonly min: number;
  readonly max: number | undefined;
}

/** The members of an object in order, as text between its braces. */
class Body {
  private readonly rests = new Map<string, Part | undefined>();
  /** Whether the number of members must be counted at all. */
  private readonly isCounted: boolean;

  private readonly members: readonly Member[];
  private readonly further: Further | undefined;
  private readonly min: number;
  private readonly max: number | undefined;

  constructor(
    private readonly converter: Conversion,
    { members, further, min, max }: Contents,
  ) {
    this.members = members;
    this.further = further;
    this.min = min;
    this.max = max;
    const required = members.filter((one) => one.isRequired).length;
    const most = further === undefined ? members.length : Number.POSITIVE_INFINITY;
    this.isCounted = min > required || (max ?? most) < most;
  }

  private next(text: string): string {
    return this.converter.spaced('","', text) + (this.converter.ws === '' ? '' : ` ${this.converter.ws}`);
  }

  /** What follows `text`, as one text; undefined when nothing valid can. */
  private followed(text: string, rest: Part | undefined): string | undefined {
    if (rest === undefined) return undefined;
    if (rest.text === undefined) return text;
    const name = this.converter.rules.add('rest', rest.text);
    return `${text} ${rest.canBeEmpty ? `(${name})?` : name}`;
  }

  /** Further members behind `count` ones. */
  private ends(count: number): Part | undefined {
    const low = this.isCounted ? Math.max(0, this.min - count) : 0;
    const high = this.max === undefined || !this.isCounted ? undefined : this.max - count;
    if (high !== undefined && high < low) return undefined;
    if (this.further === undefined || high === 0)
      return low === 0 ? { text: undefined, canBeEmpty: true } : undefined;
    const text = `(${this.next(this.further.text)})${times(Math.max(1, low), high)}`;
    return { text, canBeEmpty: low === 0 };
  }

  /** What follows when `count` members are written and the next one is `index`. */
  private rest(index: number, count: number): Part | undefined {
    const counted = this.isCounted ? count : 0;
    const key = `${index} ${counted}`;
    if (!this.rests.has(key)) this.rests.set(key, this.restOf(index, counted));
    return this.rests.get(key);
  }

  private restOf(index: number, count: number): Part | undefined {
    const one = this.members[index];
    if (one === undefined) return this.ends(count);
    const isFull = this.max !== undefined && this.isCounted && count >= this.max;
    const taken = isFull ? undefined : this.followed(this.next(one.text), this.rest(index + 1, count + 1));
    if (one.isRequired) return taken === undefined ? undefined : { text: taken, canBeEmpty: false };
    const skipped = this.rest(index + 1, count);
    const text = anyOf([taken, skipped?.text]);
    const canBeEmpty = skipped?.canBeEmpty ?? false;
    return text === undefined && !canBeEmpty ? undefined : { text, canBeEmpty };
  }

  /** Everything between the braces when the first `index` members are left out. */
  whole(index = 0): Part | undefined {
    const one = this.members[index];
    const ws = this.converter.ws === '' ? '' : ` ${this.converter.ws}`;
    const isFull = this.max === 0;
    const first = one ?? this.further;
    const rest =
      isFull || first === undefined ? undefined : one === undefined ? this.ends(1) : this.rest(index + 1, 1);
    const taken = first === undefined ? undefined : this.followed(first.text + ws, rest);
    if (one?.isRequired) return taken === undefined ? undefined : { text: taken, canBeEmpty: false };
    const skipped: Part | undefined =
      one === undefined ? { text: undefined, canBeEmpty: this.min === 0 } : this.whole(index + 1);
    const others = skipped?.text && this.converter.rules.add('members', skipped.text);
    const text = anyOf([taken, others]);
    const canBeEmpty = skipped?.canBeEmpty ?? false;
    return text === undefined && !canBeEmpty ? undefined : { text, canBeEmpty };
  }
}

/** An object schema; undefined when no object matches. */
export function objectText(converter: Conversion, schema: Schema, place: Place): Converted | undefined {
  const named = namedSchemas(converter, schema, place);
  if (named === undefined) return undefined;
  const required = new Set(requiredOf(schema, place.at));
  const members: Member[] = [];
  for (const [name, value] of named) {
    const converted = converter.convert(value, inside(place, 'properties', name));
    const isRequired = required.has(name);
    if (converted === undefined && isRequired) return undefined;
    if (converted === undefined) continue;
    const text = member(converter, literal(JSON.stringify(name)), converted);
    members.push({ name, text, shape: converted.shape, isRequired, isGuarded: converted.isGuarded });
  }
  const further = furtherMembers(converter, schema, [...named.keys()], place);
  const min = countOf(schema, 'minProperties', place.at) ?? 0;
  const max = countOf(schema, 'maxProperties', place.at);
  if (further !== undefined && min > members.length + 1) {
    // Names the schema does not list may repeat, and repeated ones count once.
    converter.unsupported(below(place.at, 'minProperties'), 'it asks for more members than the schema names');
  }
  const body = new Body(converter, { members, further, min, max }).whole();
  if (body === undefined) return undefined;
  const shape: GuardShape = { properties: new Map(members.map((one) => [one.name, one.shape])) };
  if (further !== undefined) shape.others = further.value.shape;
  const empty = body.canBeEmpty ? converter.spaced('"{"', '"}"') : undefined;
  const filled = body.text && `${converter.spaced('"{"', converter.rules.add('members', body.text))} "}"`;
  const text = anyOf([filled, empty]);
  if (text === undefined) return undefined;
  const isGuarded = members.some((one) => one.isGuarded) || further?.value.isGuarded === true;
  return { text, shape, kinds: ['object'], isGuarded };
}
