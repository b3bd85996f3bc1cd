// `koine serve`, and the only place where the rooms of the server process meet. Order matters for the time to the
// first token: engine processes are started first, and all else is loaded while they read their models.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../base/index.js';
import { type Flags, SettingError, type Settings } from '../config/index.js';
import type { ManagedEngine, PooledEngine } from '../engine/index.js';
import type { ModelDescription } from '../protocol/index.js';
import type { Logger } from '../telemetry/index.js';
import { checkListen, loadDialects } from './dialects.js';
import { EngineLog } from './engine-log.js';
import { UserError } from './explain.js';
import type { OpenListeners } from './listeners.js';
import { localRouter } from './local-router.js';
import { memoryBudget, type PlannedModel, poolModels } from './model-pool.js';
import { resolveOptionsOf } from './resolve-options.js';
import { plannedModelsFor } from './served-models.js';
import { settingsOf } from './settings-of.js';
import { shutdownHandler } from './shutdown.js';
import { startText } from './summary.js';

/** What runs in an engine process, beside this file. */
const ENGINE_ENTRY = join(dirname(fileURLToPath(import.meta.url)), 'engine-process.js');

/**
 * Serves until told to stop by SIGTERM or SIGINT. Resolves once every model is ready and the addresses are printed.
 * Throws what the user should read when settings, models or ports do not allow it; nothing is left running then.
 */
export async function serve(flags: Flags): Promise<void> {
  process.title = 'koine serve';
  const settings = await settingsOf(flags);
  checkListen(settings);
  const stopping = new AbortController();
  const server = new Server(settings);
  const onSignal = shutdownHandler({
    drain() {
      stopping.abort();
      return server.drain();
    },
    exit: (code) => process.exit(code),
    now: () => systemClock.now(),
  });
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  try {
    const options = resolveOptionsOf(settings, stopping.signal);
    await server.start(await plannedModelsFor(settings, options, templateOf(settings)));
  } catch (error) {
    // Told to stop meanwhile: the signal's own way out is under way.
    if (stopping.signal.aborted) return;
    await server.close();
    process.off('SIGTERM', onSignal).off('SIGINT', onSignal);
    throw error;
  }
}

/** Engines and listeners of one server process. */
class Server {
  readonly #settings: Settings;
  #engines: readonly PooledEngine[] = [];
  #listeners: OpenListeners | undefined;
  /** Loading the front door and opening the addresses, as long as that takes. */
  #listening: Promise<Logger> | undefined;
  #log: Logger | undefined;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /**
   * Starts the first model's engine, opens the addresses while it loads, and prints what is served. The other models
   * are loaded when they are first asked for.
   */
  async start(planned: readonly PlannedModel[]): Promise<void> {
    const { EnginePool, startEngine } = await import('../engine/index.js');
    const logs = new Map(planned.map(({ options }) => [options.modelId, new EngineLog(options.modelId)]));
    const start = (options: PlannedModel['options']): ManagedEngine =>
      startEngine(options, {
        entryPath: ENGINE_ENTRY,
        onLog: (line) => logs.get(options.modelId)?.write(line),
      });
    const pool = new EnginePool(poolModels(planned, start), { budgetBytes: memoryBudget(this.#settings) });
    this.#engines = pool.engines;
    const [first] = this.#engines;
    if (first === undefined) throw new Error('no model to serve');
    // Whichever comes first, the failure of the engine or of an address, is the one to tell.
    const ready = readyOrExplain(first, planned[0]?.options.modelPath ?? '');
    this.#listening = this.#listen(planned, [...logs.values()]);
    const [, log] = await Promise.all([ready, this.#listening]);
    for (const engineLog of logs.values()) engineLog.release(log);
    const models = this.#engines.map((engine) => ({
      description: engine.known,
      threads: engine.status().threads,
    }));
    const addresses = this.#listeners?.addresses ?? [];
    process.stdout.write(`${startText(models, addresses, this.#settings.apiKey.length > 0)}\n`);
  }

  /** Stops accepting, lets what runs finish within the limit, ends the engines. */
  async drain(): Promise<void> {
    const { drainTimeout } = this.#settings;
    this.#log?.info({ inFlight: this.#listeners?.inFlight ?? 0, limitMs: drainTimeout }, 'stopping');
    await this.#settled();
    await this.#listeners?.drain(drainTimeout);
    await this.close();
  }

  /** Ends everything now. */
  async close(): Promise<void> {
    await this.#settled();
    await this.#listeners?.drain(0);
    await Promise.all(this.#engines.map((engine) => engine.close()));
  }

  /** Addresses that are just being opened are opened before they are closed. Why they could not be is told by `start`. */
  async #settled(): Promise<void> {
    await this.#listening?.catch(() => undefined);
  }

  async #listen(planned: readonly PlannedModel[], logs: readonly EngineLog[]): Promise<Logger> {
    const [{ createLogger, Metrics }, { openListeners }] = await Promise.all([
      import('../telemetry/index.js'),
      import('./listeners.js'),
    ]);
    const settings = this.#settings;
    const log = createLogger({ level: settings.logLevel, pretty: process.stderr.isTTY === true });
    this.#log = log;
    if (log.isLevelEnabled('debug')) for (const engineLog of logs) engineLog.release(log);
    const metrics = new Metrics();
    const engines = planned.flatMap(({ options: { modelId: id, aliases } }, i) => {
      const engine = this.#engines[i];
      return engine === undefined ? [] : [{ id, aliases, engine }];
    });
    const readings = () => engines.map(({ id, engine }) => ({ model: id, status: engine.status() }));
    metrics.watchEngines(readings);
    const dialects = await loadDialects({ settings, router: localRouter(engines), metrics });
    this.#listeners = await openListeners({ settings, dialects, readings, log, metrics });
    return log;
  }
}

/** A model that cannot be loaded is for the user to put right, whatever the reason. */
async function readyOrExplain(engine: ManagedEngine, path: string): Promise<ModelDescription> {
  try {
    return await engine.ready;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UserError(reason.includes(path) ? reason : `${path}: ${reason}`, { cause });
  }
}

/** The chat template that replaces the models' own. */
function templateOf({ chatTemplate }: Settings): string | undefined {
  if (chatTemplate === undefined) return undefined;
  try {
    return readFileSync(chatTemplate, 'utf8');
  } catch (cause) {
    throw new SettingError(`Setting chat-template: ${chatTemplate} cannot be read.`, { cause });
  }
}
