// Several models behind the Jan API on the real server, with memory for one at a time: what a first request may ask of
// a model that was never loaded, and what switching does to running ones.

import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../support/server.js';
import type { Json } from '../wire/jan/start.js';
import { DEMO } from './demo.js';

const MODELS = ['one', 'two', 'three'];
const GREEDY = { temperature: 0, repeat_penalty: 1 };
const PROMPTS = ['Once upon a time', 'The capital of France is', 'In the morning, the', 'Two plus two is'];

let folder: string;
let server: TestServer;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'koine-jan-'));
  const paths = MODELS.map((name) => join(folder, `${name}.gguf`));
  for (const path of paths) cpSync(DEMO, path);
  // An engine takes about 160 MB, so that two do not fit.
  server = await startTestServer({
    args: [...paths, '--alias', 'second=two', '--memory-budget', '250MB', '--unknown-model', 'refuse'],
  });
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

async function post(path: string, body: object): Promise<{ readonly status: number; readonly json: Json }> {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, json: (await response.json()) as Json };
}

async function complete(body: object): Promise<readonly [status: number, model: unknown, text: unknown]> {
  const { status, json } = await post('/jan/v1/completions', { ...GREEDY, ...body });
  return [status, json['model'], json['choices']?.[0]?.['text']];
}

async function states(): Promise<Readonly<Record<string, string>>> {
  const { models } = (await (await fetch(`${server.url}/health`)).json()) as {
    models: readonly { model: string; state: string }[];
  };
  return Object.fromEntries(models.map(({ model, state }) => [model, state]));
}

describe('a model that was never loaded', () => {
  it('is listed, and stays unloaded by that', async () => {
    const list = (await (await fetch(`${server.url}/jan/v1/models`)).json()) as Json;
    expect(list['data']).toMatchObject(['one', 'second', 'three'].map((id) => ({ id, permissions: [] })));
    expect((await fetch(`${server.url}/openai/v1/models/two`)).status).toBe(200);
    expect(await states()).toEqual({ one: 'ready', second: 'unloaded', three: 'unloaded' });
  });

  it('is loaded by its first requests, whatever they need to know of it, and makes room', async () => {
    const asked = [
      complete({ model: 'two', prompt: 'def add(a, b):\n    return ', suffix: '\n', max_tokens: 4 }),
      complete({ model: 'second', prompt: '', max_tokens: 4 }),
      complete({ model: 'two', prompt: 'a', logit_bias: { 5: 1, 4095: -1 }, max_tokens: 4 }),
    ];
    expect((await Promise.all(asked)).map(([status, model]) => [status, model])).toEqual([
      [200, 'two'],
      [200, 'second'],
      [200, 'two'],
    ]);
    expect(await states()).toEqual({ one: 'unloaded', second: 'ready', three: 'unloaded' });
    const beyond = await post('/jan/extras/detokenize', { model: 'three', tokens: [4608] });
    expect([beyond.status, beyond.json['detail']?.[0]?.['ctx']]).toEqual([422, { le: 4607 }]);
    expect(await states()).toMatchObject({ second: 'unloaded', three: 'ready' });
  });
});

describe('switching under load', () => {
  it('cuts nobody off, and every answer is what it is alone', async () => {
    const bodies = PROMPTS.map((prompt) => ({ prompt, max_tokens: 24, min_tokens: 24 }));
    const alone: unknown[] = [];
    for (const body of bodies) alone.push((await complete({ model: 'one', ...body }))[2]);
    const names = ['one', 'two', 'three', 'second'];
    const asked = names.flatMap((model) => bodies.map((body) => ({ model, ...body })));
    const answers = await Promise.all(asked.map(complete));
    expect(answers).toEqual(names.flatMap((model) => alone.map((text) => [200, model, text])));
    expect(Object.values(await states()).filter((state) => state === 'ready')).toHaveLength(1);
  });

  it('waits for a stream to end', async () => {
    const body = { prompt: 'Once upon a time', ...GREEDY, min_tokens: 150, max_tokens: 150 };
    const [, , whole] = await complete({ model: 'one', ...body });
    const response = await fetch(`${server.url}/jan/v1/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'one', ...body, stream: true }),
    });
    const other = complete({ model: 'two', prompt: 'a', max_tokens: 1 });
    const frames = (await response.text()).split('\n\n').filter((frame) => frame.startsWith('data: {'));
    const chunks = frames.map((frame) => JSON.parse(frame.slice('data: '.length)) as Json);
    expect(chunks.map((chunk) => chunk['choices']?.[0]?.['text']).join('')).toBe(whole);
    expect((await other)[0]).toBe(200);
  });
});

describe('a model nobody knows', () => {
  it('is refused where that is wanted, in the words of each dialect', async () => {
    for (const path of ['/jan/v1/completions', '/openai/v1/completions', '/jan/v1/embeddings']) {
      const { status, json } = await post(path, { model: 'none', prompt: 'a', input: 'a' });
      expect([status, json['error']]).toEqual([
        404,
        expect.objectContaining({
          code: 'model_not_found',
          message: 'The model `none` does not exist. Available: one, second, three.',
        }),
      ]);
    }
    expect((await complete({ prompt: 'a', max_tokens: 1 })).slice(0, 2)).toEqual([200, 'one']);
  });

  it('is the first one where that is wanted', async () => {
    await using lax = await startTestServer({ args: ['--unknown-model', 'default', '--alias', 'mine'] });
    for (const dialect of ['jan', 'openai']) {
      const response = await fetch(`${lax.url}/${dialect}/v1/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'gpt-3.5-turbo', prompt: 'a', max_tokens: 1 }),
      });
      expect([response.status, await response.json()]).toEqual([
        200,
        expect.objectContaining({ model: 'mine' }),
      ]);
    }
    expect((await fetch(`${lax.url}/openai/v1/models/gpt-3.5-turbo`)).status).toBe(404);
  });
});
