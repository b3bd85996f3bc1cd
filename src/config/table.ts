// Every setting of Koine, once. Names, help texts, checks and the table in docs/operations.md all come from here.

import { many, one, type ValueOf } from './definition.js';
import {
  alias,
  bytes,
  duration,
  integer,
  listenAddress,
  modelName,
  namedPath,
  oneOf,
  path,
  pattern,
  text,
  toggle,
} from './kinds.js';
import { TGI_TABLE } from './table-tgi.js';

/** As the chat room knows them; a test holds the two together, because config takes no values from other rooms. */
const REPLY_FORMATS = [
  'hermes',
  'llama3',
  'mistral',
  'mistral-args',
  'internlm',
  'deepseek',
  'deepseek-v3.1',
  'deepseek-v3.2',
  'functionary',
  'functionary-v3.2',
  'glm',
  'harmony',
  'qwen3-coder',
  'json',
  'none',
] as const;

const model = { group: 'model' } as const;
const engine = { group: 'engine' } as const;
const server = { group: 'server' } as const;
const logs = { group: 'logs' } as const;

const models = {
  model: many(modelName, 'what to serve: a GGUF file, a folder with one, or hf:org/repo[:quant]', {
    ...model,
    only: 'argument',
    defaultText: 'the built-in demo model',
  }),
  alias: many(alias, 'publish a model under this name; its file name stays as another', model),
  unknownModel: one(
    oneOf(['auto', 'default', 'refuse']),
    'auto',
    'what OpenAI and Jan requests for a model nobody knows get: the first model, or 404',
    { ...model, defaultText: 'auto (404 from OpenAI, the first model from Jan)' },
  ),
  modelsDir: one(path('FOLDER'), undefined, 'where downloaded models are kept', {
    ...model,
    defaultText: '~/.koine/models',
  }),
  manageModels: one(
    toggle,
    false,
    'fetch, import, load, unload, name and delete models over HTTP; needs an API key or a loopback address',
    model,
  ),
  chatTemplate: one(path('FILE'), undefined, "Jinja file that replaces the model's chat template", {
    ...model,
    defaultText: "the model's own",
  }),
  replyFormat: one(oneOf(['auto', ...REPLY_FORMATS]), 'auto', 'format of tool calls and reasoning', {
    ...model,
    defaultText: 'auto (read off the chat template)',
  }),
  lora: many(namedPath, 'load a LoRA adapter that requests can select by its name', model),
  hfToken: one(text('TOKEN'), undefined, 'token for gated and private repositories', {
    ...model,
    env: 'HF_TOKEN',
    only: 'environment',
    secret: true,
    defaultText: 'none',
  }),
  hfEndpoint: one(
    pattern('URL', /^https?:\/\/[^\s/]+/, 'an http or https address'),
    'https://huggingface.co',
    'where hf: models come from',
    { ...model, env: 'HF_ENDPOINT' },
  ),
};

const engines = {
  ctxSize: one(
    integer(0, 1 << 24),
    0,
    'tokens of the longest sequence (streams) or of the shared pool (unified)',
    {
      ...engine,
      defaultText: '0 (chosen from the model)',
    },
  ),
  parallel: one(integer(0, 256), 0, 'sequences that run at once', {
    ...engine,
    defaultText: '0 (up to 16, as memory allows)',
  }),
  batchSize: one(integer(16, 16_384), 512, 'most tokens of one step', engine),
  threads: one(integer(0, 1024), 0, 'threads to compute with, at most one per core', {
    ...engine,
    defaultText: '0 (what the machine grants)',
  }),
  adaptThreads: one(toggle, true, 'use fewer threads while others want the cores', engine),
  gpuLayers: one(integer(-1, 10_000), -1, 'layers kept on the GPU', { ...engine, defaultText: '-1 (all)' }),
  kvType: one(
    oneOf(['f32', 'f16', 'bf16', 'q8_0', 'q5_1', 'q5_0', 'q4_1', 'q4_0']),
    'f16',
    'element type of the KV cache; smaller ones trade accuracy for memory',
    engine,
  ),
  kvLayout: one(
    oneOf(['streams', 'unified']),
    'streams',
    'one KV stream per sequence, or one pool for a few long contexts',
    engine,
  ),
  prefixCache: one(bytes, 2 ** 30, 'host memory for prefixes of finished requests; 0 turns it off', engine),
  promptLookup: one(
    integer(0, 64),
    0,
    'tokens to propose at once where a lone reply repeats what was said before; 0 turns it off',
    engine,
  ),
  memoryBudget: one(bytes, 0, 'memory that loaded models may take together', {
    ...engine,
    defaultText: '0 (90% of what is free at the start)',
  }),
  maxWaiting: one(
    integer(0, 1_000_000),
    1024,
    'requests that may wait for a place before more are refused',
    engine,
  ),
  llamaLibDir: one(path('FOLDER'), undefined, 'your own build of the llama.cpp libraries', {
    ...engine,
    defaultText: 'the installed package',
  }),
};

const serving = {
  host: one(text('HOST'), '127.0.0.1', 'address to listen on', server),
  port: one(integer(0, 65_535), 8080, 'port to listen on; 0 takes a free one', server),
  listen: many(listenAddress, 'a further address whose root is one dialect alone', server),
  apiKey: many(text('KEY'), 'keys clients must present as Bearer token', { ...server, secret: true }),
  corsOrigin: many(
    text('ORIGIN'),
    'web origins that may call the server; `*` is any, `none` is none',
    server,
    ['*'],
  ),
  trustedHost: many(
    text('HOST'),
    'names with a dot that requests may be addressed to, beside private addresses; `*` is any',
    { ...server, defaultText: 'none on a loopback address, any elsewhere' },
  ),
  bodyLimit: one(bytes, 32 * 2 ** 20, 'largest request body', server),
  keepAlive: one(
    duration,
    15_000,
    'silence in a stream after which a comment keeps it open; 0 turns it off',
    server,
  ),
  drainTimeout: one(
    duration,
    30_000,
    'time running requests get to finish when the server is told to stop',
    server,
  ),
};

const logging = {
  logLevel: one(
    oneOf(['trace', 'debug', 'info', 'warn', 'error', 'silent']),
    'info',
    'least level of log lines',
    logs,
  ),
  logPrompts: one(toggle, false, 'let prompt texts appear in debug logs', logs),
};

/** All settings by key. */
export const TABLE = { ...models, ...engines, ...serving, ...logging, ...TGI_TABLE };

export type SettingKey = keyof typeof TABLE;

/** The checked settings, frozen. */
export type Settings = { readonly [K in SettingKey]: ValueOf<(typeof TABLE)[K]> };

export const SETTING_KEYS = Object.keys(TABLE) as readonly SettingKey[];
