import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HubServer } from '../support/hub-server.js';
import { koine } from '../support/koine.js';

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
    expect(pulled.stderr).toContain('downloading tiny-Q8_0.gguf (5.96 MB)\n');
    expect(pulled.stderr).toContain('tiny-Q8_0.gguf: 5.96 MB of 5.96 MB (100%)\n');
    expect((await run('list')).stdout).toMatch(
      /^hf:acme\/tiny-GGUF:tiny-Q8_0.gguf {3}5.96 MB {2}\d{4}-\d\d-\d\d\n$/,
    );
    expect(await run('rm', 'hf:acme/tiny-GGUF:q8_0')).toMatchObject({
      code: 0,
      stdout: 'removed hf:acme/tiny-GGUF:Q8_0 (5.96 MB)\n',
    });
    expect(existsSync(file)).toBe(false);
    expect((await run('list')).stdout).toContain(`No models in ${folder}`);
  });

  it('that do not exist are refused in one line', async () => {
    const missing = await run('pull', 'hf:acme/nothing');
    expect(missing.code).toBe(2);
    expect(missing.stderr).toBe(`koine: hf:acme/nothing: not found on ${hub.endpoint}.\n`);
    expect(await run('rm', 'hf:acme/nothing')).toMatchObject({ code: 2 });
    expect((await run('pull', 'a.gguf')).stderr).toContain('a.gguf is not a model of the hub');
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
