// `koine serve`, and the only place where the rooms of the server process meet. Order matters for the time to the
// first token: engine processes are started first, and all else is loaded while they read their models.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../base/index.js';
import { type Flags, SettingError, type Settings } from '../config/index.js';
import type { ManagedEngine } from '../engine/index.js';
import type { ModelDescription } from '../protocol/index.js';
import type { Logger } from '../telemetry/index.js';
import { checkListen, type DialectParts, loadDialects } from './dialects.js';
import { EngineLog } from './engine-log.js';
import { explain, UserError } from './explain.js';
import type { ServerLibrary } from './library/server-library.js';
import type { OpenListeners } from './listeners.js';
import { memoryBudget, type PlannedModel } from './model-pool.js';
import { ModelSet } from './model-set.js';
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
  const chatTemplate = await templateOf(settings);
  const server = new Server(settings, chatTemplate);
  const onSignal = shutdownHandler({
    drain() {
      stopping.abort();
      return server.drain();
    },
    report: (error) => process.stderr.write(`koine: ${explain(error)}\n`),
    exit: (code) => process.exit(code),
    now: () => systemClock.now(),
  });
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  try {
    const options = resolveOptionsOf(settings, stopping.signal);
    await server.start(await plannedModelsFor(settings, options, chatTemplate));
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
  readonly #chatTemplate: string | undefined;
  readonly #budgetBytes: number;
  #models: ModelSet | undefined;
  #library: ServerLibrary | undefined;
  #listeners: OpenListeners | undefined;
  /** Loading the front door and opening the addresses, as long as that takes. */
  #listening: Promise<Logger> | undefined;
  #log: Logger | undefined;

  constructor(settings: Settings, chatTemplate: string | undefined) {
    this.#settings = settings;
    this.#chatTemplate = chatTemplate;
    this.#budgetBytes = memoryBudget(settings);
  }

  /**
   * Starts the first model's engine, opens the addresses while it loads, and prints what is served. The other models
   * are loaded when they are first asked for.
   */
  async start(planned: readonly PlannedModel[]): Promise<void> {
    const { EnginePool, startEngine } = await import('../engine/index.js');
    const logs = new Map(planned.map(({ options }) => [options.modelId, new EngineLog(options.modelId)]));
    const start = (options: PlannedModel['options']): ManagedEngine => {
      const log = logs.get(options.modelId) ?? this.#newLog(options.modelId);
      return startEngine(options, { entryPath: ENGINE_ENTRY, onLog: log.write });
    };
    const pool = new EnginePool([], { budgetBytes: this.#budgetBytes });
    const models = new ModelSet(planned, pool, start);
    this.#models = models;
    const atStart = models.all;
    const [first] = atStart;
    if (first === undefined) throw new Error('no model to serve');
    // Whichever comes first, the failure of the engine or of an address, is the one to tell.
    const ready = readyOrExplain(first.engine, first.path);
    this.#listening = this.#listen(models, [...logs.values()]);
    const [, log] = await Promise.all([ready, this.#listening]);
    for (const engineLog of logs.values()) engineLog.release(log);
    const served = atStart.map(({ engine }) => ({
      description: engine.known,
      threads: engine.status().threads,
    }));
    const addresses = this.#listeners?.addresses ?? [];
    process.stdout.write(`${startText(served, addresses, this.#settings.apiKey.length > 0)}\n`);
  }

  /** Stops accepting, lets what runs finish within the limit, ends the engines. */
  async drain(): Promise<void> {
    const { drainTimeout } = this.#settings;
    this.#log?.info({ inFlight: this.#listeners?.inFlight ?? 0, limitMs: drainTimeout }, 'stopping');
    await this.#settled();
    // What a download has fetched so far is kept, so that nobody has to wait for its end.
    await this.#library?.close();
    await this.#listeners?.drain(drainTimeout);
    await this.close();
  }

  /** Ends everything now. */
  async close(): Promise<void> {
    await this.#settled();
    await this.#library?.close();
    await this.#listeners?.drain(0);
    await this.#models?.close();
  }

  /** Addresses that are just being opened are opened before they are closed. Why they could not be is told by `start`. */
  async #settled(): Promise<void> {
    await this.#listening?.catch(() => undefined);
  }

  /** The log of a model that came later: all it says is wanted. */
  #newLog(model: string): EngineLog {
    const engineLog = new EngineLog(model);
    if (this.#log !== undefined) engineLog.release(this.#log);
    return engineLog;
  }

  async #listen(models: ModelSet, logs: readonly EngineLog[]): Promise<Logger> {
    const [{ createLogger, Metrics }, { openListeners }] = await Promise.all([
      import('../telemetry/index.js'),
      import('./listeners.js'),
    ]);
    const settings = this.#settings;
    const log = createLogger({ level: settings.logLevel, pretty: process.stderr.isTTY === true });
    this.#log = log;
    if (log.isLevelEnabled('debug')) for (const engineLog of logs) engineLog.release(log);
    const metrics = new Metrics();
    const readings = () => models.readings();
    metrics.watchEngines(readings);
    const parts = { settings, router: models.router, metrics };
    const dialects = await loadDialects({ ...parts, ...(await this.#management(models, log)) });
    this.#listeners = await openListeners({ settings, dialects, readings, log, metrics });
    return log;
  }

  /** Lets models be managed, where that is wanted. */
  async #management(models: ModelSet, log: Logger): Promise<Pick<DialectParts, 'management'>> {
    const settings = this.#settings;
    if (!settings.manageModels) return {};
    const { checkManagement, managementOf, openLibrary } = await import('./library/open-library.js');
    checkManagement(settings);
    const parts = { settings, models, log, budgetBytes: this.#budgetBytes, chatTemplate: this.#chatTemplate };
    this.#library = openLibrary(parts);
    return { management: managementOf(settings, this.#library) };
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
async function templateOf({ chatTemplate }: Settings): Promise<string | undefined> {
  if (chatTemplate === undefined) return undefined;
  let source: string;
  try {
    source = readFileSync(chatTemplate, 'utf8');
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : '';
    throw new SettingError(`Setting chat-template: ${chatTemplate} cannot be read${reason}.`, { cause });
  }
  const { templateFault } = await import('../chat/index.js');
  const fault = templateFault(source);
  if (fault === undefined) return source;
  throw new SettingError(`Setting chat-template: ${chatTemplate} is not valid Jinja: ${fault}`);
}
