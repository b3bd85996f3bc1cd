import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type DownloadProgress,
  listStored,
  parseReference,
  type ResolveOptions,
  removeStored,
  resolveModel,
} from '../../src/models/index.js';
import { HubServer } from '../support/hub-server.js';

const content = readFileSync(
  fileURLToPath(new URL('../../models/demo/koine-demo-q8_0.gguf', import.meta.url)),
);
const HALF = content.length >> 1;

let hub: HubServer;
let folder: string;
let waits: number[];
let log: string[];

beforeEach(async () => {
  hub = await HubServer.start({
    'tiny-Q4_K_M.gguf': content,
    'tiny-Q8_0.gguf': content,
    'sub/tiny F16.gguf': content,
    'README.md': Buffer.from('hi'),
  });
  folder = mkdtempSync(join(tmpdir(), 'koine-hub-'));
  waits = [];
  log = [];
});
afterEach(async () => {
  await hub[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const progress: DownloadProgress = {
  begin: (name, total, have) => log.push(`begin ${name} ${have}/${total}`),
  advance: () => {},
  retry: (reason) => log.push(`retry ${reason}`),
  verify: () => log.push('verify'),
  end: () => log.push('end'),
};
const options = (
  changes: Partial<ResolveOptions> & { token?: string; stallMs?: number } = {},
): ResolveOptions => ({
  cwd: folder,
  modelsDir: folder,
  anyArchitecture: false,
  hub: { endpoint: hub.endpoint, ...(changes.token === undefined ? {} : { token: changes.token }) },
  signal: new AbortController().signal,
  tools: async () => ({
    network: {
      fetch,
      wait: async (ms) => {
        waits.push(ms);
      },
      stallMs: changes.stallMs ?? 10_000,
    },
    progress,
  }),
  ...changes,
});
const get = (given = 'hf:acme/tiny-GGUF', changes = {}) => resolveModel(given, options(changes));
const target = (name = 'tiny-Q4_K_M.gguf') => join(folder, 'acme', 'tiny-GGUF', name);

describe('a model from the hub', () => {
  it('is fetched whole, checked and kept under its own name', async () => {
    expect(await get()).toMatchObject({ path: target(), id: 'tiny-Q4_K_M' });
    expect(readFileSync(target()).equals(content)).toBe(true);
    expect(readdirSync(join(folder, 'acme', 'tiny-GGUF'))).toEqual(['tiny-Q4_K_M.gguf']);
    expect(log).toEqual([`begin tiny-Q4_K_M.gguf 0/${content.length}`, 'verify', 'end']);
  });

  it('is not fetched again, and needs no network then', async () => {
    await get();
    await get('hf:acme/tiny-GGUF', { hub: { endpoint: 'http://127.0.0.1:9' } });
    expect(hub.requests).toHaveLength(1);
  });

  it('can be named by quantisation or file, with any characters', async () => {
    expect((await get('hf:acme/tiny-GGUF:q8_0')).path).toBe(target('tiny-Q8_0.gguf'));
    expect((await get('hf.co/acme/tiny-GGUF:sub/tiny F16.gguf')).path).toBe(target('sub/tiny F16.gguf'));
    await expect(get('hf:acme/tiny-GGUF:Q2_K')).rejects.toThrow(
      'has no Q2_K; it has tiny-Q4_K_M.gguf (6.06 MB)',
    );
  });

  it('is asked for with the token', async () => {
    await get(undefined, { token: 'secret' });
    expect(hub.requests[0]?.authorization).toBe('Bearer secret');
  });
});

describe('a connection that breaks', () => {
  it('is taken up where it ended, after a pause', async () => {
    Object.assign(hub.faults, { cuts: 2, cutAfterBytes: Math.floor(content.length / 3) });
    await get();
    expect(readFileSync(target()).equals(content)).toBe(true);
    expect(hub.requests.map((request) => request.range !== undefined)).toEqual([false, true, true]);
    expect(hub.requests[1]?.ifRange).toBe('"v1"');
    expect(waits).toEqual([1000, 1000]);
  });

  it('leaves a part that the next start continues', async () => {
    Object.assign(hub.faults, { cuts: 1, cutAfterBytes: HALF });
    const abort = new AbortController();
    const wait = () => {
      abort.abort();
      return Promise.resolve();
    };
    const tools = async () => ({ network: { fetch, wait, stallMs: 10_000 }, progress });
    await expect(get(undefined, { signal: abort.signal, tools })).rejects.toThrow();
    expect(existsSync(target())).toBe(false);
    expect(existsSync(`${target()}.part`)).toBe(true);
    await get();
    expect(log.at(-3)).toMatch(new RegExp(`^begin tiny-Q4_K_M.gguf [1-9]\\d*/${content.length}`));
    expect(readFileSync(target()).equals(content)).toBe(true);
  });

  it('counts as broken when nothing arrives any more', async () => {
    Object.assign(hub.faults, { stalls: 1, cutAfterBytes: HALF });
    await get(undefined, { stallMs: 50 });
    expect(log).toContain('retry nothing arrived for 0 s');
    expect(readFileSync(target()).equals(content)).toBe(true);
  });

  it('is given up after fruitless tries with ever longer pauses, keeping what arrived', async () => {
    Object.assign(hub.faults, { cuts: 1, cutAfterBytes: HALF });
    const failing = async () => ({
      network: {
        fetch: (...given: Parameters<typeof fetch>) => {
          if (hub.requests.length > 0) hub.faults.refusals = 1;
          return fetch(...given);
        },
        wait: async (ms: number) => {
          waits.push(ms);
        },
        stallMs: 10_000,
      },
      progress,
    });
    await expect(get(undefined, { tools: failing })).rejects.toThrow(
      /answered 500\. The .* MB that arrived are kept/,
    );
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000]);
  });
});

describe('a part from before', () => {
  const leave = async () => {
    await get();
    const whole = readFileSync(target());
    rmSync(target());
    writeFileSync(`${target()}.part`, whole.subarray(0, HALF));
    const identity = `${content.length}:${(await import('node:crypto')).createHash('sha256').update(content).digest('hex')}`;
    writeFileSync(`${target()}.part.json`, JSON.stringify({ identity, etag: '"v1"' }));
    hub.requests.length = 0;
  };

  it('is started over when the server sends the whole file', async () => {
    await leave();
    hub.faults.ignoreRanges = true;
    await get();
    expect(readFileSync(target()).equals(content)).toBe(true);
  });

  it('is started over when the source has changed', async () => {
    await leave();
    hub.faults.etag = '"v2"';
    await get();
    expect(hub.requests[0]).toMatchObject({ range: `bytes=${HALF}-`, ifRange: '"v1"' });
    expect(readFileSync(target()).equals(content)).toBe(true);
  });

  it('is left alone while another process fetches the rest', async () => {
    await leave();
    writeFileSync(`${target()}.part.pid`, `${process.ppid}\n`);
    await expect(get()).rejects.toThrow(`is being fetched by process ${process.ppid} already`);
    expect(statSync(`${target()}.part`).size).toBe(HALF);
    rmSync(`${target()}.part.pid`);
    await get();
    expect(readFileSync(target()).equals(content)).toBe(true);
    expect(existsSync(`${target()}.part.pid`)).toBe(false);
  });

  it('is not trusted without its note', async () => {
    await leave();
    rmSync(`${target()}.part.json`);
    await get();
    expect(hub.requests[0]?.range).toBeUndefined();
  });
});

describe('a hub that refuses', () => {
  it.each([
    [401, 'access refused (401). It does not exist, or it is private or gated: set HF_TOKEN'],
    [403, 'access refused (403). Accept its terms'],
    [404, 'hf:acme/tiny-GGUF: not found on http://127.0.0.1:'],
  ])('with %i is explained at once', async (status, message) => {
    Object.assign(hub.faults, { refusals: 1, status });
    await expect(get()).rejects.toThrow(message);
    expect(waits).toEqual([]);
  });

  it('for a moment is asked again', async () => {
    Object.assign(hub.faults, { refusals: 1, status: 503 });
    await get();
    expect(waits).toEqual([1000]);
  });

  it('with a wrong checksum leaves no file behind', async () => {
    hub.faults.wrongChecksum = true;
    await expect(get()).rejects.toThrow(
      /the checksum of what arrived is [0-9a-f]{64} but should be 0{64}; it was deleted/,
    );
    expect(readdirSync(join(folder, 'acme', 'tiny-GGUF'))).toEqual([]);
  });

  it('by not being there is told apart, with what to do', async () => {
    const closed = await HubServer.start({});
    await closed[Symbol.asyncDispose]();
    await expect(get(undefined, { hub: { endpoint: closed.endpoint } })).rejects.toThrow(
      /^Cannot reach http:\/\/127\.0\.0\.1:\d+ \(ECONNREFUSED\).*Without a network, give the path of a GGUF file/,
    );
  });
});

describe('the folder of models', () => {
  const remove = (given: string) => {
    const reference = parseReference(given, '/');
    if (reference.kind !== 'hub') throw new Error('not a hub reference');
    return removeStored(folder, reference);
  };

  it('lists what it holds, and forgets it with its empty folders', async () => {
    await get();
    await get('hf:acme/tiny-GGUF:Q8_0');
    expect(listStored(folder).map((model) => [model.reference, model.sizeBytes, model.isComplete])).toEqual([
      ['hf:acme/tiny-GGUF:tiny-Q4_K_M.gguf', content.length, true],
      ['hf:acme/tiny-GGUF:tiny-Q8_0.gguf', content.length, true],
    ]);
    expect(() => remove('hf:acme/tiny-GGUF')).toThrow(
      'stands for several models; name one: hf:acme/tiny-GGUF:tiny-Q4',
    );
    expect(remove('hf:acme/tiny-GGUF:q8_0')).toBe(content.length);
    expect(remove('hf:acme/tiny-GGUF')).toBe(content.length);
    expect(readdirSync(folder)).toEqual([]);
    expect(() => remove('hf:acme/tiny-GGUF')).toThrow('hf:acme/tiny-GGUF has no GGUF model.');
  });

  it('forgets what an interrupted download left', async () => {
    await get();
    rmSync(target());
    writeFileSync(`${target()}.part`, 'abc');
    expect(remove('hf:acme/tiny-GGUF')).toBe(3);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('does not serve a file that was damaged since', async () => {
    await get();
    truncateSync(target(), 1000);
    await expect(get()).rejects.toThrow('cut off');
  });
});
