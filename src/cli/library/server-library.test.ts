// What the paths over HTTP cannot easily show: several changes at once, files that change behind the server's back, and
// models that do not fit. Engines are stubs; files and downloads are real.

import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HubServer } from '../../../test/support/hub-server.js';
import { loadSettings } from '../../config/index.js';
import { EnginePool, type ManagedEngine } from '../../engine/index.js';
import { resolveModel } from '../../models/index.js';
import type { ModelDescription } from '../../protocol/index.js';
import { createLogger } from '../../telemetry/index.js';
import { memoryBudget, planModel } from '../model-pool.js';
import { ModelSet } from '../model-set.js';
import { resolveOptionsOf } from '../resolve-options.js';
import { openLibrary } from './open-library.js';
import type { ServerLibrary } from './server-library.js';

const DEMO = fileURLToPath(new URL('../../../models/demo/koine-demo-q8_0.gguf', import.meta.url));
const ID = 'acme:tiny-GGUF:tiny-Q8_0.gguf';
const never = new AbortController().signal;

let folder: string;
let modelsDir: string;
let hub: HubServer;
let engines: { id: string; inFlight: number; isOpen: boolean }[];
let models: ModelSet;
let opened: ServerLibrary[];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'koine-library-'));
  modelsDir = join(folder, 'models');
  hub = await HubServer.start({ 'tiny-Q8_0.gguf': readFileSync(DEMO) });
  engines = [];
  opened = [];
});
afterEach(async () => {
  for (const library of opened) await library.close();
  await hub[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** Puts a model into the folder as if it had been pulled. */
function put(path = 'acme/tiny-GGUF/tiny-Q8_0.gguf'): string {
  const target = join(modelsDir, ...path.split('/'));
  mkdirSync(dirname(target), { recursive: true });
  cpSync(DEMO, target);
  return target;
}

/** A library over the folder; `given` is served from the start, as if named on the command line. */
async function open(given: readonly string[] = [], budget = '0'): Promise<ServerLibrary> {
  const env = { KOINE_MODELS_DIR: modelsDir, HF_ENDPOINT: hub.endpoint, KOINE_CTX_SIZE: '128' };
  const flags = { parallel: '1', memoryBudget: budget };
  const settings = await loadSettings({ flags, env, cwd: folder });
  const budgetBytes = memoryBudget(settings);
  const pool = new EnginePool([], { budgetBytes, gateMs: 1000 });
  const planned = [];
  for (const model of given) {
    const found = await resolveModel(model, resolveOptionsOf(settings, never));
    planned.push(planModel(settings, { ...found, aliases: [] }, budgetBytes));
  }
  models = new ModelSet(planned, pool, ({ modelId }) => {
    const stub = {
      id: modelId,
      inFlight: 0,
      isOpen: true,
      ready: Promise.resolve({ id: modelId, aliases: [] } as unknown as ModelDescription),
      status: () => ({ state: stub.isOpen ? 'ready' : 'stopped' }),
      close: async () => {
        stub.isOpen = false;
      },
    };
    engines.push(stub);
    return stub as unknown as ManagedEngine;
  });
  const log = createLogger({ level: 'silent' });
  const library = openLibrary({ settings, models, budgetBytes, chatTemplate: undefined, log });
  opened.push(library);
  return library;
}
const ids = async (library: ServerLibrary) => (await library.list()).map(({ id }) => id);
const refusal = (failing: Promise<unknown>): Promise<unknown> =>
  failing.then(
    () => 'nothing went wrong',
    (error: unknown) => error,
  );

describe('a library', () => {
  it('serves what is in the folder, once, whatever else it is called', async () => {
    put();
    const library = await open(['hf:acme/tiny-GGUF']);
    expect(await library.list()).toMatchObject([{ id: ID, servedAs: 'tiny-Q8_0', files: 'complete' }]);
    expect((await library.get(ID)).servedAs).toBe('tiny-Q8_0');
    expect((await library.get('tiny-Q8_0')).id).toBe(ID);
  });

  it('notices files that come and go by hand', async () => {
    const library = await open();
    expect(await ids(library)).toEqual([]);
    const path = put();
    expect(await ids(library)).toEqual([ID]);
    await library.start(ID, never);
    rmSync(path);
    // What is in memory can still be asked.
    expect(await ids(library)).toEqual([ID]);
    await library.stop(ID);
    expect(await refusal(library.get(ID))).toMatchObject({ code: 'model_not_found' });
    expect(await ids(library)).toEqual([]);
  });

  it('lists a model that does not fit, and says why it cannot be started', async () => {
    put();
    const library = await open([], '1MB');
    const [model] = await library.list();
    expect(model).toMatchObject({
      id: ID,
      files: 'complete',
      problem: expect.stringContaining('needs about'),
    });
    expect(model).not.toHaveProperty('servedAs');
    expect(model?.problem).not.toContain(folder);
    expect(await refusal(library.start(ID, never))).toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('or raise --memory-budget'),
    });
  });

  it('keeps names apart', async () => {
    put();
    put('acme/other/other.gguf');
    const given = join(folder, 'given.gguf');
    cpSync(DEMO, given);
    const library = await open([given]);
    expect((await library.rename(ID, 'tiny')).aliases).toEqual(['tiny', 'tiny-Q8_0']);
    for (const name of ['tiny', 'given', ID, 'tiny-Q8_0']) {
      expect([name, await refusal(library.rename('other', name))]).toEqual([
        name,
        expect.objectContaining({ code: 'conflict' }),
      ]);
    }
    expect(await refusal(library.rename('other', 'a/b'))).toMatchObject({ code: 'invalid_request' });
    expect(await refusal(library.rename('given', 'x'))).toMatchObject({ code: 'conflict' });
    expect((await library.rename('tiny', 'small')).aliases).toEqual(['small', 'tiny-Q8_0']);
    expect((await library.rename('small', null)).aliases).toEqual(['tiny-Q8_0']);
    expect((await library.get(ID)).name).toBeUndefined();
  });
});

describe('removing a model', () => {
  it('that stays busy is refused, and it and its file are still there', async () => {
    const path = put();
    const library = await open();
    await library.start(ID, never);
    const [engine] = engines;
    if (engine === undefined) throw new Error('nothing was started');
    engine.inFlight = 1;
    const removed = refusal(library.remove(ID));
    const meanwhile = [library.remove(ID), library.start(ID, never), library.pull({ model: ID })];
    for (const other of meanwhile) {
      expect(await refusal(other)).toMatchObject({
        code: 'conflict',
        message: `The model ${ID} is just being imported or removed. Try again later.`,
      });
    }
    expect(await removed).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('in use'),
    });
    expect([existsSync(path), engine.isOpen, (await library.get(ID)).state]).toEqual([true, true, 'ready']);
    engine.inFlight = 0;
    expect(await library.remove(ID)).toBe('deleted');
    expect([existsSync(path), engine.isOpen, await ids(library)]).toEqual([false, false, []]);
  });

  it('does not serve it anew while its file is still there', async () => {
    put();
    const library = await open();
    await library.start(ID, never);
    const [engine] = engines;
    if (engine === undefined) throw new Error('nothing was started');
    engine.inFlight = 1;
    const removed = library.remove(ID);
    expect((await library.list()).map(({ servedAs }) => servedAs)).toEqual([undefined]);
    expect(() => models.router.resolve(ID)).toThrow('does not exist');
    engine.inFlight = 0;
    expect(await removed).toBe('deleted');
  });
});

describe('importing a model', () => {
  it('under one id twice at the same time takes one of them', async () => {
    const library = await open();
    const wish = { path: DEMO, id: 'mine', how: 'copy' } as const;
    const results = await Promise.all([refusal(library.import(wish)), refusal(library.import(wish))]);
    expect(results).toEqual(['nothing went wrong', expect.objectContaining({ code: 'conflict' })]);
    expect(await library.get('mine')).toMatchObject({ servedAs: 'mine', files: 'complete' });
  });
});

describe('pulling a model', () => {
  it('that is there names it, and does not ask for its files', async () => {
    put();
    const library = await open();
    expect(await library.pull({ model: 'acme/tiny-GGUF', name: 'Tiny (1)' })).toMatchObject({
      id: ID,
      files: 'complete',
      name: 'Tiny (1)',
      aliases: ['Tiny (1)', 'tiny-Q8_0'],
    });
    expect(hub.requests).toEqual([]);
  });

  it('may name it while it is being fetched', async () => {
    Object.assign(hub.faults, { stalls: 1, cutAfterBytes: 1000 });
    const given = join(folder, 'given.gguf');
    cpSync(DEMO, given);
    const library = await open([given]);
    await library.pull({ model: ID });
    expect(await library.rename(ID, 'soon')).toMatchObject({ files: 'downloading', name: 'soon' });
    expect(await refusal(library.rename(ID, 'given'))).toMatchObject({ code: 'conflict' });
    expect(await refusal(library.rename(ID, 'a/b'))).toMatchObject({ code: 'invalid_request' });
    expect((await library.rename(ID, null)).name).toBeUndefined();
  });

  it('ends when the library is closed, and says so', async () => {
    Object.assign(hub.faults, { stalls: 1, cutAfterBytes: 1000 });
    const library = await open();
    const events = library.follow((await library.pull({ model: ID })).id, 60_000, never);
    const states: unknown[] = [];
    for await (const { download } of events) {
      states.push(download?.state);
      void library.close();
    }
    expect(states).toEqual(['running', 'cancelled']);
  });
});
