// Downloads that run in the server: one at a time for each model, by the same code as `koine pull`, observed by whoever
// asks, and ended with the server.

import { fetchPlan, type Hub, type Network, type PullPlan } from '../../models/index.js';
import { type Download, toFailure } from '../../protocol/index.js';

/** What downloads work with. */
export interface DownloadMeans {
  readonly hub: Hub;
  network(): Promise<Network>;
}

/** A download and how it goes. */
export class ModelDownload {
  readonly id: string;
  readonly plan: PullPlan;
  /** What to call the model when it is there. */
  name: string | undefined;
  /** Resolves when it is over, however it ended. */
  readonly over: Promise<void>;
  readonly #abort = new AbortController();
  readonly #have: Map<string, number>;
  #state: Download['state'] = 'running';
  #message: string | undefined;
  #error: unknown;
  #current = '';

  /** Begins at once; `finish` is what remains to be done with the files. */
  constructor(
    plan: PullPlan,
    name: string | undefined,
    means: DownloadMeans,
    finish: (download: ModelDownload) => void,
  ) {
    this.id = plan.id;
    this.plan = plan;
    this.name = name;
    this.#have = new Map(plan.files.map(({ path, haveBytes }) => [path, haveBytes]));
    this.over = this.#run(means, finish);
  }

  get isRunning(): boolean {
    return this.#state === 'running';
  }

  /** Ends it; what arrived stays. */
  cancel(): Promise<void> {
    this.#abort.abort();
    return this.over;
  }

  /** What made it fail, for the log. */
  get error(): unknown {
    return this.#error;
  }

  /** How it stands. */
  get state(): Download {
    const files = this.plan.files.map(({ path, sizeBytes }) => ({
      path,
      sizeBytes,
      haveBytes: this.#have.get(path) ?? 0,
    }));
    return { state: this.#state, files, ...(this.#message !== undefined && { message: this.#message }) };
  }

  async #run({ hub, network }: DownloadMeans, finish: (download: ModelDownload) => void): Promise<void> {
    const { signal } = this.#abort;
    try {
      await fetchPlan(this.plan, { hub, network: await network(), progress: this.#progress(), signal });
      finish(this);
      this.#end('done', undefined);
    } catch (error) {
      if (signal.aborted) this.#end('cancelled', 'The download was ended.');
      else {
        this.#error = error;
        this.#end('failed', toFailure(error).message);
      }
    }
  }

  #end(state: Download['state'], message: string | undefined): void {
    this.#state = state;
    this.#message = message;
  }

  #progress() {
    return {
      begin: (name: string, _total: number, haveBytes: number): void => {
        this.#current = name;
        this.#have.set(name, haveBytes);
      },
      advance: (bytes: number): void => {
        this.#message = undefined;
        this.#have.set(this.#current, (this.#have.get(this.#current) ?? 0) + bytes);
      },
      retry: (reason: string, waitMs: number): void => {
        this.#message = `${reason}; trying again in ${Math.round(waitMs / 1000)} s`;
      },
      verify: (): void => {
        this.#message = 'checking what arrived';
      },
      end: (): void => undefined,
    };
  }
}

/** The running downloads, and the last one of each model that did not succeed. */
export class Downloads {
  readonly #means: DownloadMeans;
  readonly #byId = new Map<string, ModelDownload>();

  constructor(means: DownloadMeans) {
    this.#means = means;
  }

  /** The download of a model that runs or failed. */
  find(id: string): ModelDownload | undefined {
    return this.#byId.get(id);
  }

  /** Begins a download, unless one of the same model runs. */
  begin(plan: PullPlan, name: string | undefined, finish: (download: ModelDownload) => void): ModelDownload {
    const running = this.#byId.get(plan.id);
    if (running?.isRunning === true) {
      running.name = name ?? running.name;
      return running;
    }
    const download = new ModelDownload(plan, name, this.#means, finish);
    this.#byId.set(plan.id, download);
    void download.over.then(() => {
      const isCurrent = this.#byId.get(plan.id) === download;
      if (isCurrent && download.state.state === 'done') this.#byId.delete(plan.id);
    });
    return download;
  }

  /** Forgets what became of a download that is over. */
  drop(id: string): void {
    this.#byId.delete(id);
  }

  /** Ends all. */
  async close(): Promise<void> {
    await Promise.all([...this.#byId.values()].map((download) => download.cancel()));
  }
}
