// Both TGI versions against the table of their published paths and fields: every route answers, every field is
// accepted at its type and refused off its type with the right message.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTgi, type TgiUnderTest } from '../wire/tgi/start.js';
import {
  type FieldSpec,
  type FieldType,
  INFO_V1,
  INFO_V3,
  ROUTES_V1,
  ROUTES_V3,
  type RouteSpec,
} from './tgi-fields.js';

const SCHEMA = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
const TOOL = { type: 'function', function: { name: 'f', description: 'd', parameters: SCHEMA } };

/** Per type: values it takes, and values it does not with what the refusal says. */
const TYPES: Readonly<
  Record<FieldType, { good: readonly unknown[]; bad: readonly (readonly [unknown, string])[] }>
> = {
  string: { good: ['a', 'é'], bad: [[5, 'invalid type: integer `5`, expected a string']] },
  bool: { good: [true, false], bad: [['true', 'invalid type: string "true", expected a boolean']] },
  float: { good: [0.5], bad: [['hot', 'invalid type: string "hot", expected f32']] },
  count: { good: [1], bad: [[-1, 'invalid value: integer `-1`, expected usize']] },
  u32: {
    good: [1],
    bad: [
      [-1, 'invalid value: integer `-1`, expected u32'],
      [20.5, 'invalid type: floating point `20.5`, expected u32'],
      [4294967296, 'invalid value: integer `4294967296`, expected u32'],
    ],
  },
  i32: { good: [1], bad: [[[], 'invalid type: sequence, expected i32']] },
  u64: { good: [0, 7], bad: [['7', 'invalid type: string "7", expected u64']] },
  strings: { good: [[], ['a']], bad: [['a', 'invalid type: string "a", expected a sequence']] },
  floats: { good: [[], [1]], bad: [[{ 1: 2 }, 'invalid type: map, expected a sequence']] },
  grammar: {
    good: [
      { type: 'json', value: SCHEMA },
      { type: 'regex', value: 'a+' },
    ],
    bad: [
      [{ type: 'json' }, 'missing field `value`'],
      [{ value: SCHEMA }, 'missing field `type`'],
      ['json', 'invalid type: string "json", expected adjacently tagged enum GrammarType'],
    ],
  },
  messages: {
    good: [[{ role: 'user', content: 'a' }]],
    bad: [['hello', 'invalid type: string "hello", expected a sequence']],
  },
  tools: { good: [[], [TOOL]], bad: [[{}, 'invalid type: map, expected a sequence']] },
  'tool-choice': {
    good: ['auto', 'none', 'required', { type: 'function', function: { name: 'f' } }],
    bad: [[5, 'data did not match any variant of untagged enum ToolChoice']],
  },
  'stream-options': {
    good: [{ include_usage: true }],
    bad: [[5, 'invalid type: integer `5`, expected struct StreamOptions']],
  },
  prompt: {
    good: ['a', ['a', 'b']],
    bad: [[[1], 'data did not match any variant of untagged enum PromptDeserializer']],
  },
};

interface FieldCase {
  readonly route: RouteSpec;
  readonly field: FieldSpec;
  readonly isParameter: boolean;
}

function casesOf(routes: readonly RouteSpec[]): readonly FieldCase[] {
  return routes.flatMap((route) => [
    ...(route.fields ?? []).map((field) => ({ route, field, isParameter: false })),
    ...(route.parameters ?? []).map((field) => ({ route, field, isParameter: true })),
  ]);
}

/** A body with everything required, and one field set to a value. */
function bodyWith({ route, field, isParameter }: FieldCase, value: unknown): Record<string, unknown> {
  const needed = (route.fields ?? []).filter((each) => each.required === true);
  const body = Object.fromEntries(needed.map(({ name, type }) => [name, TYPES[type].good[0]]));
  if (isParameter) return { ...body, parameters: { [field.name]: value } };
  return { ...body, [field.name]: value };
}

describe.each([
  ['3.3.6', ROUTES_V3, INFO_V3],
  ['1.4.2', ROUTES_V1, INFO_V1],
] as const)('TGI %s', (version, routes, info) => {
  let server: TgiUnderTest;
  const reply = { tokens: ['{"function": {"_name": "f", "a": "b"}}'] };
  beforeAll(async () => {
    server = await startTgi({ version, reply });
  });
  afterAll(() => server.close());

  const cases = casesOf(routes).map((each): [string, FieldCase] => [
    `${each.route.path} ${each.isParameter ? 'parameters.' : ''}${each.field.name}`,
    each,
  ]);

  it('has many fields to check', () => expect(cases.length).toBeGreaterThan(80));

  it.each(cases)('%s is accepted at its type', async (_name, each) => {
    const { type, example, nullable } = each.field;
    const values = example === undefined ? TYPES[type].good : [example];
    for (const value of nullable === true ? [...values, null] : values) {
      const answer = await server.post(each.route.path, JSON.stringify(bodyWith(each, value)));
      expect([answer.status, value, answer.text]).toEqual([
        200,
        value,
        expect.not.stringContaining('"error"'),
      ]);
    }
  });

  it.each(cases)('%s is refused off its type', async (_name, each) => {
    const { type, nullable, name } = each.field;
    const path = each.isParameter ? `parameters.${name}` : name;
    const bad = TYPES[type].bad.map(([value, why]) => [value, why] as const);
    const all =
      nullable === true || each.route.path === '/tokenize' ? bad : [...bad, [null, 'null'] as const];
    for (const [value, why] of all) {
      const answer = await server.post(each.route.path, JSON.stringify(bodyWith(each, value)));
      expect(answer.status).toBe(422);
      expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      expect(answer.text).toContain(`Failed to deserialize the JSON body into the target type: ${path}`);
      if (value !== null) expect(answer.text).toContain(why);
    }
  });

  it.each(
    casesOf(routes)
      .filter(({ field }) => field.required === true)
      .map((each): [string, FieldCase] => [`${each.route.path} ${each.field.name}`, each]),
  )('%s is required', async (_name, each) => {
    const body = bodyWith(each, 0);
    delete body[each.field.name];
    const answer = await server.post(each.route.path, JSON.stringify(body));
    expect([answer.status, answer.text]).toEqual([
      422,
      expect.stringContaining(`missing field \`${each.field.name}\``),
    ]);
  });

  it('answers every path, and no other', async () => {
    for (const { method, path } of routes) {
      const answer = method === 'GET' ? await server.get(path) : await server.post(path, '{}');
      expect([path, answer.status]).toEqual([
        path,
        expect.toSatisfy((status: number) => status !== 404 && status !== 405),
      ]);
    }
    expect((await server.get('/v2/health/live')).status).toBe(404);
  });

  it('documents exactly the published paths', async () => {
    const document = JSON.parse((await server.get('/api-doc/openapi.json')).text) as {
      info: { version: string };
      paths: Record<string, Record<string, unknown>>;
    };
    const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const published = routes
      .filter((route) => route.undocumented !== true)
      .map(({ method, path }) => `${method} ${path}`);
    expect(documented.sort()).toEqual(published.sort());
    expect(document.info.version).toContain(version);
    const generate = JSON.stringify(document.paths['/generate']?.['post']);
    for (const { name } of routes.find(({ path }) => path === '/generate')?.parameters ?? []) {
      expect(generate).toContain(`"${name}":`);
    }
  });

  it('gives the fields of /info in their order', async () => {
    const answer = await server.get('/info');
    expect(Object.keys(JSON.parse(answer.text) as object).join(' ')).toBe(info);
  });

  it('protects what is protected and leaves the rest open', async () => {
    const locked = await startTgi({ version, reply, serve: { apiKeys: ['Secret'] } });
    try {
      for (const { method, path, open } of routes) {
        const ask = (headers: Record<string, string>) =>
          method === 'GET' ? locked.get(path, headers) : locked.post(path, '{}', headers);
        const none = await ask({});
        expect([path, none.status === 401, none.status === 401 ? none.text : '']).toEqual([
          path,
          open !== true,
          '',
        ]);
        expect((await ask({ authorization: 'Bearer wrong' })).status === 401).toBe(open !== true);
        expect((await ask({ authorization: 'bearer Secret' })).status).not.toBe(401);
        // Unlike TGI's, keys are told apart by case.
        expect((await ask({ authorization: 'Bearer secret' })).status === 401).toBe(open !== true);
      }
    } finally {
      await locked.close();
    }
  });
});
