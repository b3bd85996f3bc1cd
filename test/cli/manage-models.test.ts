// Models managed over HTTP on the real server, with a stand-in for the hub: everything a user does with curl.

import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HubServer } from '../support/hub-server.js';
import { koine } from '../support/koine.js';
import { startTestServer, type TestServer } from '../support/server.js';
import type { Json } from '../wire/jan/start.js';

const DEMO = fileURLToPath(new URL('../../models/demo/koine-demo-q8_0.gguf', import.meta.url));
const demo = readFileSync(DEMO);
const FILE = 'tiny-Q8_0.gguf';
const ID = `acme:tiny-GGUF:${FILE}`;

let hub: HubServer;
let folder: string;
let modelsDir: string;
let server: TestServer | undefined;
beforeEach(async () => {
  hub = await HubServer.start({ 'tiny-Q4_K_M.gguf': demo, [FILE]: demo, 'README.md': Buffer.from('hi') });
  folder = mkdtempSync(join(tmpdir(), 'koine-manage-'));
  modelsDir = join(folder, 'models');
});
afterEach(async () => {
  await server?.stop();
  server = undefined;
  await hub[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const env = () => ({ HF_ENDPOINT: hub.endpoint, KOINE_MODELS_DIR: modelsDir });
const serve = async (args: readonly string[] = ['--manage-models']): Promise<TestServer> => {
  server = await startTestServer({ args, env: env() });
  return server;
};
const address = () => `${hub.endpoint}/acme/tiny-GGUF/resolve/main/${FILE}?download=true`;

type Answer = readonly [status: number, body: Json];
async function ask(method: string, path: string, body?: object, headers = {}): Promise<Answer> {
  const response = await fetch(`${server?.url}/jan/v1/${path}`, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return [response.status, (await response.json()) as Json];
}
const models = (method: string, path: string, body?: object) => ask(method, `models/${path}`, body);
const listed = async () => {
  const list = (await ask('GET', 'models'))[1]['data'] as unknown as readonly Json[];
  return list.map(({ id }) => String(id));
};
const say = (model: string) => ask('POST', 'completions', { model, prompt: 'a', max_tokens: 2 });
/** Waits until a model is no longer being fetched. */
async function fetched(id: string): Promise<Json> {
  let last: Json = {};
  await expect
    .poll(
      async () => {
        last = (await models('GET', id))[1];
        return last['status'];
      },
      { timeout: 10_000 },
    )
    .not.toBe('downloading');
  return last;
}

describe('models managed over HTTP', () => {
  it('go from pull over get, list, start, stop and update to delete, each 200', async () => {
    await serve();
    const [pulled, { task, message }] = await models('POST', 'pull', { model: 'hf:acme/tiny-GGUF:Q8_0' });
    expect([pulled, message, task]).toEqual([
      200,
      `The download of ${ID} has begun.`,
      expect.objectContaining({
        id: ID,
        type: 'Model',
        items: [expect.objectContaining({ id: FILE, bytes: demo.length })],
      }),
    ]);
    expect(await fetched(ID)).toMatchObject({
      id: ID,
      object: 'model',
      owned_by: 'me',
      permissions: [],
      model: ID,
      name: null,
      status: 'downloaded',
      state: 'unloaded',
      size: demo.length,
    });
    expect(readFileSync(join(modelsDir, 'acme', 'tiny-GGUF', FILE)).equals(demo)).toBe(true);
    expect(await listed()).toEqual(['koine-demo-q8_0', ID]);
    expect((await models('POST', 'start', { model: ID }))[0]).toBe(200);
    expect((await models('GET', ID))[1]['state']).toEqual('ready');
    expect((await models('POST', 'stop', { model: ID }))[0]).toBe(200);
    expect((await models('GET', ID))[1]['state']).toEqual('unloaded');
    const [updated, { model }] = await models('PATCH', ID, { name: 'My tiny one' });
    expect([updated, model]).toEqual([200, expect.objectContaining({ id: ID, name: 'My tiny one' })]);
    const answers = await Promise.all([ID, 'My tiny one', 'tiny-Q8_0'].map(say));
    expect(answers.map(([status, body]) => [status, body['model']])).toEqual([
      [200, ID],
      [200, 'My tiny one'],
      [200, 'tiny-Q8_0'],
    ]);
    expect(await models('DELETE', encodeURIComponent(ID))).toEqual([
      200,
      { message: `The model ${ID} was deleted.` },
    ]);
    expect([(await models('GET', ID))[0], await listed()]).toEqual([404, ['koine-demo-q8_0']]);
    expect(readdirSync(modelsDir)).toEqual([]);
  });

  it('are pulled by the address of their file, with a name, and not twice', async () => {
    await serve();
    expect((await models('POST', 'pull', { model: address(), name: 'smol_llama' }))[0]).toBe(200);
    expect(await fetched(ID)).toMatchObject({ id: ID, model: ID, name: 'smol_llama' });
    expect((await models('GET', 'smol_llama'))[1]).toMatchObject({ id: ID });
    const files = hub.requests.length;
    const [status, body] = await models('POST', 'pull', { model: 'acme/tiny-GGUF:q8_0' });
    expect([status, body['message'], body['task']?.['status']]).toEqual([
      200,
      `${ID} is there already.`,
      'done',
    ]);
    expect(hub.requests).toHaveLength(files);
    const taken = await models('POST', 'pull', {
      model: 'hf:acme/tiny-GGUF:Q4_K_M',
      name: 'koine-demo-q8_0',
    });
    expect(taken).toEqual([
      409,
      { message: 'The model koine-demo-q8_0 answers to koine-demo-q8_0 already; choose another name.' },
    ]);
    // What is there stays there, and is served again with its name.
    await server?.stop();
    await serve();
    expect(await listed()).toEqual(['koine-demo-q8_0', ID]);
    expect((await say('smol_llama'))[0]).toBe(200);
  });

  it('tell how a download goes, also as a stream, and are fetched once for all who ask', async () => {
    await serve();
    Object.assign(hub.faults, { cuts: 3, cutAfterBytes: demo.length >> 3 });
    const body = { model: `hf:acme/tiny-GGUF:${FILE}` };
    const [first, second] = await Promise.all([
      fetch(`${server?.url}/jan/v1/models/pull`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...body, stream: true }),
      }).then((response) => response.text()),
      models('POST', 'pull', body),
    ]);
    expect(second[0]).toBe(200);
    const frames = first.split('\n\n').filter((frame) => frame.startsWith('data: {'));
    const states = frames.map((frame) => JSON.parse(frame.slice('data: '.length)) as Json);
    expect(states[0]).toMatchObject({ status: 'downloading', download: { bytes: demo.length } });
    expect(
      states.some((state) => String(state['download']?.['message']).includes('trying again in 1 s')),
    ).toBe(true);
    expect(states.at(-1)).toMatchObject({ status: 'downloaded', state: 'unloaded' });
    expect(first.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(hub.requests).toHaveLength(4);
  });

  it('stop being fetched on request, keep what arrived, and are continued', async () => {
    await serve();
    Object.assign(hub.faults, { stalls: 1, cutAfterBytes: demo.length >> 1 });
    expect((await models('POST', 'pull', { model: address() }))[0]).toBe(200);
    const have = async () => Number((await models('GET', ID))[1]['download']?.['downloadedBytes'] ?? 0);
    await expect.poll(have, { timeout: 10_000 }).toBeGreaterThan(0);
    expect((await models('GET', ID))[1]).toMatchObject({ status: 'downloading', state: null });
    expect((await models('POST', 'start', { model: ID }))[0]).toBe(409);
    expect(await listed()).toEqual(['koine-demo-q8_0']);
    expect(await models('DELETE', 'pull', { taskId: ID })).toEqual([
      200,
      { message: `The download of ${ID} was ended; pulling it again continues it.`, taskId: ID },
    ]);
    expect((await models('GET', ID))[1]).toMatchObject({
      status: 'incomplete',
      download: { status: 'cancelled' },
    });
    expect((await models('DELETE', 'pull', { taskId: ID }))[0]).toBe(400);
    expect((await models('POST', 'pull', { model: ID }))[0]).toBe(200);
    expect((await fetched(ID))['status']).toBe('downloaded');
    expect(hub.requests.at(-1)?.range).toMatch(/^bytes=[1-9]/);
  });

  it('are deleted with what a download left, and end with the server', async () => {
    await serve();
    const stall = () => Object.assign(hub.faults, { stalls: 1, cutAfterBytes: demo.length >> 1 });
    const part = join(modelsDir, 'acme', 'tiny-GGUF', `${FILE}.part`);
    stall();
    await models('POST', 'pull', { model: ID });
    await expect.poll(() => existsSync(part), { timeout: 10_000 }).toBe(true);
    expect((await models('DELETE', ID))[0]).toBe(200);
    expect([readdirSync(modelsDir), (await models('GET', ID))[0]]).toEqual([[], 404]);
    stall();
    await models('POST', 'pull', { model: ID });
    await expect.poll(() => existsSync(part), { timeout: 10_000 }).toBe(true);
    // Whoever follows the download is told, and does not keep the server from ending.
    const followed = fetch(`${server?.url}/jan/v1/models/pull`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: ID, stream: true }),
    });
    const text = (await followed).text().catch(() => 'cut');
    expect(await server?.stop()).toBe(0);
    expect((await text).endsWith('data: {"message":"The download was ended."}\n\n')).toBe(true);
    expect(existsSync(part)).toBe(true);
  });

  it('cannot be pulled from where there are none', async () => {
    await serve();
    expect(await models('POST', 'pull', { model: 'hf:acme/nothing' })).toEqual([
      404,
      { message: `hf:acme/nothing: not found on ${hub.endpoint}.` },
    ]);
    expect(await models('POST', 'pull', { model: 'hf:acme/tiny-GGUF:Q2_K' })).toEqual([
      404,
      { message: expect.stringContaining('has no Q2_K; it has tiny-Q4_K_M.gguf') },
    ]);
    expect(await models('POST', 'pull', { model: '/etc/passwd' })).toEqual([
      400,
      { message: expect.stringContaining('/etc/passwd is not a model of the hub') },
    ]);
    await using other = await HubServer.start({ 'model.safetensors': demo });
    await using strange = await startTestServer({
      args: ['--manage-models'],
      env: { ...env(), HF_ENDPOINT: other.endpoint },
    });
    const response = await fetch(`${strange.url}/jan/v1/models/pull`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'hf:acme/tiny-GGUF' }),
    });
    expect([response.status, await response.json()]).toEqual([
      404,
      { message: 'hf:acme/tiny-GGUF has no GGUF model.' },
    ]);
  });
});

describe('a model file of this machine', () => {
  it('is imported, used, and forgotten without losing it', async () => {
    await serve();
    const file = join(folder, 'mine.gguf');
    cpSync(DEMO, file);
    const body = { model: 'org/mine:1', modelPath: file, name: 'Mine' };
    expect(await models('POST', 'import', body)).toEqual([
      200,
      { message: 'The model org/mine:1 was imported.', modelHandle: 'org/mine:1', result: 'OK' },
    ]);
    expect((await models('GET', 'org/mine:1'))[1]).toMatchObject({ name: 'Mine', status: 'downloaded' });
    expect((await say('Mine'))[0]).toBe(200);
    expect((await models('POST', 'import', body))[0]).toBe(409);
    const copy = { model: 'copied', modelPath: file, option: 'copy' };
    expect((await models('POST', 'import', copy))[0]).toBe(200);
    expect(await models('DELETE', 'org/mine:1')).toEqual([
      200,
      { message: 'The model org/mine:1 was taken out; the file it was imported from stays.' },
    ]);
    rmSync(file);
    expect((await say('copied'))[0]).toBe(200);
    expect(await listed()).toEqual(['koine-demo-q8_0', 'copied']);
  });

  it('has to be one', async () => {
    await serve();
    const magic = join(folder, 'magic.gguf');
    writeFileSync(magic, 'GGUF');
    const refusal = async (body: object) => await models('POST', 'import', body);
    expect(await refusal({ model: 'a', modelPath: '/no/such.gguf' })).toEqual([
      400,
      { message: 'The model cannot be imported: /no/such.gguf: no such file or folder.' },
    ]);
    expect(await refusal({ modelPath: DEMO })).toEqual([
      409,
      { message: 'The model cannot be imported: it needs an id, sent as `model`.' },
    ]);
    expect(await refusal({ model: 'a', modelPath: magic })).toEqual([
      400,
      { message: expect.stringMatching(/^The model cannot be imported: .*magic\.gguf: .*cut off/) },
    ]);
    expect((await refusal({ model: 'a', modelPath: 'models/demo' }))[0]).toBe(400);
    expect((await refusal({ model: '../a', modelPath: DEMO }))[0]).toBe(400);
    expect((await refusal({ model: 'koine-demo-q8_0', modelPath: DEMO }))[0]).toBe(409);
    expect((await refusal({ model: 'a' }))[0]).toBe(422);
    expect(existsSync(modelsDir)).toBe(false);
  });

  it('stays when the model that was served from it is deleted', async () => {
    const file = join(folder, 'given.gguf');
    cpSync(DEMO, file);
    await serve(['--manage-models', file]);
    expect(await models('DELETE', 'given')).toEqual([
      200,
      { message: 'The model given is forgotten until the server starts again; its file stays.' },
    ]);
    expect([existsSync(file), await listed(), (await say('given'))[0]]).toEqual([true, [], 404]);
    expect((await fetch(`${server?.url}/health`)).status).toBe(200);
    expect((await models('PATCH', 'given', { name: 'x' }))[0]).toBe(404);
  });

  it('that is no model does not keep the others from being served', async () => {
    mkdirSync(join(modelsDir, 'acme', 'bad'), { recursive: true });
    writeFileSync(join(modelsDir, 'acme', 'bad', 'bad.gguf'), 'GGUF');
    await serve();
    const [, bad] = await models('GET', 'acme:bad:bad.gguf');
    expect(bad).toMatchObject({ status: 'downloaded', state: null });
    expect(String(bad['problem'])).toContain('cut off');
    expect(await models('POST', 'start', { model: 'acme:bad:bad.gguf' })).toEqual([
      400,
      { message: expect.stringContaining('cut off') },
    ]);
    expect((await say('koine-demo-q8_0'))[0]).toBe(200);
    expect((await models('DELETE', 'acme:bad:bad.gguf'))[0]).toBe(200);
    expect(readdirSync(modelsDir)).toEqual([]);
  });
});

describe('a model in use', () => {
  it('is deleted when its stream is done, which is not disturbed', async () => {
    await serve();
    await models('POST', 'pull', { model: ID });
    await fetched(ID);
    await models('POST', 'start', { model: ID });
    const asStream = { stream: true, stream_options: { include_usage: true } };
    const response = await fetch(`${server?.url}/jan/v1/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: ID, prompt: 'Once', min_tokens: 300, max_tokens: 300, ...asStream }),
    });
    const text = response.text();
    const deleted = models('DELETE', ID);
    expect((await deleted)[0]).toBe(200);
    const stream = await text;
    expect(stream).toContain('"completion_tokens":300');
    expect(stream.endsWith('data: [DONE]\n\n')).toBe(true);
    expect((await models('GET', ID))[0]).toBe(404);
  });
});

describe('managing models', () => {
  const PATHS = [
    ['POST', 'pull'],
    ['DELETE', 'pull'],
    ['POST', 'start'],
    ['POST', 'stop'],
    ['POST', 'import'],
    ['GET', 'koine-demo-q8_0'],
    ['PATCH', 'koine-demo-q8_0'],
    ['DELETE', 'koine-demo-q8_0'],
  ] as const;

  it('is off unless it is wanted, and says how to have it', async () => {
    await serve([]);
    for (const [method, path] of PATHS) {
      const [status, body] = await models(method, path, method === 'GET' ? undefined : {});
      expect([method, path, status, body['detail']]).toEqual([method, path, 404, 'Not Found']);
      // What only GET asks for is answered as the contract does, where there is no such path.
      const hint = method === 'GET' ? undefined : expect.stringContaining('--manage-models');
      expect([method, path, body['message']]).toEqual([method, path, hint]);
    }
    const item = { id: 'koine-demo-q8_0', object: 'model', owned_by: 'me', permissions: [], permission: [] };
    const [, list] = await ask('GET', 'models');
    expect(list['data']).toEqual([{ ...item, created: expect.any(Number) }]);
  });

  it('needs a key where there are any, before anything else', async () => {
    await serve(['--manage-models', '--api-key', 'sesame', '--host', '0.0.0.0']);
    for (const [method, path] of PATHS) {
      expect([method, path, await models(method, path)]).toEqual([
        method,
        path,
        [401, { detail: 'Invalid API key' }],
      ]);
    }
    const headers = { authorization: 'Bearer sesame', origin: 'https://example.com' };
    expect((await ask('GET', 'models/koine-demo-q8_0', undefined, headers))[0]).toBe(200);
  });

  it('is not for pages from elsewhere', async () => {
    await serve(['--manage-models', '--cors-origin', 'https://ui.example.com']);
    const by = async (origin: string) =>
      (await ask('POST', 'models/stop', { model: 'koine-demo-q8_0' }, { origin }))[0];
    expect(await by('https://example.com')).toBe(403);
    expect(await by('null')).toBe(403);
    expect(await by('http://localhost:3000')).toBe(200);
    expect(await by('https://ui.example.com')).toBe(200);
  });

  it('is refused where everybody could', async () => {
    for (const more of [
      ['--host', '0.0.0.0'],
      ['--listen', 'jan:0.0.0.0:0'],
    ]) {
      const { code, stderr } = await koine(['serve', '--manage-models', '--port', '0', ...more]);
      expect([code, stderr]).toEqual([
        2,
        'koine: Setting manage-models: whoever reaches 0.0.0.0 could delete models; set an --api-key, or listen on 127.0.0.1 only.\n',
      ]);
    }
  });
});
