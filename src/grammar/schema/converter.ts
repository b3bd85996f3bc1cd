// A JSON schema as grammar text. Sound: whatever the grammar allows is valid under the schema. Stricter than the
// schema where that helps a model: members in the schema's order, objects closed unless they say otherwise,
// numbers of 15 digits. This file walks the schema; arrays, objects, strings and numbers have files of their own.

import { Ajv2020 } from 'ajv/dist/2020.js';
import { anyOf, literal, Rules } from '../ebnf.js';
import { LIMITS, refused } from '../limits.js';
import { arrayText } from './arrays.js';
import { areDisjoint } from './disjoint.js';
import type { GuardShape } from './guard.js';
import { flatten, merge, type Resolve } from './merge.js';
import {
  ANNOTATIONS,
  below,
  isOfType,
  isSchemaObject,
  type JsonType,
  numberOf,
  type Schema,
  schemaList,
  typesOf,
  UNSUPPORTED,
} from './model.js';
import { type Bound, INTEGER, NUMBER, numberRange } from './numbers.js';
import { objectText } from './objects.js';
import type { Conversion, Converted, Kind, Place } from './place.js';
import { anyString, stringText } from './strings.js';

/** White space allowed between JSON tokens. */
export type Whitespace = 'none' | 'single' | 'any';

const ALL_KINDS: readonly Kind[] = ['string', 'array', 'object'];

const WHITESPACE: Readonly<Record<Whitespace, string>> = {
  none: '',
  single: '" "?',
  any: '[ \\n\\t]{0,16}',
};
const NEIGHBOURS_OF_VALUES = new Set(['const', 'enum', 'type', ...ANNOTATIONS]);

export class Converter implements Conversion {
  readonly rules = new Rules();
  /** White space between tokens; empty when there is none. */
  readonly ws: string;
  private readonly known = new Map<string, Converted | undefined>();

  constructor(
    private readonly root: unknown,
    readonly isStrict: boolean,
    whitespace: Whitespace,
    private readonly rootAt = '',
  ) {
    this.ws = WHITESPACE[whitespace];
  }

  /** Tokens with white space between them. */
  spaced(...parts: readonly string[]): string {
    return parts.filter((part) => part !== '').join(this.ws === '' ? ' ' : ` ${this.ws} `);
  }

  readonly resolve: Resolve = (reference, at) => {
    if (reference !== '#' && !reference.startsWith('#/')) {
      throw refused(
        at,
        `"${reference}" is not supported: only references into the same schema are ("#/...")`,
      );
    }
    let value: unknown = this.root;
    for (const step of reference.split('/').slice(1)) {
      let name = step.replaceAll('~1', '/').replaceAll('~0', '~');
      try {
        name = decodeURIComponent(name);
      } catch {
        // Not percent-encoded after all: the name stands as it is.
      }
      const isIn = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
      if (!isIn) throw refused(at, `"${reference}" points at nothing`);
      value = (value as Record<string, unknown>)[name];
    }
    return value;
  };

  /** A fault in the schema that strict requests refuse and others ignore. */
  unsupported(at: string, why = 'it is not supported in structured output'): void {
    if (this.isStrict) throw refused(at, why);
  }

  /** The rule for a schema; undefined when no value matches it. */
  convert(schema: unknown, place: Place): Converted | undefined {
    if (place.depth > LIMITS.schemaDepth)
      throw refused(place.at, `it is nested deeper than ${LIMITS.schemaDepth}`);
    if (schema === true) return this.anything();
    if (schema === false) return undefined;
    const key = `${place.usesGuard ? 'g' : 'c'}${JSON.stringify(schema)}`;
    if (place.entered.has(key)) throw refused(place.at, 'it refers to itself without anything in between');
    if (this.known.has(key)) return this.known.get(key);
    const name = this.rules.reserve(place.at.split('/').at(-1) || 'value');
    const shape: GuardShape = {};
    // What meets this schema inside itself must assume the worst of it.
    const converted: Converted = { text: name, shape, kinds: ALL_KINDS, isGuarded: place.usesGuard };
    this.known.set(key, converted);
    const entered = new Set([...place.entered, key]);
    const body = this.flat(flatten(schema, place.at, this.resolve), { ...place, entered });
    if (body === undefined) {
      this.known.set(key, undefined);
      return undefined;
    }
    this.rules.define(name, body.text);
    Object.assign(shape, body.shape);
    converted.kinds = body.kinds;
    converted.isGuarded = body.isGuarded;
    return converted;
  }

  private anything(): Converted {
    return { text: this.anyValue(), shape: {}, kinds: ALL_KINDS, isGuarded: false };
  }

  private flat(schema: Schema | false, place: Place): Converted | undefined {
    if (schema === false) return undefined;
    for (const keyword of Object.keys(schema)) {
      if (UNSUPPORTED.has(keyword) && !isHarmless(schema, keyword))
        this.unsupported(below(place.at, keyword));
    }
    if ('const' in schema || 'enum' in schema) return this.values(schema, place);
    if ('anyOf' in schema || 'oneOf' in schema) return this.alternatives(schema, place);
    const types = typesOf(schema, place.at);
    if (types === undefined) return this.anything();
    return this.unite(
      types.map((type) => (where) => this.ofType(type, schema, where)),
      place,
    );
  }

  /**
   * Alternatives as one. String lengths can be left to the guard only while it is clear which of them a value is,
   * so where two could be strings, or two objects, lengths go into the grammar.
   */
  private unite(
    branches: readonly ((place: Place) => Converted | undefined)[],
    place: Place,
  ): Converted | undefined {
    const possible = branches.map((branch) => branch(place)).filter((branch) => branch !== undefined);
    const isUnclear = ALL_KINDS.some((kind) => {
      const rivals = possible.filter(({ kinds }) => kinds.includes(kind));
      return rivals.length > 1 && rivals.some(({ isGuarded }) => isGuarded);
    });
    if (isUnclear && place.usesGuard) return this.unite(branches, { ...place, usesGuard: false });
    const text = anyOf(possible.map((branch) => branch.text));
    if (text === undefined) return undefined;
    return {
      text,
      shape: Object.assign({}, ...possible.map((branch) => branch.shape)) as GuardShape,
      kinds: [...new Set(possible.flatMap((branch) => branch.kinds))],
      isGuarded: possible.some((branch) => branch.isGuarded),
    };
  }

  private ofType(type: JsonType, schema: Schema, place: Place): Converted | undefined {
    switch (type) {
      case 'object':
        return objectText(this, schema, place);
      case 'array':
        return arrayText(this, schema, place);
      case 'string': {
        const string = stringText(schema, place.at, this.rules, place.usesGuard);
        if (string === undefined) return undefined;
        const { text, ...shape } = string;
        return { text, shape, kinds: ['string'], isGuarded: shape.min !== undefined };
      }
      case 'number':
      case 'integer':
        return this.numeric(schema, type === 'integer', place.at);
      case 'boolean':
        return scalar('("true" | "false")');
      case 'null':
        return scalar('"null"');
    }
  }

  private numeric(schema: Schema, isInteger: boolean, at: string): Converted | undefined {
    const bound = (inclusive: string, exclusive: string, sign: 1 | -1): Bound | undefined => {
      const a = numberOf(schema, inclusive, at);
      const b = numberOf(schema, exclusive, at);
      if (b !== undefined && (a === undefined || b * sign >= a * sign))
        return { value: b, isExclusive: true };
      return a === undefined ? undefined : { value: a, isExclusive: false };
    };
    const low = bound('minimum', 'exclusiveMinimum', 1);
    const high = bound('maximum', 'exclusiveMaximum', -1);
    if (low === undefined && high === undefined) {
      return scalar(isInteger ? this.rules.add('integer', INTEGER) : this.rules.add('number', NUMBER));
    }
    const text = numberRange(low, high, isInteger);
    return text === undefined ? undefined : scalar(text);
  }

  private values(schema: Schema, place: Place): Converted | undefined {
    const { at } = place;
    const listed: unknown = schema['enum'] ?? [schema['const']];
    if (!Array.isArray(listed)) throw refused(below(at, 'enum'), 'it must be a list of values');
    if (listed.length > LIMITS.choices)
      throw refused(below(at, 'enum'), `it has more than ${LIMITS.choices} values`);
    const types = typesOf({ type: schema['type'] }, at);
    let allowed = listed.filter((value) => types === undefined || isOfType(value, types));
    const others = Object.keys(schema).filter((keyword) => !NEIGHBOURS_OF_VALUES.has(keyword));
    if (others.length > 0 || ('const' in schema && 'enum' in schema)) {
      allowed = allowed.filter(this.validator(schema, at));
    }
    const text = anyOf(allowed.map((value) => this.value(value)));
    const kinds = ALL_KINDS.filter((kind) => allowed.some((value) => isOfType(value, [kind])));
    return text === undefined ? undefined : { text, shape: {}, kinds, isGuarded: false };
  }

  /** Judges values by a whole schema. */
  validator(schema: unknown, at: string): (value: unknown) => boolean {
    const root = isSchemaObject(this.root) ? this.root : {};
    const own = isSchemaObject(schema) ? schema : { not: {} };
    try {
      const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
      const validate = ajv.compile({
        ...own,
        $defs: root['$defs'] ?? {},
        definitions: root['definitions'] ?? {},
      });
      return (value) => {
        try {
          return validate(value) === true;
        } catch {
          // Ajv compares objects by methods of theirs, which a member of that name hides.
          throw refused(at, 'a value with a member named valueOf or toString cannot be compared');
        }
      };
    } catch (thrown) {
      throw refused(at, thrown instanceof Error ? thrown.message : 'it is not a valid schema');
    }
  }

  private alternatives(schema: Schema, place: Place): Converted | undefined {
    const keyword = 'anyOf' in schema ? 'anyOf' : 'oneOf';
    const { [keyword]: _list, ...rest } = schema;
    const list = schemaList(schema, keyword, place.at);
    const where = below(place.at, keyword);
    if (keyword === 'oneOf') this.requireDisjoint(list, where);
    const hasRest = Object.keys(rest).some((name) => !ANNOTATIONS.has(name));
    const branches = list.map((branch, index) => (at: Place) => {
      const here = { ...at, at: below(where, index), depth: at.depth + 1 };
      if (!hasRest) return this.convert(branch, here);
      const merged = merge(rest, flatten(branch, here.at, this.resolve), here.at);
      return merged === false ? undefined : this.convert(merged, here);
    });
    return this.unite(branches, place);
  }

  private requireDisjoint(list: readonly unknown[], where: string): void {
    for (const [index, one] of list.entries()) {
      for (const other of list.slice(index + 1)) {
        if (areDisjoint(one, other, below(where, index), this.resolve)) continue;
        this.unsupported(
          where,
          'its alternatives may overlap, which a grammar cannot rule out: use anyOf, or give each a required property with a const of its own',
        );
        return;
      }
    }
  }

  /** One value as literal text. */
  value(value: unknown): string {
    if (Array.isArray(value)) {
      const items = value.flatMap((item, index) => (index === 0 ? [] : ['","']).concat(this.value(item)));
      return this.spaced('"["', ...items, '"]"');
    }
    if (isSchemaObject(value)) {
      const members = Object.entries(value).flatMap(([name, member], index) => [
        ...(index === 0 ? [] : ['","']),
        literal(JSON.stringify(name)),
        '":"',
        this.value(member),
      ]);
      return this.spaced('"{"', ...members, '"}"');
    }
    return literal(JSON.stringify(value));
  }

  /** The rule for any JSON value. */
  anyValue(): string {
    const number = this.rules.add('number', NUMBER);
    const name = 'anything';
    const string = anyString(this.rules);
    const body = ['any_object', 'any_array', string, number, '"true"', '"false"', '"null"'].join(' | ');
    this.rules.define(name, body);
    this.rules.define(
      'any_object',
      this.spaced('"{"', `(${this.list(this.spaced(string, '":"', name))})?`, '"}"'),
    );
    this.rules.define('any_array', this.spaced('"["', `(${this.list(name)})?`, '"]"'));
    return name;
  }

  private list(item: string): string {
    return this.spaced(item, `(${this.spaced('","', item)}${this.ws === '' ? '' : ` ${this.ws}`})*`);
  }

  /** The rule for any JSON object. */
  anyObject(): string {
    this.anyValue();
    return 'any_object';
  }

  /** The schema this converter was made for; without a guard, lengths of strings go into the grammar. */
  convertRoot(usesGuard = true): Converted {
    const place: Place = { at: this.rootAt, depth: 0, usesGuard, entered: new Set() };
    const converted = this.convert(this.root, place);
    if (converted === undefined) throw refused(this.rootAt || 'the schema', 'no value can match it');
    return converted;
  }
}

function scalar(text: string): Converted {
  return { text, shape: {}, kinds: [], isGuarded: false };
}

/** Keywords that change nothing as they are used. */
function isHarmless(schema: Schema, keyword: string): boolean {
  if (keyword === 'uniqueItems') return schema[keyword] === false || Number(schema['maxItems'] ?? 2) <= 1;
  if (keyword === 'then' || keyword === 'else') return !('if' in schema);
  if (keyword === 'minContains' || keyword === 'maxContains') return !('contains' in schema);
  if (keyword === 'multipleOf') return schema[keyword] === 1 && schema['type'] === 'integer';
  return false;
}
