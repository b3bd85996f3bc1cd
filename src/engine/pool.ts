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
  /** Milliseconds new requests for a busy model are held back, so that it becomes idle and another gets its turn. */
  readonly gateMs?: number;
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
  /** Requests that use it without the engine knowing of them yet: it must not be unloaded under them. */
  claims: number;
  /** It is being loaded for the requests in `wanted`; each holds a claim when this resolves. */
  arrival: Promise<ManagedEngine> | undefined;
  wanted: (AbortSignal | undefined)[];
  /** It is to make room for another: new requests wait until it has, or until that has taken too long. */
  gate: Promise<void> | undefined;
}

const PATIENCE_MS = 60_000;
const GATE_MS = 10_000;
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
      claims: 0,
      arrival: undefined,
      wanted: [],
      gate: undefined,
    }));
    const loader: Loader = {
      start: (entry) => this.#start(entry),
      claimNow: (entry) => this.#claimNow(entry),
      claim: (entry, signal) => this.#claim(entry, signal),
    };
    this.engines = this.#entries.map((entry) => new EngineOnDemand(entry, loader));
  }

  /** The engine of a model that can be asked at once, with a claim on it. */
  #claimNow(entry: Entry): ManagedEngine | undefined {
    entry.lastUsed = ++this.#tick;
    const engine = entry.arrival === undefined && entry.gate === undefined ? liveEngine(entry) : undefined;
    if (engine !== undefined) entry.claims++;
    return engine;
  }

  /** The same, after loading the model, or waiting for it to be loaded, if it is not there. */
  async #claim(entry: Entry, signal?: AbortSignal): Promise<ManagedEngine> {
    while (entry.gate !== undefined) await entry.gate;
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
      const idle = loaded.find((other) => other.engine?.inFlight === 0 && other.claims === 0);
      if (idle !== undefined) {
        const { engine } = idle;
        idle.engine = undefined;
        await engine?.close();
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
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  #usedBytes(): number {
    return this.#entries.reduce(
      (sum, entry) => sum + (entry.engine === undefined ? 0 : entry.model.bytes),
      0,
    );
  }

  #leastRecentlyUsed(): readonly Entry[] {
    return this.#entries
      .filter((entry) => entry.engine !== undefined)
      .sort((a, b) => a.lastUsed - b.lastUsed);
  }
}

/** Holds back new requests for one model, so that a steady load on it cannot keep another out for good. */
class Gate implements Disposable {
  #entry: Entry | undefined;
  #open: () => void = () => undefined;
  #closedAt = 0;
  readonly #limitMs: number;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** Closes for the model, unless it is closed for one already; opens by itself when that has taken too long. */
  holdBack(entry: Entry | undefined): void {
    if (this.#closedAt > 0) {
      if (performance.now() - this.#closedAt > this.#limitMs) this.#lift();
      return;
    }
    this.#closedAt = performance.now();
    this.#entry = entry;
    if (entry === undefined) return;
    entry.gate = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  /** Opens, and may be closed again, for the next model. */
  open(): void {
    this.#lift();
    this.#closedAt = 0;
  }

  [Symbol.dispose](): void {
    this.#lift();
  }

  #lift(): void {
    if (this.#entry !== undefined) this.#entry.gate = undefined;
    this.#entry = undefined;
    this.#open();
  }
}

/** What a pool does for its engines. Who gets a claim gives it back by counting it down. */
interface Loader {
  /** Loads the model; requests are refused meanwhile, as they are by any engine that is starting. */
  start(entry: Entry): Promise<ManagedEngine>;
  claimNow(entry: Entry): ManagedEngine | undefined;
  claim(entry: Entry, signal?: AbortSignal): Promise<ManagedEngine>;
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
    return this.#loader.start(this.#entry).then((engine) => engine.ready);
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
    const engine = this.#loader.claimNow(this.#entry);
    if (engine === undefined) return this.#loadAndGenerate(request, signal);
    try {
      return engine.generate(request, signal);
    } finally {
      this.#entry.claims--;
    }
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
    let events: AsyncIterable<GenerateEvent>;
    try {
      const engine = await this.#claim(signal);
      try {
        events = engine.generate(request, signal);
      } finally {
        this.#entry.claims--;
      }
    } catch (error) {
      yield { kind: 'failed', failure: toFailure(error) };
      return;
    }
    yield* events;
  }

  async #with<T>(use: (engine: ManagedEngine) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const engine = await this.#claim(signal);
    try {
      return await use(engine);
    } finally {
      this.#entry.claims--;
    }
  }

  #claim(signal?: AbortSignal): Promise<ManagedEngine> {
    if (this.#isClosed) return Promise.reject(new KoineError('unavailable', 'the server is shutting down'));
    return this.#loader.claim(this.#entry, signal);
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
