// The official JSON schema test suite, as the package json-schema-test-suite ships it (draft 4): whatever lies within the
// supported subset agrees with ajv on accept and refuse. Where a schema says nothing of types or of further members,
// the grammar is narrower on purpose, so each schema is judged twice: as it is (what the grammar accepts is valid), and
// with both said (what is valid is accepted too).

import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import { afterAll, describe, expect, it } from 'vitest';
import { createConstraintHost } from '../../src/engine/constraint/index.js';
import { type JsonSchema, KoineError } from '../../src/protocol/index.js';
import { acceptsExactly, inventVocabulary } from './constraint-support.js';

interface Group {
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly tests: readonly {
    readonly description: string;
    readonly data: unknown;
    readonly valid: boolean;
  }[];
}

const folder = join(
  dirname(createRequire(import.meta.url).resolve('json-schema-test-suite/package.json')),
  'tests/draft4',
);
const FILES = readdirSync(folder).filter((file) => file.endsWith('.json'));

const vocabulary = inventVocabulary(400);
const host = createConstraintHost({ tokens: vocabulary, eogTokens: vocabulary.eogTokens, maxWorkers: 2 });
afterAll(() => host.dispose());

/** Files of which no schema is within the subset: other documents are referred to, or alternatives overlap. */
const OUTSIDE = [
  'definitions.json',
  'dependencies.json',
  'multipleOf.json',
  'not.json',
  'oneOf.json',
  'refRemote.json',
  'uniqueItems.json',
];
/** Groups whose valid values may be left out on purpose: a pattern that matches a named member leaves only named ones. */
const NARROWER = ['properties, patternProperties, additionalProperties interaction'];
const ALL_TYPES = ['object', 'array', 'string', 'number', 'boolean', 'null'];
/** Keywords beside which a type would say more than the schema does. */
const TYPED = ['type', '$ref', 'enum', 'anyOf', 'allOf', 'oneOf'];
const MAPS = new Set(['properties', 'patternProperties', 'definitions']);
const DATA = new Set(['enum', 'default', 'required', 'type']);

/** The schema with types and further members said. */
function explicit(given: unknown): unknown {
  if (Array.isArray(given)) return given.map(explicit);
  if (typeof given !== 'object' || given === null) return given;
  const schema = given as Readonly<Record<string, unknown>>;
  const out: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (DATA.has(keyword)) out[keyword] = value;
    else if (MAPS.has(keyword)) {
      out[keyword] = Object.fromEntries(Object.entries(value as object).map(([k, v]) => [k, explicit(v)]));
    } else out[keyword] = explicit(value);
  }
  if (!TYPED.some((keyword) => keyword in schema)) out['type'] = ALL_TYPES;
  if ('properties' in schema && !('additionalProperties' in schema) && !('patternProperties' in schema)) {
    out['additionalProperties'] = true;
  }
  if (Array.isArray(schema['items']) && !('additionalItems' in schema)) out['additionalItems'] = true;
  return out;
}

/** A judge, or undefined for what ajv takes for no schema of draft 7 (draft 4 words bounds differently). */
function judgeOf(schema: object): ((value: unknown) => boolean) | undefined {
  try {
    return new Ajv({ strict: false, logger: false, validateFormats: false }).compile(schema);
  } catch {
    return undefined;
  }
}

/** Whether a value is accepted with its members in one order or another; undefined where the schema is refused. */
async function accepts(schema: JsonSchema, value: unknown): Promise<boolean | undefined> {
  try {
    for (const text of ordered(value)) {
      if (await acceptsExactly(host, vocabulary, schema, text)) return true;
    }
    return false;
  } catch (thrown) {
    if (thrown instanceof KoineError && thrown.code === 'constraint') return undefined;
    throw thrown;
  }
}

/** JSON of a value with its outer members in every order; few have more than three. */
function ordered(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [JSON.stringify(value)];
  const permuted = (entries: readonly [string, unknown][]): readonly [string, unknown][][] =>
    entries.length < 2
      ? [[...entries]]
      : entries.flatMap((entry, index) =>
          permuted(entries.toSpliced(index, 1)).map((rest) => [entry, ...rest]),
        );
  const all = permuted(Object.entries(value).slice(0, 4));
  return all.map((entries) => JSON.stringify(Object.fromEntries(entries)));
}

describe('the official test suite', () => {
  it.each(FILES)('%s agrees with ajv', async (file) => {
    const groups = JSON.parse(readFileSync(join(folder, file), 'utf8')) as readonly Group[];
    let agreed = 0;
    for (const { description, schema, tests } of groups) {
      const isValid = judgeOf(schema);
      const whole = explicit(schema) as JsonSchema;
      for (const { data, description: what } of tests) {
        const said = `${description}: ${what}`;
        const [asItIs, asSaid] = [await accepts(schema, data), await accepts(whole, data)];
        if (isValid === undefined) continue;
        if (asItIs === true) expect(isValid(data), said).toBe(true);
        if (asSaid === undefined || (asSaid === false && NARROWER.includes(description))) continue;
        expect(asSaid, `${said} ${JSON.stringify(whole)}`).toBe(isValid(data));
        agreed += 1;
      }
    }
    expect(agreed > 0, `${agreed} agreed`).toBe(!OUTSIDE.includes(file));
  });
});
