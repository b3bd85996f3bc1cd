// The paths that manage models, byte for byte, over a scripted library.

import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Library } from '../../../src/protocol/index.js';
import { FakeLibrary } from '../../support/fake-library.js';
import { type AnswerRules, play, readRecorded, record } from '../../support/recorded.js';
import { type JanUnderTest, startJan } from './start.js';

const folder = fileURLToPath(new URL('managed/', import.meta.url));
const rules: AnswerRules = {
  headers: ['content-type', 'cache-control', 'x-accel-buffering', 'allow', 'retry-after'],
  volatile: [],
};
const TINY = 'acme:tiny:tiny-Q8_0.gguf';

let library: FakeLibrary;
let server: JanUnderTest;
beforeAll(async () => {
  const current = new Proxy({} as Library, {
    get: (_, key: keyof Library) => library[key].bind(library),
  });
  const admitsOrigin = (origin: string): boolean => origin !== 'https://example.com';
  server = await startJan({ options: { management: { library: current, admitsOrigin } } });
});
beforeEach(() => {
  library = new FakeLibrary();
});
afterAll(() => server.close());

describe('recorded exchanges', () => {
  const files = readdirSync(folder).sort();
  it('are there', () => expect(files.length).toBeGreaterThan(30));

  it.each(files)('%s', async (name) => {
    const recorded = readRecorded(folder + name);
    const answer = await play(server.url, recorded, rules);
    if (process.env['KOINE_RECORD'] === '1') record(folder + name, answer);
    else expect(answer).toBe(recorded.answer);
  });
});

describe('what the library is asked', () => {
  const ask = async (method: string, path: string, body?: object): Promise<FakeLibrary['calls']> => {
    const response = await fetch(`${server.url}/v1/models/${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    await response.text();
    return library.calls;
  };

  it('is what the body says, in the words of the protocol', async () => {
    await ask('POST', 'pull', { model: TINY, id: 'tiny' });
    await ask('POST', 'import', { model: 'a', modelPath: '/m.gguf' });
    await ask('POST', 'import', { model: 'b', modelPath: '/m.gguf', option: 'copy', name: 'Bee' });
    await ask('PATCH', TINY, { alias: 'small' });
    await ask('PATCH', TINY, { name: null });
    expect(await ask('DELETE', 'Tiny%20one')).toEqual([
      ['pull', { model: TINY, name: 'tiny' }],
      ['import', { id: 'a', path: '/m.gguf', how: 'link' }],
      ['import', { id: 'b', path: '/m.gguf', how: 'copy', name: 'Bee' }],
      ['rename', TINY, 'small'],
      ['rename', TINY, null],
      ['remove', 'Tiny one'],
    ]);
  });

  it('may fail in the middle of a stream, which says so and ends', async () => {
    library.follow = async function* (model) {
      yield await library.get(model);
      throw new Error('a fault of the server with a secret in it');
    };
    const body = JSON.stringify({ model: TINY, stream: true });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${server.url}/v1/models/pull`, { method: 'POST', headers, body });
    const [first, second, ...rest] = (await response.text()).split('\n\n');
    expect(first).toContain('"status":"downloaded"');
    expect([second, rest]).toEqual(['data: {"message":"An internal error occurred."}', ['']]);
  });

  it('is nothing when the body is not valid, or nothing is to be changed', async () => {
    await ask('POST', 'pull', {});
    await ask('POST', 'pull', { model: TINY, id: 'a', name: 'b' });
    await ask('POST', 'import', { model: '', modelPath: '/m.gguf' });
    await ask('POST', 'start', { model: 5 });
    expect(await ask('PATCH', TINY, { temperature: 1 })).toEqual([]);
  });
});
