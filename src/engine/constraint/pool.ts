// Who compiles and who matches. A worker that compiles cannot match meanwhile, so a grammar is compiled where no
// matcher runs, and its matchers then stay there. The last free worker is kept free: a grammar that compiled
// quickly is compiled again beside others rather than taking it, and one that compiles long has to leave it.

import { KoineError } from '../../protocol/index.js';
import type { CompileTask } from './messages.js';
import { type CompileResult, WorkerHandle, type WorkerOptions } from './worker-handle.js';

export interface PoolOptions extends WorkerOptions {
  /** Most worker threads. */
  readonly maxWorkers: number;
  /** Grammars a worker keeps ready. */
  readonly cachedGrammars: number;
}

/** A compilation that may delay other matchers once, in milliseconds. */
const QUICK_MS = 300;
/** A compilation that takes longer than this is slow: not all workers may be busy with such. Milliseconds. */
const SLOW_MS = 1200;
/** Workers there may be in all, as a multiple of those that compile. */
const MOST_MATCHING = 3;
/** Part of the memory limit above which an unused worker is replaced. */
const MEMORY_SHARE = 0.6;

/** A grammar ready in a worker, pinned until `unpin`. */
export type Placed =
  | { readonly kind: 'placed'; readonly worker: WorkerHandle }
  /** Whoever wanted it has left. */
  | { readonly kind: 'abandoned' }
  | Exclude<CompileResult, { kind: 'compiled' }>;

/** A compilation under way, for everybody who wants the same grammar. */
interface Compilation {
  readonly placed: Promise<Placed>;
  waiters: number;
  /** Somebody has taken over the pin the compilation left. */
  isTaken: boolean;
  /** Where it runs and since when; undefined while it waits for a worker. */
  at: { readonly worker: WorkerHandle; readonly sinceMs: number } | undefined;
  isAbandoned: boolean;
  /** Counted among the slow ones. */
  isSlow: boolean;
}

export class Pool {
  private workers: WorkerHandle[] = [];
  private waiting: (() => void)[] = [];
  private readonly compiling = new Map<string, Compilation>();
  private slow = 0;
  private uses = 0;
  private isClosed = false;

  constructor(private readonly options: PoolOptions) {}

  /** Starts a worker so that the first request need not wait for it. */
  async prepare(): Promise<void> {
    const worker = this.workers[0] ?? this.spawn();
    const failure = await worker.ready;
    if (failure !== undefined)
      throw new KoineError('internal', `the constraint compiler cannot start: ${failure}`);
  }

  /**
   * Finds or makes a worker that has the grammar ready, and pins it there. `signal` says that the caller has left: a
   * compilation goes on only while somebody waits for it.
   */
  async place(task: CompileTask, signal?: AbortSignal): Promise<Placed> {
    const { key } = task;
    for (;;) {
      const holder = this.holder(key);
      if (holder !== undefined) {
        this.pin(holder, key);
        return { kind: 'placed', worker: holder };
      }
      const compilation = this.compiling.get(key) ?? this.begin(task);
      const placed = await this.wait(compilation, key, signal);
      if (placed.kind !== 'placed') return placed;
      if (!compilation.isTaken) {
        compilation.isTaken = true;
        return placed;
      }
    }
  }

  /** A worker that has the grammar ready now. What it is for must be sent there at once: it is not pinned. */
  readyWorker(key: string): WorkerHandle | undefined {
    const worker = this.holder(key);
    if (worker !== undefined) this.used(worker, key);
    return worker;
  }

  private begin(task: CompileTask): Compilation {
    const compilation: Compilation = {
      // Begun a moment later, when there is something to note its worker in.
      placed: Promise.resolve().then(() => this.compile(task, compilation)),
      waiters: 0,
      isTaken: false,
      at: undefined,
      isAbandoned: false,
      isSlow: false,
    };
    this.compiling.set(task.key, compilation);
    const end = (placed: Placed | undefined): void => {
      this.forget(task.key, compilation);
      const isUnwanted = compilation.waiters === 0 && placed?.kind === 'placed';
      if (isUnwanted) this.unpin(placed.worker, task.key);
    };
    compilation.placed.then(end, () => end(undefined));
    return compilation;
  }

  private forget(key: string, compilation: Compilation): void {
    if (this.compiling.get(key) === compilation) this.compiling.delete(key);
  }

  private wait(compilation: Compilation, key: string, signal?: AbortSignal): Promise<Placed> {
    return new Promise((resolve, reject) => {
      compilation.waiters += 1;
      const leave = (): void => {
        compilation.waiters -= 1;
        if (compilation.waiters === 0) this.abandon(compilation, key);
        resolve({ kind: 'abandoned' });
      };
      if (signal?.aborted === true) {
        leave();
        return;
      }
      signal?.addEventListener('abort', leave, { once: true });
      compilation.placed.then(resolve, reject).finally(() => signal?.removeEventListener('abort', leave));
    });
  }

  /** Nobody waits any more. A quick compilation may come to its end: its worker is worth more than the rest of it. */
  private abandon(compilation: Compilation, key: string): void {
    const { at } = compilation;
    if (at === undefined) {
      compilation.isAbandoned = true;
      this.forget(key, compilation);
      this.changed();
      return;
    }
    const timer = setTimeout(
      () => {
        if (compilation.waiters > 0 || this.compiling.get(key) !== compilation) return;
        this.forget(key, compilation);
        at.worker.abandon();
      },
      Math.max(0, at.sinceMs + QUICK_MS - performance.now()),
    );
    timer.unref();
  }

  unpin(worker: WorkerHandle, key: string): void {
    const grammar = worker.grammars.get(key);
    if (grammar !== undefined) grammar.pins -= 1;
    this.changed();
  }

  status(): {
    readonly workers: number;
    readonly compiling: number;
    readonly matchers: number;
    readonly grammars: number;
  } {
    const sum = (of: (worker: WorkerHandle) => number): number =>
      this.workers.reduce((total, worker) => total + of(worker), 0);
    return {
      workers: this.workers.length,
      compiling: this.compiling.size,
      matchers: sum((worker) => worker.matchers.size),
      grammars: sum((worker) => worker.grammars.size),
    };
  }

  close(): void {
    this.isClosed = true;
    for (const worker of this.workers) worker.stop();
    this.changed();
  }

  private holder(key: string): WorkerHandle | undefined {
    return this.workers
      .filter((worker) => worker.state === 'idle' && worker.grammars.has(key))
      .sort((a, b) => a.load - b.load)[0];
  }

  private pin(worker: WorkerHandle, key: string): void {
    const grammar = worker.grammars.get(key);
    if (grammar !== undefined) grammar.pins += 1;
    this.used(worker, key);
  }

  private used(worker: WorkerHandle, key: string): void {
    const grammar = worker.grammars.get(key);
    this.uses += 1;
    if (grammar !== undefined) grammar.lastUsed = this.uses;
  }

  private async compile(task: CompileTask, compilation: Compilation): Promise<Placed> {
    try {
      for (;;) {
        const worker = await this.free(() => compilation.isAbandoned);
        if (worker === undefined) {
          return this.isClosed
            ? { kind: 'limit', reason: 'the server is shutting down' }
            : { kind: 'abandoned' };
        }
        const placed = await this.compileIn(worker, task, compilation);
        if (placed !== undefined) return placed;
        compilation.at = undefined;
        while (!this.takesSlowPlace(compilation) && !this.isClosed && !compilation.isAbandoned) {
          await this.change();
        }
      }
    } finally {
      if (compilation.isSlow) this.slow -= 1;
      this.changed();
    }
  }

  /** Undefined when it had to leave the worker to quicker ones. */
  private async compileIn(
    worker: WorkerHandle,
    task: CompileTask,
    compilation: Compilation,
  ): Promise<Placed | undefined> {
    const { key } = task;
    compilation.at = { worker, sinceMs: performance.now() };
    let hasLeft = false;
    const timer = setTimeout(() => {
      if (this.takesSlowPlace(compilation)) return;
      hasLeft = true;
      worker.abandon();
    }, SLOW_MS);
    timer.unref();
    const result = await worker.compile(task);
    clearTimeout(timer);
    if (hasLeft) return undefined;
    if (result.kind !== 'compiled') return result;
    this.used(worker, key);
    this.trim(worker);
    const other = this.companion(worker, result.ms);
    if (other === undefined) return { kind: 'placed', worker };
    const again = await other.compile(task);
    if (again.kind !== 'compiled') return { kind: 'placed', worker };
    this.used(other, key);
    this.trim(other);
    this.unpin(worker, key);
    return { kind: 'placed', worker: other };
  }

  /** Whether it may compile for long: one worker at least is left to others. */
  private takesSlowPlace(compilation: Compilation): boolean {
    if (compilation.isSlow) return true;
    if (this.slow >= Math.max(1, this.options.maxWorkers - 1)) return false;
    this.slow += 1;
    compilation.isSlow = true;
    return true;
  }

  /** Where else to put a grammar so that `worker`, the last free one, stays free. */
  private companion(worker: WorkerHandle, ms: number): WorkerHandle | undefined {
    if (ms > QUICK_MS || this.workers.length < this.options.maxWorkers) return undefined;
    const others = this.workers.filter((other) => other !== worker && other.state === 'idle');
    if (others.length === 0 || others.some((other) => other.load === 0)) return undefined;
    return others.sort((a, b) => a.load - b.load)[0];
  }

  /** A worker without matchers: an idle one, a new one, or the next that becomes free; none once it is not wanted. */
  private async free(isUnwanted: () => boolean): Promise<WorkerHandle | undefined> {
    for (;;) {
      if (this.isClosed || isUnwanted()) return undefined;
      const idle = this.workers
        .filter((worker) => worker.state === 'idle' && worker.load === 0)
        .sort((a, b) => a.grammars.size - b.grammars.size)[0];
      if (idle !== undefined) {
        // Taken at once, before anybody else looks.
        idle.state = 'compiling';
        return idle;
      }
      const starting = this.workers.find((worker) => worker.state === 'starting');
      if (starting !== undefined || this.hasRoom()) {
        const failure = await (starting ?? this.spawn()).ready;
        if (failure !== undefined)
          throw new KoineError('internal', `the constraint compiler cannot start: ${failure}`);
        continue;
      }
      await this.change();
    }
  }

  /** Workers that only match sleep nearly always: beside them others may compile. */
  private hasRoom(): boolean {
    const { maxWorkers } = this.options;
    const matching = this.workers.filter(({ state, load }) => state === 'idle' && load > 0).length;
    return this.workers.length - matching < maxWorkers && this.workers.length < maxWorkers * MOST_MATCHING;
  }

  /** Resolves when a worker may have become free. */
  private change(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  private spawn(): WorkerHandle {
    const worker = new WorkerHandle(this.options, () => this.changed());
    this.workers.push(worker);
    return worker;
  }

  /** Drops what has not been used for longest. */
  private trim(worker: WorkerHandle): void {
    const droppable = [...worker.grammars]
      .filter(([, grammar]) => grammar.pins === 0)
      .sort(([, a], [, b]) => a.lastUsed - b.lastUsed);
    const excess = worker.grammars.size - this.options.cachedGrammars;
    for (const [key] of droppable.slice(0, Math.max(0, excess))) {
      worker.grammars.delete(key);
      worker.send({ kind: 'drop', key });
    }
  }

  /** A matcher was closed: its worker may be free now. */
  released(): void {
    this.changed();
  }

  private changed(): void {
    const limit = this.options.memoryLimitBytes * MEMORY_SHARE;
    for (const worker of this.workers) {
      // One without grammars would be as large again, or was started a moment ago for somebody.
      const isUnused = worker.state === 'idle' && worker.load === 0 && worker.grammars.size > 0;
      const isSurplus = this.workers.filter(({ state }) => state !== 'dead').length > this.options.maxWorkers;
      if (isUnused && (isSurplus || worker.memoryBytes > limit)) worker.stop();
    }
    this.workers = this.workers.filter((worker) => worker.state !== 'dead');
    const waiting = this.waiting;
    this.waiting = [];
    for (const resume of waiting) resume();
  }
}
