// Checks a parsed body against its schema and says in one sentence which field is wrong and what it must be.

import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { Static, TSchema } from 'typebox';
import { KoineError } from '../../protocol/index.js';

/** A check of one wire body. Throws `invalid_request` with the field in `details.field`. */
export type BodyCheck<T> = (body: unknown) => T;

/** Prepares the check of one schema. Explicit nulls of optional fields count as absent, as OpenAI has it. */
export function bodyCheck<S extends TSchema>(schema: S): BodyCheck<Static<S>> {
  // Compiled at first use: the server is to answer soon after its start, and our own schemas need no checking.
  let compiled: ValidateFunction<Static<S>> | undefined;
  return (body) => {
    compiled ??= new Ajv(AJV_OPTIONS).compile<Static<S>>(schema);
    const check = compiled;
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      throw new KoineError('invalid_request', `The request body must be a JSON object, not ${kindOf(body)}.`);
    }
    const pruned = withoutNulls(body, 0);
    if (check(pruned)) return pruned;
    throw refusal(check.errors ?? []);
  };
}

const AJV_OPTIONS = { strict: false, verbose: true, meta: false, validateSchema: false } as const;

/** Members below which nulls may mean something: free-form documents and vectors. */
const OPAQUE = new Set([
  'parameters',
  'schema',
  'guided_json',
  'chat_template_kwargs',
  'logit_bias',
  'metadata',
  'prompt',
  'input',
]);
/** body > messages > message > parts > part > image_url */
const MAX_DEPTH = 6;

function withoutNulls(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, depth + 1));
  const kept: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    if (member === null) continue;
    kept[key] = OPAQUE.has(key) ? member : withoutNulls(member, depth + 1);
  }
  return kept;
}

function refusal(errors: readonly ErrorObject[]): KoineError {
  // The last error is the outermost: that of the union rather than of the branch that happened to be tried last.
  const error = errors.at(-1);
  if (error === undefined) return new KoineError('invalid_request');
  if (error.keyword === 'required') {
    const field = joined(fieldOf(error.instancePath), String(error.params['missingProperty']));
    return new KoineError('invalid_request', `'${field}' is required.`, { field });
  }
  const field = fieldOf(error.instancePath);
  return new KoineError('invalid_request', `'${field}' must be ${expectation(error)}.`, { field });
}

/** `/messages/0/content` to `messages[0].content`. */
function fieldOf(pointer: string): string {
  const steps = pointer.split('/').slice(1);
  return steps.reduce((path, step) => {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    return /^\d+$/.test(name) ? `${path}[${name}]` : joined(path, name);
  }, '');
}

function joined(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
};

function expectation({ keyword, params, parentSchema, data }: ErrorObject): string {
  const given = params as Readonly<Record<string, unknown>>;
  const description = parentSchema?.['description'];
  if (typeof description === 'string') return description;
  switch (keyword) {
    case 'type':
      return `${TYPE_WORDS[String(given['type'])] ?? String(given['type'])}, not ${kindOf(data)}`;
    case 'minimum':
      return `at least ${given['limit']}, not ${String(data)}`;
    case 'maximum':
      return `at most ${given['limit']}, not ${String(data)}`;
    case 'exclusiveMinimum':
      return `greater than ${given['limit']}, not ${String(data)}`;
    case 'enum':
      return `one of ${(given['allowedValues'] as readonly unknown[]).map((value) => `'${value}'`).join(', ')}`;
    case 'minItems':
      return given['limit'] === 1 ? 'an array that is not empty' : `an array of at least ${given['limit']}`;
    case 'maxItems':
      return `an array of at most ${given['limit']}`;
    case 'minLength':
      return 'a string that is not empty';
    default:
      return 'of another shape';
  }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'an integer' : 'a number';
  return TYPE_WORDS[typeof value] ?? 'nothing';
}
