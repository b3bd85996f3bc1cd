// Several models in one server, within a budget of memory: each is loaded when it is first asked for, and those that
// nobody is using make room, least recently used first. Server process.

import { KoineError } from '../protocol/index.js';
import type { ManagedEngine } from './engine.js';
import { EngineOnDemand, type PooledEngine } from './pool/engine-on-demand.js';
import type { Entry, PoolModel } from './pool/entry.js';
import { Gate } from './pool/gate.js';

export type { PooledEngine } from './pool/engine-on-demand.js';
export type { PoolModel } from './pool/entry.js';

/** How much memory there is, and who waits how long for it. */
export interface PoolOptions {
  readonly budgetBytes: number;
  /** Milliseconds a request waits for another model to become idle. */
  readonly patienceMs?: number;
  /** Milliseconds new requests for a busy model are held back, so that it becomes idle and another gets its turn. */
  readonly gateMs?: number;
  /** Time between two looks at a model that is to become idle. Milliseconds. */
  readonly pollMs?: number;
}

const PATIENCE_MS = 60_000;
const GATE_MS = 10_000;
const POLL_MS = 25;

/** Models under one budget. */
export class EnginePool {
  readonly #members = new Map<PooledEngine, Entry>();
  readonly #options: PoolOptions;
  #loading: Promise<unknown> = Promise.resolve();
  #tick = 0;

  constructor(models: readonly PoolModel[], options: PoolOptions) {
    this.#options = options;
    for (const model of models) this.add(model);
  }

  /** The engines of all models, in the order they came. */
  get engines(): readonly PooledEngine[] {
    return [...this.#members.keys()];
  }

  /** Takes a model in; nothing is loaded by that. */
  add(model: PoolModel): PooledEngine {
    const entry: Entry = {
      model,
      engine: undefined,
      description: undefined,
      lastUsed: 0,
      claims: 0,
      arrival: undefined,
      wanted: [],
      gate: undefined,
      isLeaving: false,
      isGone: false,
      pending: undefined,
    };
    const engine = new EngineOnDemand(entry, {
      start: () => this.#start(entry),
      claimNow: () => this.#claimNow(entry),
      claim: (signal) => this.#claim(entry, signal),
      unload: () => this.#unload(entry),
    });
    this.#members.set(engine, entry);
    return engine;
  }

  /**
   * Unloads a model and forgets it. Requests that arrive meanwhile are refused with `model_not_found`; those that run
   * are waited for. Throws `conflict` when they go on for too long, and the model stays.
   */
  async remove(engine: PooledEngine): Promise<void> {
    const entry = this.#members.get(engine);
    if (entry === undefined) return;
    entry.isGone = true;
    try {
      await this.#unload(entry);
    } catch (error) {
      entry.isGone = false;
      throw error;
    }
    this.#members.delete(engine);
  }

  /** The engine of a model that can be asked at once, with a claim on it. */
  #claimNow(entry: Entry): ManagedEngine | undefined {
    entry.lastUsed = ++this.#tick;
    const isOpen = entry.arrival === undefined && entry.gate === undefined && !entry.isGone;
    const engine = isOpen ? liveEngine(entry) : undefined;
    if (engine !== undefined) entry.claims++;
    return engine;
  }

  /** The same, after loading the model, or waiting for it to be loaded, if it is not there. */
  async #claim(entry: Entry, signal?: AbortSignal): Promise<ManagedEngine> {
    while (entry.gate !== undefined && !entry.isGone) await entry.gate;
    if (entry.isGone) throw gone(entry);
    const engine = this.#claimNow(entry);
    if (engine !== undefined) return engine;
    entry.wanted.push(signal);
    entry.arrival ??= this.#start(entry);
    return entry.arrival;
  }

  /** Loads a model if it is not. One at a time, in the order asked for. */
  #start(entry: Entry): Promise<ManagedEngine> {
    const loaded = this.#loading.then(() => this.#loadNow(entry));
    // The next one in line does not care how this one went.
    this.#loading = loaded.catch(() => undefined);
    const pending = this.#loading.then(() => {
      if (entry.pending === pending) entry.pending = undefined;
    });
    entry.pending = pending;
    return loaded;
  }

  async #loadNow(entry: Entry): Promise<ManagedEngine> {
    try {
      const engine = liveEngine(entry) ?? (await this.#launch(entry));
      entry.claims += entry.wanted.length;
      return engine;
    } finally {
      // In the same breath as the claims: who comes later finds the engine, or has it loaded anew.
      entry.wanted = [];
      entry.arrival = undefined;
    }
  }

  async #launch(entry: Entry): Promise<ManagedEngine> {
    await this.#makeRoom(entry);
    if (entry.isGone) throw gone(entry);
    const engine = entry.model.start();
    entry.engine = engine;
    try {
      entry.description = await engine.ready;
      return engine;
    } catch (cause) {
      entry.engine = undefined;
      const message = cause instanceof Error ? cause.message : String(cause);
      throw new KoineError(
        'unavailable',
        `the model ${entry.model.outline.id} could not be loaded: ${message}`,
      );
    }
  }

  /** Unloads idle models until one of this size fits; waits a while for busy ones to become idle. */
  async #makeRoom(entry: Entry): Promise<void> {
    const gate = new Gate(this.#options.gateMs ?? GATE_MS);
    try {
      await this.#makeRoomBehind(gate, entry);
    } finally {
      gate[Symbol.dispose]();
    }
  }

  async #makeRoomBehind(gate: Gate, entry: Entry): Promise<void> {
    const { bytes, outline } = entry.model;
    if (bytes > this.#options.budgetBytes) throw tooLarge(outline.id, bytes, this.#options.budgetBytes);
    const until = performance.now() + (this.#options.patienceMs ?? PATIENCE_MS);
    for (;;) {
      if (isGivenUp(entry)) throw new KoineError('cancelled');
      if (this.#usedBytes() + bytes <= this.#options.budgetBytes) return;
      const loaded = this.#leastRecentlyUsed();
      const idle = loaded.find(isIdle);
      if (idle !== undefined) {
        await end(idle);
        gate.open();
        continue;
      }
      if (performance.now() > until) {
        throw new KoineError(
          'overloaded',
          `all memory is in use by models that are busy; ${outline.id} has to wait`,
          { retryAfterSeconds: 5 },
        );
      }
      gate.holdBack(loaded[0]);
      await pause(this.#options.pollMs ?? POLL_MS);
    }
  }

  /** Ends a model's process once it is idle, behind a closed gate. */
  async #unload(entry: Entry): Promise<void> {
    // What is just being loaded cannot be ended halfway.
    while (entry.pending !== undefined) await entry.pending;
    const gate = new Gate(Number.POSITIVE_INFINITY);
    const until = performance.now() + (this.#options.gateMs ?? GATE_MS);
    try {
      gate.holdBack(entry);
      while (!isIdle(entry)) {
        if (performance.now() > until) throw busy(entry);
        await pause(this.#options.pollMs ?? POLL_MS);
      }
      await end(entry);
    } finally {
      gate[Symbol.dispose]();
    }
  }

  #usedBytes(): number {
    return this.#entries()
      .filter((entry) => liveEngine(entry) !== undefined || entry.isLeaving)
      .reduce((sum, { model }) => sum + model.bytes, 0);
  }

  #entries(): readonly Entry[] {
    return [...this.#members.values()];
  }

  #leastRecentlyUsed(): readonly Entry[] {
    return this.#entries()
      .filter((entry) => liveEngine(entry) !== undefined)
      .sort((a, b) => a.lastUsed - b.lastUsed);
  }
}

/** The engine of an entry, unless its process has given up. */
function liveEngine(entry: Entry): ManagedEngine | undefined {
  return entry.engine?.status().state === 'stopped' ? undefined : entry.engine;
}

/** Whether nobody uses a model; one that is not loaded is idle. */
function isIdle({ engine, claims }: Entry): boolean {
  return claims === 0 && (engine === undefined || engine.inFlight === 0);
}

/** Ends the process of an entry. Its memory counts until it is gone. */
async function end(entry: Entry): Promise<void> {
  const { engine } = entry;
  if (engine === undefined) return;
  entry.engine = undefined;
  entry.isLeaving = true;
  try {
    await engine.close();
  } finally {
    entry.isLeaving = false;
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function gone({ model }: Entry): KoineError {
  return new KoineError('model_not_found', `The model \`${model.outline.id}\` was removed.`);
}

function busy({ model, engine }: Entry): KoineError {
  const count = engine?.inFlight ?? 0;
  const running = count === 1 ? 'a request is running' : `${count} requests are running`;
  return new KoineError(
    'conflict',
    `The model \`${model.outline.id}\` is in use: ${running}. Try again later.`,
  );
}

/** Whether everybody for whom it was to be loaded has left. At the start nobody asks, and it is loaded all the same. */
function isGivenUp({ wanted }: Entry): boolean {
  return wanted.length > 0 && wanted.every((signal) => signal?.aborted === true);
}

function tooLarge(id: string, bytes: number, budget: number): KoineError {
  const gb = (value: number): string => `${(value / 1e9).toFixed(1)} GB`;
  return new KoineError(
    'unavailable',
    `the model ${id} needs about ${gb(bytes)}, the memory budget is ${gb(budget)}: ` +
      'use a smaller quantisation, a smaller --ctx-size or --parallel, or raise --memory-budget',
  );
}
