import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HubServer } from '../support/hub-server.js';
import { koine } from '../support/koine.js';
import { startTestServer } from '../support/server.js';

const demo = readFileSync(fileURLToPath(new URL('../../models/demo/koine-demo-q8_0.gguf', import.meta.url)));
let hub: HubServer;
let folder: string;

beforeAll(async () => {
  hub = await HubServer.start({ 'tiny-Q4_K_M.gguf': demo, 'tiny-Q8_0.gguf': demo });
  folder = mkdtempSync(join(tmpdir(), 'koine-commands-'));
});
afterAll(async () => {
  await hub[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});
const run = (...args: string[]) => koine(args, { HF_ENDPOINT: hub.endpoint, KOINE_MODELS_DIR: folder });

describe('downloaded models', () => {
  it('are pulled, listed and removed', async () => {
    const file = join(folder, 'acme', 'tiny-GGUF', 'tiny-Q8_0.gguf');
    const pulled = await run('pull', 'hf:acme/tiny-GGUF:Q8_0');
    expect(pulled).toMatchObject({ code: 0, stdout: `${file}\n` });
    expect(pulled.stderr).toContain('downloading tiny-Q8_0.gguf (6.06 MB)\n');
    expect(pulled.stderr).toContain('tiny-Q8_0.gguf: 6.06 MB of 6.06 MB (100%)\n');
    expect((await run('list')).stdout).toMatch(
      /^hf:acme\/tiny-GGUF:tiny-Q8_0.gguf {3}6.06 MB {2}\d{4}-\d\d-\d\d\n$/,
    );
    expect(await run('rm', 'hf:acme/tiny-GGUF:q8_0')).toMatchObject({
      code: 0,
      stdout: 'removed hf:acme/tiny-GGUF:Q8_0 (6.06 MB)\n',
    });
    expect(existsSync(file)).toBe(false);
    expect((await run('list')).stdout).toContain(`No models in ${folder}`);
  });

  it('are fetched by the address of their file, and keep the name they are given until they go', async () => {
    const address = `${hub.endpoint}/acme/tiny-GGUF/resolve/main/tiny-Q8_0.gguf?download=true`;
    const file = join(folder, 'acme', 'tiny-GGUF', 'tiny-Q8_0.gguf');
    expect(await run('pull', address, '--name', 'tiny')).toMatchObject({ code: 0, stdout: `${file}\n` });
    expect((await run('list')).stdout).toMatch(/^hf:acme\/tiny-GGUF:tiny-Q8_0.gguf .* {2}named tiny\n$/);
    const files = hub.requests.length;
    expect(await run('pull', address)).toMatchObject({ code: 0, stdout: `${file}\n` });
    expect(hub.requests).toHaveLength(files);
    const taken = await run('pull', 'hf:acme/tiny-GGUF:Q4_K_M', '--name', 'tiny');
    expect([taken.code, taken.stderr]).toEqual([
      2,
      expect.stringContaining('The name tiny is that of hf:acme/tiny-GGUF:tiny-Q8_0.gguf'),
    ]);
    expect((await run('pull', address, '--name', '../x')).stderr).toContain('"../x" cannot be a name');
    await using server = await startTestServer({
      model: 'tiny',
      env: { HF_ENDPOINT: hub.endpoint, KOINE_MODELS_DIR: folder },
    });
    const models = await fetch(`${server.url}/jan/v1/models`);
    expect(await models.json()).toMatchObject({ data: [{ id: 'tiny' }] });
    expect(await run('rm', 'tiny')).toMatchObject({
      code: 0,
      stdout: 'removed hf:acme/tiny-GGUF:tiny-Q8_0.gguf (6.06 MB)\n',
    });
    expect((await run('rm', 'tiny')).stderr).toContain('tiny is not a model of the hub');
    expect(await run('rm', 'hf:acme/tiny-GGUF')).toMatchObject({ code: 0 });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('live from pull over serve and update to removal', async () => {
    const model = 'hf:acme/tiny-GGUF:Q4_K_M';
    expect((await run('pull', model)).code).toBe(0);
    expect((await run('list')).stdout).toContain('hf:acme/tiny-GGUF:tiny-Q4_K_M.gguf');
    const server = await startTestServer({
      model,
      env: { HF_ENDPOINT: hub.endpoint, KOINE_MODELS_DIR: folder },
    });
    const answer = await fetch(`${server.url}/jan/v1/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'tiny-Q4_K_M', prompt: 'a' }),
    });
    expect([answer.status, await answer.json()]).toEqual([
      200,
      expect.objectContaining({ model: 'tiny-Q4_K_M' }),
    ]);
    expect(await server.stop()).toBe(0);
    expect((await run('pull', model)).code).toBe(0);
    expect((await run('rm', model)).code).toBe(0);
    expect((await run('list')).stdout).toContain('No models');
  });

  it('cannot come from a repository without any, or from an address elsewhere', async () => {
    await using other = await HubServer.start({ 'README.md': Buffer.from('hi'), 'model.safetensors': demo });
    const from = { HF_ENDPOINT: other.endpoint, KOINE_MODELS_DIR: folder };
    const none = await koine(['pull', 'hf:acme/tiny-GGUF'], from);
    expect(none).toMatchObject({
      code: 2,
      stdout: '',
      stderr: 'koine: hf:acme/tiny-GGUF has no GGUF model.\n',
    });
    const elsewhere = await koine(['pull', 'https://example.com/m.gguf'], from);
    expect([elsewhere.code, elsewhere.stderr]).toEqual([
      2,
      expect.stringContaining(`is not on ${other.endpoint}: download the file and give its path`),
    ]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('are told by their permanent id too, which is author, repository and file', async () => {
    const id = 'acme:tiny-GGUF:tiny-Q8_0.gguf';
    expect((await run('pull', id)).code).toBe(0);
    await using server = await startTestServer({
      model: 'hf:acme/tiny-GGUF:Q8_0',
      env: { HF_ENDPOINT: hub.endpoint, KOINE_MODELS_DIR: folder },
    });
    expect(server.stdout()).toContain(`Model tiny-Q8_0 (also default, ${id})\n`);
    expect((await run('rm', id)).stdout).toBe('removed hf:acme/tiny-GGUF:tiny-Q8_0.gguf (6.06 MB)\n');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('that a repository does not have are no failure where they may be missing', async () => {
    await using other = await HubServer.start({ 'README.md': Buffer.from('hi') });
    const pull = (...args: string[]) =>
      koine(['pull', '--if-available', ...args], { HF_ENDPOINT: other.endpoint, KOINE_MODELS_DIR: folder });
    expect(await pull('hf:acme/tiny-GGUF')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'koine: hf:acme/tiny-GGUF has no GGUF model.\n',
    });
    expect((await pull('hf:acme/nothing')).code).toBe(2);
    expect((await pull('hf:acme/tiny-GGUF:x.gguf')).code).toBe(2);
    expect((await run('pull', '--if-available', 'hf:acme/tiny-GGUF:Q2_K')).code).toBe(2);
  });

  it('have to be named', async () => {
    for (const command of ['pull', 'rm']) {
      const outcome = await run(command);
      expect([outcome.code, outcome.stderr]).toEqual([2, "error: missing required argument 'MODEL'\n"]);
    }
  });

  it('that do not exist are refused in one line', async () => {
    const missing = await run('pull', 'hf:acme/nothing');
    expect(missing.code).toBe(2);
    expect(missing.stderr).toBe(`koine: hf:acme/nothing: not found on ${hub.endpoint}.\n`);
    expect(await run('rm', 'hf:acme/nothing')).toMatchObject({ code: 2 });
    expect((await run('pull', 'a.gguf')).stderr).toContain('a.gguf is not a model of the hub');
  });
});

describe('an imported model', () => {
  it('is served and forgotten under its id, and its file stays', async () => {
    const file = join(folder, 'mine.gguf');
    writeFileSync(file, demo);
    const models = join(folder, 'models');
    const own = (...args: string[]) => koine(args, { KOINE_MODELS_DIR: models });
    expect(await own('import', file, '--name', 'org/mine:1')).toEqual({
      code: 0,
      stdout: 'org/mine:1\n',
      stderr: '',
    });
    expect((await own('import', file, '--copy')).stdout).toBe('mine\n');
    expect((await own('list')).stdout).toMatch(/^mine {9}6\.06 MB .*\norg\/mine:1 {3}6\.06 MB .*\n$/);
    await using server = await startTestServer({ model: 'org/mine:1', env: { KOINE_MODELS_DIR: models } });
    expect(server.stdout()).toContain('Model org/mine:1 (also default)\n');
    expect((await own('rm', 'org/mine:1')).stdout).toBe('removed org/mine:1 (0 B)\n');
    expect((await own('rm', 'mine')).stdout).toBe('removed mine (6.06 MB)\n');
    expect([readFileSync(file).equals(demo), readdirSync(models)]).toEqual([true, []]);
  });

  it('has to be one', async () => {
    const missing = await run('import', 'nowhere.gguf');
    expect([missing.code, missing.stderr]).toEqual([
      2,
      expect.stringMatching(/^koine: \/.*nowhere\.gguf: no such file or folder\.\n$/),
    ]);
  });
});

describe('looking at the machine', () => {
  it('finds all that is needed', async () => {
    const { code, stdout } = await koine(['doctor']);
    expect(stdout).toMatch(/^ok {3}Node: /m);
    expect(stdout).toMatch(/^ok {3}llama.cpp: release /m);
    expect(stdout).toMatch(/^ok {3}demo model: /m);
    expect(code).toBe(0);
  });

  it('says what is missing', async () => {
    const { code, stdout } = await koine(['doctor'], { KOINE_LLAMA_LIB_DIR: folder });
    expect(stdout).toContain('BAD  llama.cpp: KOINE_LLAMA_LIB_DIR: no llama.cpp library in');
    expect(code).toBe(2);
  });

  it('prints versions', async () => {
    expect((await koine(['version'])).stdout).toMatch(/^koine \d+\.\d+\.\d+\nnode \d+\..*\nllama\.cpp \d/);
  });
});
