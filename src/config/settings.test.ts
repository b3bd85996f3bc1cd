import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { DEFAULT_TGI_OPTIONS } from '../dialects/tgi/options.js';
import {
  engineOptionsOf,
  type Flags,
  httpOptionsOf,
  loadSettings,
  SettingError,
  type SettingSources,
  tgiOptionsOf,
} from './index.js';

const folder = mkdtempSync(join(tmpdir(), 'koine-settings-'));
afterAll(() => rmSync(folder, { recursive: true }));

const load = (sources: Partial<SettingSources>) =>
  loadSettings({ flags: {}, env: {}, cwd: '/srv', ...sources });
const fileWith = (yaml: string): string => {
  const file = join(folder, 'koine.yaml');
  writeFileSync(file, yaml);
  return file;
};
const refusal = async (sources: Partial<SettingSources>): Promise<string> => {
  const outcome = await load(sources).catch((error: unknown) => error);
  expect(outcome).toBeInstanceOf(SettingError);
  return (outcome as SettingError).message;
};

describe('which source wins', () => {
  const config = fileWith('port: 3\nhost: file\nparallel: 3\n');

  it('is the flag, then the environment, then the file, then the default', async () => {
    const settings = await load({
      flags: { config, port: '1' },
      env: { KOINE_PORT: '2', KOINE_HOST: 'env' },
    });
    expect(settings).toMatchObject({ port: 1, host: 'env', parallel: 3, batchSize: 512 });
  });

  it('holds for lists as a whole', async () => {
    const settings = await load({ flags: { apiKey: ['a'] }, env: { KOINE_API_KEY: 'b, c' } });
    expect(settings.apiKey).toEqual(['a']);
    expect((await load({ env: { KOINE_API_KEY: 'b, c' } })).apiKey).toEqual(['b', 'c']);
  });

  it('finds the file by KOINE_CONFIG too', async () => {
    expect((await load({ env: { KOINE_CONFIG: config } })).port).toBe(3);
  });

  it('counts an empty variable as not given', async () => {
    expect((await load({ env: { KOINE_PORT: '' } })).port).toBe(8080);
  });
});

describe('the result', () => {
  it('is frozen', async () => {
    const settings = await load({ flags: { lora: ['a=b'] } });
    expect(Object.isFrozen(settings) && Object.isFrozen(settings.lora)).toBe(true);
  });

  it('has paths relative to the working folder, or to the file that names them', async () => {
    const config = fileWith('lora: {poet: a/poet.gguf}\nchat-template: t.jinja\nmodels-dir: ~/m\n');
    const settings = await load({ flags: { config } });
    expect(settings.lora).toEqual([{ name: 'poet', path: join(folder, 'a/poet.gguf') }]);
    expect(settings.chatTemplate).toBe(join(folder, 't.jinja'));
    expect(settings.modelsDir).toBe(join(homedir(), 'm'));
    expect((await load({ flags: { chatTemplate: 't.jinja' } })).chatTemplate).toBe('/srv/t.jinja');
  });

  it('has models relative to the file that names them, where they are files', async () => {
    const config = fileWith('model: [model.gguf, "hf:org/repo", gone.gguf]\n');
    writeFileSync(join(folder, 'model.gguf'), '');
    const { model } = await load({ flags: { config } });
    expect(model).toEqual([join(folder, 'model.gguf'), 'hf:org/repo', 'gone.gguf']);
  });

  it('leaves out what Kubernetes says of a service called koine', async () => {
    const env = {
      KOINE_SERVICE_HOST: '10.0.0.7',
      KOINE_SERVICE_PORT: '80',
      KOINE_SERVICE_PORT_HTTP: '80',
      KOINE_PORT: 'tcp://10.0.0.7:80',
      KOINE_PORT_80_TCP: 'tcp://10.0.0.7:80',
      KOINE_PORT_80_TCP_PROTO: 'tcp',
      KOINE_PORT_80_TCP_PORT: '80',
      KOINE_PORT_80_TCP_ADDR: '10.0.0.7',
    };
    expect((await load({ env })).port).toBe(8080);
  });

  it('reads values of a file as they are written', async () => {
    const config = fileWith(
      'api-key: [0123, 1e3]\nlog-prompts: true\nprefix-cache: 2GiB\ndrain-timeout: 500ms\n',
    );
    expect(await load({ flags: { config } })).toMatchObject({
      apiKey: ['0123', '1e3'],
      logPrompts: true,
      prefixCache: 2 ** 31,
      drainTimeout: 500,
    });
  });

  it('reads toggles, listen addresses and aliases from flags', async () => {
    const flags = {
      adaptThreads: false,
      listen: ['tgi:3000', 'jan:0.0.0.0:1337', 'openai:[::1]:80'],
      alias: ['small', 'big=b'],
    };
    expect(await load({ flags })).toMatchObject({
      adaptThreads: false,
      listen: [
        { dialect: 'tgi', port: 3000 },
        { dialect: 'jan', host: '0.0.0.0', port: 1337 },
        { dialect: 'openai', host: '::1', port: 80 },
      ],
      alias: [{ name: 'small' }, { name: 'big', model: 'b' }],
    });
  });

  it('takes the customary names of the hub from the environment', async () => {
    expect(await load({ env: { HF_TOKEN: 't', HF_ENDPOINT: 'http://127.0.0.1:9' } })).toMatchObject({
      hfToken: 't',
      hfEndpoint: 'http://127.0.0.1:9',
    });
  });
});

describe('a refusal names the setting, what was given, where, and what is allowed', () => {
  it.each([
    [
      { flags: { port: '70000' } },
      'Setting port: "70000" from --port is not allowed; allowed is a whole number from 0 to 65535.',
    ],
    [{ flags: { port: '80.5' } }, 'Setting port: "80.5" from --port'],
    [
      { env: { KOINE_KV_TYPE: 'q3' } },
      'Setting kv-type: "q3" from KOINE_KV_TYPE is not allowed; allowed is one of f32, f16',
    ],
    [
      { env: { KOINE_PREFIX_CACHE: '2 potatoes' } },
      'Setting prefix-cache: "2 potatoes" from KOINE_PREFIX_CACHE',
    ],
    [{ flags: { listen: ['tgi:99999'] } }, 'Setting listen: "tgi:99999" from --listen'],
    [{ flags: { lora: ['=x'] } }, 'Setting lora: "=x" from --lora'],
    [{ env: { KOINE_PROT: '1' } }, 'KOINE_PROT in the environment is not a setting'],
  ])('%j', async (sources, message) => {
    expect(await refusal(sources)).toContain(message);
  });

  it.each([
    ['prot: 1\n', 'prot in koine.yaml is not a setting'],
    ['port: 1\nport: 2\n', 'koine.yaml is not valid YAML: Map keys must be unique'],
    ['port: [1, 2]\n', 'Setting port: takes one value, port in koine.yaml gives 2.'],
    ['port: yes\n', 'Setting port: "yes" from port in koine.yaml is not allowed'],
    ['lora: [[a]]\n', 'lora in koine.yaml must be a value'],
    [
      'hf-token: x\n',
      'hf-token in koine.yaml is not read from files; put it into the environment as HF_TOKEN.',
    ],
    ['- port\n', 'koine.yaml must be a mapping'],
    ['port: {\n', 'koine.yaml is not valid YAML'],
  ])('file %j', async (yaml, message) => {
    expect(await refusal({ flags: { config: fileWith(yaml) } })).toContain(message);
  });

  it('does not show secrets', async () => {
    const message = await refusal({ flags: { apiKey: [''] } });
    expect(message).toContain('Setting api-key: the value from --api-key is not allowed');
  });

  it('says when the settings file is missing', async () => {
    expect(await refusal({ flags: { config: 'gone.yaml' } })).toBe(
      'The settings file /srv/gone.yaml does not exist.',
    );
  });
});

describe('options of other rooms', () => {
  it('have no web origins after `none`, and the hosts that are trusted', async () => {
    const of = async (flags: Flags) => httpOptionsOf(await load({ flags }), { port: 1 });
    expect(await of({})).toMatchObject({
      host: '127.0.0.1',
      port: 1,
      corsOrigins: ['*'],
      keepAliveMs: 15_000,
    });
    expect(await of({ corsOrigin: ['none'], trustedHost: ['a', 'b'] })).toMatchObject({
      corsOrigins: [],
      trustedHosts: ['a', 'b'],
    });
  });

  it("follow TGI's own defaults", async () => {
    expect(tgiOptionsOf(await load({}))).toEqual(DEFAULT_TGI_OPTIONS);
    const flags = { tgiMaxInputTokens: '7', tgiDisableGrammarSupport: true, tgiPayloadLimit: '1kB' };
    expect(tgiOptionsOf(await load({ flags }))).toMatchObject({
      maxInputTokens: 7,
      disableGrammarSupport: true,
      payloadLimit: 1000,
    });
    // The name TGI's launcher hands it on by.
    expect(tgiOptionsOf(await load({ env: { COMPUTE_TYPE: '1-nvidia-a10g' } })).computeType).toBe(
      '1-nvidia-a10g',
    );
  });

  it('carry the engine its own', async () => {
    const model = { id: 'm', aliases: ['default'], path: '/m.gguf' };
    const flags = { ctxSize: '4096', lora: ['a=/a.gguf'], llamaLibDir: 'lib' };
    expect(engineOptionsOf(await load({ flags }), model)).toMatchObject({
      modelId: 'm',
      modelPath: '/m.gguf',
      contextTokens: 4096,
      adapters: [{ name: 'a', path: '/a.gguf' }],
      libraryDir: '/srv/lib',
    });
  });
});
