// Several models in one server, within a budget of memory: each is loaded when it is first asked for, and those that
// nobody is using make room, least recently used first. Server process.

import {
  type ChatInput,
  type EmbedRequest,
  type EmbedResult,
  type EngineStatus,
  type GenerateEvent,
  type GenerateRequest,
  KoineError,
  type ModelDescription,
  type TokenizeRequest,
  type TokenSpan,
  toFailure,
} from '../protocol/index.js';
import type { ManagedEngine } from './engine.js';

/** A model of the pool. */
export interface PoolModel {
  /** What can be told of it before it is loaded. */
  readonly outline: ModelDescription;
  /** Memory it will take when loaded. */
  readonly bytes: number;
  /** Starts its process. */
  readonly start: () => ManagedEngine;
}

export interface PoolOptions {
  readonly budgetBytes: number;
  /** Milliseconds a request waits for another model to become idle. */
  readonly patienceMs?: number;
}

/** A model of a pool as an engine that is there whenever it is asked for. */
export interface PooledEngine extends ManagedEngine {
  /** What can be told of the model without loading it: all of it once it was loaded, before that its outline. */
  readonly known: ModelDescription;
}

interface Entry {
  readonly model: PoolModel;
  engine: ManagedEngine | undefined;
  description: ModelDescription | undefined;
  lastUsed: number;
  /** Requests that wait for it to be loaded. Nobody asks an engine that is not ready while it is worth waiting for. */
  awaited: number;
  /** Requests that are about to use it: it must not be unloaded under them. */
  claims: number;
}

const PATIENCE_MS = 60_000;
const POLL_MS = 25;

/** Models under one budget. */
export class EnginePool {
  readonly engines: readonly PooledEngine[];
  readonly #entries: readonly Entry[];
  readonly #options: PoolOptions;
  #loading: Promise<unknown> = Promise.resolve();
  #tick = 0;

  constructor(models: readonly PoolModel[], options: PoolOptions) {
    this.#options = options;
    this.#entries = models.map((model) => ({
      model,
      engine: undefined,
      description: undefined,
      lastUsed: 0,
      awaited: 0,
      claims: 0,
    }));
    this.engines = this.#entries.map(
      (entry) =>
        new EngineOnDemand(entry, {
          start: () => this.#start(entry),
          load: (signal) => this.#load(entry, signal),
        }),
    );
  }

  /** The engine of a request: a model that is not there is loaded, one that is being loaded is waited for. */
  async #load(entry: Entry, signal?: AbortSignal): Promise<ManagedEngine> {
    entry.lastUsed = ++this.#tick;
    const running = usableEngine(entry);
    if (running !== undefined) return running;
    entry.awaited++;
    try {
      return await this.#start(entry, signal);
    } finally {
      entry.awaited--;
    }
  }

  /** Loads a model if it is not. One at a time, in the order asked for. */
  #start(entry: Entry, signal?: AbortSignal): Promise<ManagedEngine> {
    const loaded = this.#loading.then(() => this.#loadNow(entry, signal));
    // The next one in line does not care how this one went.
    this.#loading = loaded.catch(() => undefined);
    return loaded;
  }

  async #loadNow(entry: Entry, signal: AbortSignal | undefined): Promise<ManagedEngine> {
    const running = liveEngine(entry);
    if (running !== undefined) return running;
    if (signal?.aborted === true) throw new KoineError('cancelled');
    await this.#makeRoom(entry, signal);
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
  async #makeRoom(entry: Entry, signal: AbortSignal | undefined): Promise<void> {
    const { bytes, outline } = entry.model;
    if (bytes > this.#options.budgetBytes) throw tooLarge(outline.id, bytes, this.#options.budgetBytes);
    const until = performance.now() + (this.#options.patienceMs ?? PATIENCE_MS);
    for (;;) {
      if (this.#usedBytes() + bytes <= this.#options.budgetBytes) return;
      const idle = this.#leastRecentlyUsed();
      if (idle !== undefined) {
        const { engine } = idle;
        idle.engine = undefined;
        await engine?.close();
        continue;
      }
      if (performance.now() > until || signal?.aborted === true) {
        throw new KoineError(
          'overloaded',
          `all memory is in use by models that are busy; ${outline.id} has to wait`,
          {
            retryAfterSeconds: 5,
          },
        );
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  #usedBytes(): number {
    return this.#entries.reduce(
      (sum, entry) => sum + (entry.engine === undefined ? 0 : entry.model.bytes),
      0,
    );
  }

  #leastRecentlyUsed(): Entry | undefined {
    return this.#entries
      .filter((entry) => entry.engine !== undefined && entry.engine.inFlight === 0 && entry.claims === 0)
      .sort((a, b) => a.lastUsed - b.lastUsed)[0];
  }
}

/** What a pool does for one of its engines. */
interface Loader {
  /** Loads the model; requests are refused meanwhile, as they are by any engine that is starting. */
  start(): Promise<ManagedEngine>;
  /** Loads the model for a request; further requests wait as well. */
  load(signal?: AbortSignal): Promise<ManagedEngine>;
}

class EngineOnDemand implements PooledEngine {
  readonly #entry: Entry;
  readonly #loader: Loader;
  #isClosed = false;

  constructor(entry: Entry, loader: Loader) {
    this.#entry = entry;
    this.#loader = loader;
  }

  /** Loads the model, if nothing has yet. */
  get ready(): Promise<ModelDescription> {
    return this.#loader.start().then((engine) => engine.ready);
  }

  get known(): ModelDescription {
    return this.#entry.description ?? this.#entry.model.outline;
  }

  get pid(): number | undefined {
    return this.#entry.engine?.pid;
  }

  get inFlight(): number {
    return this.#entry.engine?.inFlight ?? 0;
  }

  /** Loads a model that never was: what a request may ask for depends on facts its header does not tell. */
  async describe(): Promise<ModelDescription> {
    return this.#entry.description ?? this.#with((engine) => engine.describe());
  }

  generate(request: GenerateRequest, signal: AbortSignal): AsyncIterable<GenerateEvent> {
    const engine = usableEngine(this.#entry);
    if (engine === undefined) return this.#loadAndGenerate(request, signal);
    this.#loader.load().catch(() => undefined);
    return engine.generate(request, signal);
  }

  embed(request: EmbedRequest, signal: AbortSignal): Promise<EmbedResult> {
    return this.#with((engine) => engine.embed(request, signal), signal);
  }

  tokenize(request: TokenizeRequest): Promise<readonly TokenSpan[]> {
    return this.#with((engine) => engine.tokenize(request));
  }

  detokenize(tokens: readonly number[], showSpecial: boolean): Promise<string> {
    return this.#with((engine) => engine.detokenize(tokens, showSpecial));
  }

  renderChat(chat: ChatInput): Promise<string> {
    return this.#with((engine) => engine.renderChat(chat));
  }

  status(): EngineStatus {
    const { engine } = this.#entry;
    if (engine !== undefined) return engine.status();
    return { ...NOTHING_RUNNING, state: this.#isClosed ? 'stopped' : 'unloaded' };
  }

  async drain(limitMs: number): Promise<void> {
    this.#isClosed = true;
    await this.#entry.engine?.drain(limitMs);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#entry.engine?.close();
  }

  async *#loadAndGenerate(request: GenerateRequest, signal: AbortSignal): AsyncGenerator<GenerateEvent> {
    this.#entry.claims++;
    let events: AsyncIterable<GenerateEvent>;
    try {
      events = (await this.#loaded(signal)).generate(request, signal);
    } catch (error) {
      yield { kind: 'failed', failure: toFailure(error) };
      return;
    } finally {
      this.#entry.claims--;
    }
    yield* events;
  }

  async #with<T>(use: (engine: ManagedEngine) => Promise<T>, signal?: AbortSignal): Promise<T> {
    this.#entry.claims++;
    try {
      return await use(await this.#loaded(signal));
    } finally {
      this.#entry.claims--;
    }
  }

  #loaded(signal?: AbortSignal): Promise<ManagedEngine> {
    if (this.#isClosed) return Promise.reject(new KoineError('unavailable', 'the server is shutting down'));
    return this.#loader.load(signal);
  }
}

const NOTHING_RUNNING: Omit<EngineStatus, 'state'> = {
  running: 0,
  waiting: 0,
  swapped: 0,
  kvCells: { total: 0, running: 0, cached: 0 },
  prefixCache: { hitTokens: 0, missTokens: 0, usedBytes: 0, budgetBytes: 0 },
  threads: 0,
  steps: 0,
  restarts: 0,
};

/** The engine of an entry, unless its process has given up. */
function liveEngine(entry: Entry): ManagedEngine | undefined {
  return entry.engine?.status().state === 'stopped' ? undefined : entry.engine;
}

/** The same, unless requests are waiting for it to be loaded. */
function usableEngine(entry: Entry): ManagedEngine | undefined {
  return entry.awaited > 0 ? undefined : liveEngine(entry);
}

function tooLarge(id: string, bytes: number, budget: number): KoineError {
  const gb = (value: number): string => `${(value / 1e9).toFixed(1)} GB`;
  return new KoineError(
    'unavailable',
    `the model ${id} needs about ${gb(bytes)}, the memory budget is ${gb(budget)}: ` +
      'use a smaller quantisation, a smaller --ctx-size or --parallel, or raise --memory-budget',
  );
}
