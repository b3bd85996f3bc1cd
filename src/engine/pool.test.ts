import { describe, expect, it } from 'vitest';
import type { GenerateEvent, ModelDescription } from '../protocol/index.js';
import type { ManagedEngine } from './engine.js';
import { EnginePool, type PooledEngine } from './pool.js';

/** An engine that records its life and is as busy as the test says. */
class Stub {
  isOpen = true;
  busy = 0;
  /** Lets it be ready. */
  arrive: () => void = () => undefined;
  readonly #arrival: Promise<void>;
  constructor(
    readonly id: string,
    readonly failure?: string,
    isSlow = false,
  ) {
    this.#arrival = isSlow
      ? new Promise((resolve) => {
          this.arrive = resolve;
        })
      : Promise.resolve();
  }
  get inFlight(): number {
    return this.busy;
  }
  get ready(): Promise<ModelDescription> {
    return this.#arrival.then(() => {
      if (this.failure !== undefined) throw new Error(this.failure);
      return outline(`${this.id} loaded`);
    });
  }
  async describe(): Promise<ModelDescription> {
    return this.ready;
  }
  async *generate(): AsyncGenerator<GenerateEvent> {
    yield { kind: 'delta', choice: 0, text: this.id };
  }
  status(): { state: string } {
    return { state: this.isOpen ? 'ready' : 'stopped' };
  }
  async close(): Promise<void> {
    this.isOpen = false;
  }
}

function outline(id: string): ModelDescription {
  return { id } as ModelDescription;
}

interface Ways {
  readonly failures?: Readonly<Record<string, string>>;
  /** Loads only when the test says so. */
  readonly slow?: string;
  readonly gateMs?: number;
}

function poolOf(sizes: Record<string, number>, budgetBytes: number, ways: Ways = {}) {
  const { failures = {}, slow, gateMs = 10_000 } = ways;
  const started: Stub[] = [];
  const models = Object.entries(sizes).map(([id, bytes]) => ({
    outline: outline(id),
    bytes,
    start: (): ManagedEngine => {
      const stub = new Stub(id, failures[id], slow === id);
      started.push(stub);
      return stub as unknown as ManagedEngine;
    },
  }));
  const pool = new EnginePool(models, { budgetBytes, patienceMs: 100, gateMs, pollMs: 1 });
  const engine = (i: number): PooledEngine => pool.engines[i] as PooledEngine;
  const ask = async (i: number): Promise<string> => {
    const events: GenerateEvent[] = [];
    for await (const event of engine(i).generate({} as never, new AbortController().signal))
      events.push(event);
    return events.map((event) => (event.kind === 'delta' ? event.text : JSON.stringify(event))).join();
  };
  return {
    pool,
    started,
    engine,
    ask,
    open: () => started.filter((stub) => stub.isOpen).map((stub) => stub.id),
  };
}

describe('a pool of models', () => {
  it('loads a model when it is first asked for, and once', async () => {
    const { started, ask, engine } = poolOf({ a: 1, b: 1 }, 10);
    expect(started).toEqual([]);
    expect(engine(0).status().state).toBe('unloaded');
    expect(engine(0).known).toEqual({ id: 'a' });
    expect(started).toEqual([]);
    expect(await ask(0)).toBe('a');
    expect(await ask(0)).toBe('a');
    expect(started.map(({ id }) => id)).toEqual(['a']);
    expect(engine(0).known).toEqual({ id: 'a loaded' });
  });

  it('describes a model as it is loaded, and once unloaded as it was', async () => {
    const { started, ask, engine, open } = poolOf({ a: 4, b: 4 }, 4);
    expect(await engine(0).describe()).toEqual({ id: 'a loaded' });
    await ask(1);
    expect(await engine(0).describe()).toEqual({ id: 'a loaded' });
    expect(open()).toEqual(['b']);
    expect(started).toHaveLength(2);
  });

  it('lets everybody wait for a model that is loaded on demand, and refuses nobody', async () => {
    const { started, ask, engine } = poolOf({ a: 1 }, 8, { slow: 'a' });
    const first = ask(0);
    await expect.poll(() => started.length).toBe(1);
    const later = [ask(0), engine(0).describe()];
    let isAnswered = false;
    for (const answer of later)
      void answer.finally(() => {
        isAnswered = true;
      });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isAnswered).toBe(false);
    started[0]?.arrive();
    expect(await Promise.all([first, ...later])).toEqual(['a', 'a', { id: 'a loaded' }]);
    expect(started).toHaveLength(1);
  });

  it('leaves it to a model that is loaded at the start to refuse who comes too early', async () => {
    const { started, ask, engine } = poolOf({ a: 1 }, 8, { slow: 'a' });
    const ready = engine(0).ready;
    await expect.poll(() => started.length).toBe(1);
    expect(await ask(0)).toBe('a');
    started[0]?.arrive();
    expect(await ready).toEqual({ id: 'a loaded' });
  });

  it('loads once for requests that come together', async () => {
    const { started, ask } = poolOf({ a: 1 }, 10);
    await Promise.all([ask(0), ask(0), ask(0)]);
    expect(started).toHaveLength(1);
  });

  it('unloads the least recently used to make room', async () => {
    const { ask, open } = poolOf({ a: 4, b: 4, c: 4 }, 8);
    await ask(0);
    await ask(1);
    await ask(0);
    await ask(2);
    expect(open()).toEqual(['a', 'c']);
  });

  it('unloads nobody for the memory of a process that is gone', async () => {
    const { started, ask, open } = poolOf({ a: 6, b: 4 }, 10);
    await ask(0);
    await ask(1);
    // Its process has given up.
    if (started[0] !== undefined) started[0].isOpen = false;
    await ask(0);
    expect(open()).toEqual(['b', 'a']);
  });

  it('never unloads a model that is busy', async () => {
    const { started, ask, open } = poolOf({ a: 4, b: 4, c: 4 }, 8);
    await ask(0);
    await ask(1);
    for (const stub of started) stub.busy = 1;
    expect(await ask(2)).toContain('"code":"overloaded"');
    expect(open()).toEqual(['a', 'b']);
  });

  it('waits for a busy one to become idle', async () => {
    const { started, ask, open } = poolOf({ a: 4, b: 4 }, 4);
    await ask(0);
    const [first] = started;
    if (first !== undefined) first.busy = 1;
    const asked = ask(1);
    setTimeout(() => {
      if (first !== undefined) first.busy = 0;
    }, 10);
    expect(await asked).toBe('b');
    expect(open()).toEqual(['b']);
  });

  it('holds back new requests for a busy one while another waits for its turn', async () => {
    const { started, ask, open } = poolOf({ a: 4, b: 4 }, 4);
    await ask(0);
    const [first] = started;
    if (first !== undefined) first.busy = 1;
    const asked = [ask(1), ask(1)];
    await new Promise((resolve) => setImmediate(resolve));
    const later = [ask(0), ask(0)];
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(open()).toEqual(['a']);
    if (first !== undefined) first.busy = 0;
    expect(await Promise.all([...asked, ...later])).toEqual(['b', 'b', 'a', 'a']);
    expect(started.map(({ id }) => id)).toEqual(['a', 'b', 'a']);
  });

  it('does not hold them back for long when it stays busy', async () => {
    const { started, ask } = poolOf({ a: 4, b: 4 }, 4, { gateMs: 20 });
    await ask(0);
    const [first] = started;
    if (first !== undefined) first.busy = 1;
    const asked = ask(1);
    await new Promise((resolve) => setImmediate(resolve));
    const order: string[] = [];
    const noted = [asked, ask(0)].map(async (answer) => void order.push(await answer));
    await Promise.all(noted);
    expect(order).toEqual(['a', expect.stringContaining('"code":"overloaded"')]);
    expect(started).toHaveLength(1);
  });

  it('serves whatever comes in whatever order, one model at a time', async () => {
    const { ask, open } = poolOf({ a: 4, b: 4, c: 4 }, 4);
    const order = Array.from({ length: 60 }, (_, i) => (i * 7) % 3);
    const answers = order.map(async (i, at) => {
      for (let turns = 0; turns < at % 5; turns += 1) await new Promise((resolve) => setImmediate(resolve));
      return ask(i);
    });
    expect(await Promise.all(answers)).toEqual(order.map((i) => ['a', 'b', 'c'][i]));
    expect(open()).toHaveLength(1);
  });

  it('refuses what can never fit, naming sizes and remedy', async () => {
    const { ask, open } = poolOf({ a: 4, huge: 20e9 }, 8e9);
    await ask(0);
    expect(await ask(1)).toContain('the model huge needs about 20.0 GB, the memory budget is 8.0 GB');
    expect(open()).toEqual(['a']);
  });

  it('tells why a model cannot be loaded, and tries again the next time', async () => {
    const { started, ask } = poolOf({ a: 1 }, 8, { failures: { a: 'the file is gone' } });
    expect(await ask(0)).toContain('the model a could not be loaded: the file is gone');
    await ask(0);
    expect(started).toHaveLength(2);
  });

  it('loads nothing once it is closed', async () => {
    const { started, ask, engine } = poolOf({ a: 1 }, 8);
    await engine(0).close();
    expect(await ask(0)).toContain('"code":"unavailable"');
    expect(started).toEqual([]);
    expect(engine(0).status().state).toBe('stopped');
  });
});

describe('a pool that is managed', () => {
  const newcomer = (id: string, bytes = 1) => {
    const stub = new Stub(id);
    return { stub, model: { outline: outline(id), bytes, start: () => stub as unknown as ManagedEngine } };
  };
  const rejection = (failing: Promise<unknown>): Promise<unknown> =>
    failing.then(
      () => 'nothing went wrong',
      (error: unknown) => error,
    );

  it('takes a model in without loading it, and makes room for it like for any other', async () => {
    const { pool, ask, open } = poolOf({ a: 4 }, 4);
    await ask(0);
    const { stub, model } = newcomer('b', 4);
    const engine = pool.add(model);
    expect(pool.engines).toHaveLength(2);
    expect([engine.status().state, open()]).toEqual(['unloaded', ['a']]);
    await engine.load();
    expect([stub.isOpen, engine.status().state, open()]).toEqual([true, 'ready', []]);
  });

  it('loads and unloads on request, once, and again when it is asked', async () => {
    const { engine, started, open, ask } = poolOf({ a: 1 }, 1);
    await Promise.all([engine(0).load(), engine(0).load()]);
    expect(started).toHaveLength(1);
    await Promise.all([engine(0).unload(), engine(0).unload()]);
    expect([open(), engine(0).status().state]).toEqual([[], 'unloaded']);
    await engine(0).unload();
    expect(await ask(0)).toBe('a');
    expect(started).toHaveLength(2);
  });

  it('waits for what runs before it unloads, and holds back what comes', async () => {
    const { engine, ask, started, open } = poolOf({ a: 1 }, 1);
    await ask(0);
    const [first] = started;
    if (first === undefined) throw new Error('nothing was started');
    first.busy = 1;
    const unloaded = engine(0).unload();
    const later = ask(0);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect([first.isOpen, started.length]).toEqual([true, 1]);
    first.busy = 0;
    await unloaded;
    expect(await later).toBe('a');
    expect([first.isOpen, open()]).toEqual([false, ['a']]);
  });

  it('refuses to unload or remove what stays busy, and serves it on', async () => {
    const { pool, engine, ask, started } = poolOf({ a: 1 }, 1, { gateMs: 10 });
    await ask(0);
    const [first] = started;
    if (first === undefined) throw new Error('nothing was started');
    first.busy = 2;
    const refusals = [rejection(engine(0).unload()), rejection(pool.remove(engine(0)))];
    for (const refused of await Promise.all(refusals)) {
      expect(refused).toMatchObject({
        code: 'conflict',
        message: 'The model `a` is in use: 2 requests are running. Try again later.',
      });
    }
    expect([first.isOpen, pool.engines.length, await ask(0), started.length]).toEqual([true, 1, 'a', 1]);
  });

  it('ends a model that is being loaded only once it has been', async () => {
    const { pool, engine, started, open } = poolOf({ a: 1 }, 1, { slow: 'a' });
    const ready = engine(0).ready;
    await expect.poll(() => started.length).toBe(1);
    const removed = pool.remove(engine(0));
    await new Promise((resolve) => setImmediate(resolve));
    expect(open()).toEqual(['a']);
    started[0]?.arrive();
    await removed;
    expect([(await ready).id, open(), pool.engines]).toEqual(['a loaded', [], []]);
  });

  it('knows a removed model no more: whoever waited for it or still holds it is told', async () => {
    const { pool, engine, ask, started } = poolOf({ a: 1 }, 1);
    await ask(0);
    const [first] = started;
    if (first === undefined) throw new Error('nothing was started');
    const a = engine(0);
    first.busy = 1;
    const held = a.unload();
    const waiting = rejection(a.embed({} as never, new AbortController().signal));
    const removed = pool.remove(a);
    first.busy = 0;
    await Promise.all([held, removed]);
    const gone = { code: 'model_not_found', message: 'The model `a` was removed.' };
    expect(await waiting).toMatchObject(gone);
    expect(await rejection(a.load())).toMatchObject(gone);
    await pool.remove(a);
    expect([started.length, first.isOpen]).toEqual([1, false]);
  });

  it('counts the memory of a process until it has ended', async () => {
    const { pool, engine, ask, started } = poolOf({ a: 4 }, 4);
    await ask(0);
    const [first] = started;
    if (first === undefined) throw new Error('nothing was started');
    let letGo: () => void = () => undefined;
    first.close = () =>
      new Promise((resolve) => {
        letGo = () => {
          first.isOpen = false;
          resolve();
        };
      });
    const unloaded = engine(0).unload();
    const { stub, model } = newcomer('b', 4);
    let isLoaded = false;
    const loaded = pool
      .add(model)
      .load()
      .then(() => {
        isLoaded = true;
      });
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(isLoaded).toBe(false);
    letGo();
    await Promise.all([unloaded, loaded]);
    expect(stub.isOpen).toBe(true);
  });
});
