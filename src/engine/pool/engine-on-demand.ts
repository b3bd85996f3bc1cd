// A model of a pool as an engine: what it is asked reaches the model's process, which is started first where there is
// none. When that happens and for how long is for the pool to say. Server process.

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
} from '../../protocol/index.js';
import type { ManagedEngine } from '../engine.js';
import type { Entry } from './entry.js';

/** A model of a pool as an engine that is there whenever it is asked for. */
export interface PooledEngine extends ManagedEngine {
  /** What can be told of the model without loading it: all of it once it was loaded, before that its outline. */
  readonly known: ModelDescription;
  /** Loads the model unless it is; requests that arrive meanwhile wait. Aborting gives up where it has to wait. */
  load(signal?: AbortSignal): Promise<void>;
  /**
   * Frees the model's memory, as soon as nobody uses it: new requests are held back until then, and load it again.
   * Throws `conflict` when requests go on for longer than the gate is closed; nothing is cut off.
   */
  unload(): Promise<void>;
}

/** What a pool does for an engine. Who gets a claim gives it back by counting it down. */
export interface Loader {
  /** Loads the model; requests are refused meanwhile, as they are by any engine that is starting. */
  start(): Promise<ManagedEngine>;
  claimNow(): ManagedEngine | undefined;
  claim(signal?: AbortSignal): Promise<ManagedEngine>;
  unload(): Promise<void>;
}

/** See `PooledEngine`. */
export class EngineOnDemand implements PooledEngine {
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

  async load(signal?: AbortSignal): Promise<void> {
    await this.#with(async () => undefined, signal);
  }

  async unload(): Promise<void> {
    await this.#loader.unload();
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
    const engine = this.#loader.claimNow();
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
      // A bug is logged by whoever runs the request.
      if (!(error instanceof KoineError)) throw error;
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
    return this.#loader.claim(signal);
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
