// The Jan dialect against the table of its published paths and fields: every path answers, every field is accepted at
// its type, converted where callers rely on it, and refused off its type with the right place and word.

import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type JanUnderTest, startJan } from '../wire/jan/start.js';
import { type Bad, type FieldSpec, NULL_FAULTS, ROUTES, type RouteSpec, TYPES } from './jan-fields.js';

interface FieldCase {
  readonly route: RouteSpec;
  readonly field: FieldSpec;
}

const cases = ROUTES.flatMap((route) =>
  (route.fields ?? []).map((field): [string, FieldCase] => [`${route.path} ${field.name}`, { route, field }]),
);

/** A body with everything required, and one field set to a value. */
function bodyWith({ route, field }: FieldCase, value: unknown): Record<string, unknown> {
  const needed = (route.fields ?? []).filter(({ required }) => required === true);
  const body = Object.fromEntries(needed.map(({ name, type }) => [name, TYPES[type].good[0]]));
  return { ...body, [field.name]: value };
}

/** Values beyond the bounds of a field. */
function outside({ ge, le }: FieldSpec): readonly Bad[] {
  return [
    ...(ge === undefined ? [] : [[ge - 1, 'greater_than_equal'] as const]),
    ...(le === undefined ? [] : [[le + 1, 'less_than_equal'] as const]),
  ];
}

function atBounds({ ge, le }: FieldSpec): readonly unknown[] {
  return [ge, le].filter((bound) => bound !== undefined);
}

describe('fields of the Jan API', () => {
  let server: JanUnderTest;
  beforeAll(async () => {
    server = await startJan({ description: { canInfill: true } });
  });
  afterAll(() => server.close());

  it('are many', () => expect(cases.length).toBeGreaterThan(90));

  it.each(cases)('%s is accepted at its type', async (_name, each) => {
    const { field, route } = each;
    const values = [...TYPES[field.type].good, ...atBounds(field), ...(field.nullable ? [null] : [])];
    for (const value of values) {
      const answer = await server.post(route.path, bodyWith(each, value));
      expect([answer.status, value, answer.text]).toEqual([200, value, expect.any(String)]);
    }
  });

  it.each(cases)('%s is refused off its type', async (_name, each) => {
    const { field, route } = each;
    const ofNull: readonly Bad[] = field.nullable ? [] : [[null, NULL_FAULTS[field.type] ?? 'none']];
    for (const [value, type, ...below] of [...TYPES[field.type].bad, ...outside(field), ...ofNull]) {
      const asked = server.engine.requests.length;
      const answer = await server.post(route.path, bodyWith(each, value));
      expect([value, answer.status, answer.json?.['detail']]).toEqual([
        value,
        422,
        [expect.objectContaining({ type, loc: ['body', field.name, ...below], msg: expect.any(String) })],
      ]);
      expect(server.engine.requests).toHaveLength(asked);
    }
  });

  it.each(cases.filter(([, { field }]) => field.required === true))('%s is required', async (_name, each) => {
    const body = bodyWith(each, 0);
    delete body[each.field.name];
    const { status, json } = await server.post(each.route.path, body);
    expect([status, json]).toEqual([
      422,
      { detail: [{ type: 'missing', loc: ['body', each.field.name], msg: 'Field required' }] },
    ]);
  });

  it('says what is wrong as the contract does, all at once, and repeats short values', async () => {
    const body = { top_p: 1.5, temperature: 'hot', max_tokens: 2.5, seed: [], whatever: 1 };
    const { json } = await server.post('/v1/completions', body);
    expect(json).toEqual({
      detail: expect.arrayContaining([
        {
          type: 'less_than_equal',
          loc: ['body', 'top_p'],
          msg: 'Input should be less than or equal to 1',
          input: 1.5,
          ctx: { le: 1 },
        },
        {
          type: 'float_parsing',
          loc: ['body', 'temperature'],
          msg: 'Input should be a valid number, unable to parse string as a number',
          input: 'hot',
        },
        {
          type: 'int_from_float',
          loc: ['body', 'max_tokens'],
          msg: 'Input should be a valid integer, got a number with a fractional part',
          input: 2.5,
        },
        { type: 'int_type', loc: ['body', 'seed'], msg: 'Input should be a valid integer' },
      ]),
    });
    expect(json?.['detail']).toHaveLength(4);
  });

  it('answers every path, and no other', async () => {
    for (const { method, path } of ROUTES) {
      const answer = method === 'GET' ? await server.get(path) : await server.post(path, {});
      expect([path, answer.status]).toEqual([
        path,
        expect.toSatisfy((status: number) => status < 404 || status === 422),
      ]);
    }
    for (const path of ['/health', '/v1/models/fake-model', '/v1/extras/tokenize', '/docs']) {
      const { status, text } = await server.get(path);
      expect([path, status, text]).toEqual([path, 404, '{"detail":"Not Found"}']);
    }
  });
});

describe('the front door of the Jan API', () => {
  let server: JanUnderTest;
  beforeAll(async () => {
    server = await startJan({ serve: { apiKeys: ['secret'] } });
  });
  afterAll(() => server.close());

  it('wants a key, before it looks at anything else', async () => {
    const refusals = [
      await server.post('/v1/completions', '{"bad'),
      await server.post('/v1/completions', {}, { authorization: 'secret' }),
      await server.post('/v1/completions', {}, { authorization: 'Bearer wrong' }),
      await server.get('/v1/models'),
      await server.get('/v1/models', { 'x-api-key': 'wrong', authorization: 'Bearer wrong' }),
      await server.get('/v1/models', { 'x-api-key': '', authorization: '' }),
    ];
    for (const { status, text, headers } of refusals) {
      expect([status, text, headers.get('www-authenticate')]).toEqual([
        401,
        '{"detail":"Invalid API key"}',
        null,
      ]);
    }
    const keys = [
      { authorization: 'Bearer secret' },
      { authorization: 'bearer secret' },
      { 'x-api-key': 'secret' },
      { 'x-api-key': 'secret', authorization: 'Bearer not-needed' },
      { 'x-api-key': 'not-needed', authorization: 'Bearer secret' },
    ];
    for (const headers of keys) expect((await server.get('/v1/models', headers)).status).toBe(200);
    expect((await server.get('/nothing')).text).toBe('{"detail":"Not Found"}');
  });

  it('refuses a name that is not its own, which a rebound one is, and takes local ones', async () => {
    const ask = (host: string, method = 'GET'): Promise<readonly [number | undefined, string]> =>
      new Promise((resolve, reject) => {
        const headers = { host, authorization: 'Bearer secret', origin: 'http://evil.com' };
        const { port } = server;
        request({ host: '127.0.0.1', port, path: '/v1/models', method, headers }, (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (part: string) => {
            text += part;
          });
          response.on('end', () => resolve([response.statusCode, text]));
        })
          .on('error', reject)
          .end();
      });
    for (const host of ['localhost', `127.0.0.1:${server.port}`, '192.168.1.9:1337', '[::1]:1']) {
      expect([host, (await ask(host))[0]]).toEqual([host, 200]);
    }
    for (const host of ['evil.com', 'localhost.evil.com:80', '127.0.0.1.evil.com', '8.8.8.8']) {
      const detail = `Invalid host header: start the server with --trusted-host to be asked as '${host}'`;
      expect(await ask(host)).toEqual([403, JSON.stringify({ detail })]);
      expect((await ask(host, 'OPTIONS'))[0]).toBe(403);
    }
  });

  it('is found below any prefix, and nowhere else', async () => {
    for (const prefix of ['', '/jan', '/api/local']) {
      const mounted = await startJan({ serve: { prefix } });
      const statusOf = async (path: string): Promise<number> => (await mounted.get(path)).status;
      expect([prefix, await statusOf(`${prefix}/v1/models`)]).toEqual([prefix, 200]);
      expect((await mounted.post(`${prefix}/extras/tokenize`, { input: 'a' })).status).toBe(200);
      for (const path of ['/models', `/x${prefix}/v1/models`, `${prefix}/v1/v1/models`]) {
        expect([path, await statusOf(path)]).toEqual([path, 404]);
      }
      if (prefix !== '') expect(await statusOf('/v1/models')).toBe(404);
      await mounted.close();
    }
  });

  it('tells the allowed method', async () => {
    const { status, text, headers } = await server.get('/v1/completions');
    expect([status, text, headers.get('allow')]).toEqual([405, '{"detail":"Method Not Allowed"}', 'POST']);
  });

  it('signs answers that are no error with the time they took, and every answer with the request id', async () => {
    const headers = { authorization: 'Bearer secret', 'x-request-id': 'mine-1' };
    for (const body of [{}, { stream: true }]) {
      const good = await server.post('/v1/completions', body, headers);
      expect(good.headers.get('openai-processing-ms')).toMatch(/^\d+$/);
      expect(good.headers.get('x-request-id')).toBe('mine-1');
    }
    const bad = await server.post('/v1/completions', { top_k: -1 }, headers);
    expect([bad.status, bad.headers.get('openai-processing-ms')]).toEqual([422, null]);
    expect((await server.get('/v1/models', { 'x-api-key': 'secret' })).headers.get('x-request-id')).not.toBe(
      '',
    );
  });

  it.each([
    ['', 'missing', []],
    ['{"a":', 'json_invalid', [5]],
    ['{"a" 1}', 'json_invalid', [5]],
    ['{"é😀":x}', 'json_invalid', [6]],
    ['{} {}', 'json_invalid', [3]],
    ['[1]', 'dict_type', []],
    ['"text"', 'dict_type', []],
  ] as const)('refuses the body %j with the place of the fault', async (body, type, below) => {
    const { status, json } = await server.post('/v1/completions', body, { 'x-api-key': 'secret' });
    expect([status, json?.['detail']]).toEqual([
      422,
      [expect.objectContaining({ type, loc: ['body', ...below] })],
    ]);
  });

  it('refuses JSON that says it is text, and takes JSON that says nothing', async () => {
    const key = { 'x-api-key': 'secret' };
    const asText = await server.post('/v1/completions', {}, { ...key, 'content-type': 'text/plain' });
    expect([asText.status, asText.json?.['detail']?.[0]?.['type']]).toEqual([422, 'dict_type']);
    const body = new Blob([JSON.stringify({ prompt: 'a' })]);
    const bare = await fetch(`${server.url}/v1/completions`, { method: 'POST', headers: key, body });
    expect(bare.status).toBe(200);
  });
});
