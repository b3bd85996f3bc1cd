// Who compiles and who matches. A worker that compiles cannot match meanwhile, so a grammar is compiled where no
// matcher runs, and its matchers then stay there. The last free worker is kept free: a grammar that compiled
// quickly is compiled again beside others rather than taking it.

import type { ToolCallSyntax } from '../../grammar/index.js';
import { type Constraint, KoineError } from '../../protocol/index.js';
import { type CompileResult, WorkerHandle, type WorkerOptions } from './worker-handle.js';

export interface PoolOptions extends WorkerOptions {
  /** Most worker threads. */
  readonly maxWorkers: number;
  /** Grammars a worker keeps ready. */
  readonly cachedGrammars: number;
}

/** A compilation that may delay other matchers once, in milliseconds. */
const QUICK_MS = 300;
/** Part of the memory limit above which an unused worker is replaced. */
const MEMORY_SHARE = 0.6;

/** A grammar ready in a worker, pinned until `unpin`. */
export type Placed =
  | { readonly kind: 'placed'; readonly worker: WorkerHandle }
  | Exclude<CompileResult, { kind: 'compiled' }>;

export class Pool {
  private workers: WorkerHandle[] = [];
  private waiting: (() => void)[] = [];
  private readonly compiling = new Map<string, Promise<Placed>>();
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

  /** Finds or makes a worker that has the grammar ready, and pins it there. */
  async place(key: string, constraint: Constraint, syntax: ToolCallSyntax | undefined): Promise<Placed> {
    for (;;) {
      const holder = this.holder(key);
      if (holder !== undefined) {
        this.pin(holder, key);
        return { kind: 'placed', worker: holder };
      }
      const running = this.compiling.get(key);
      if (running === undefined) break;
      const placed = await running;
      if (placed.kind !== 'placed') return placed;
    }
    const compilation = this.compile(key, constraint, syntax).finally(() => this.compiling.delete(key));
    this.compiling.set(key, compilation);
    return await compilation;
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

  private async compile(
    key: string,
    constraint: Constraint,
    syntax: ToolCallSyntax | undefined,
  ): Promise<Placed> {
    const worker = await this.free();
    if (worker === undefined) return { kind: 'limit', reason: 'the server is shutting down' };
    const result = await worker.compile(key, constraint, syntax);
    if (result.kind !== 'compiled') return result;
    this.used(worker, key);
    this.trim(worker);
    const other = this.companion(worker, result.ms);
    if (other === undefined) return { kind: 'placed', worker };
    const again = await other.compile(key, constraint, syntax);
    if (again.kind !== 'compiled') return { kind: 'placed', worker };
    this.used(other, key);
    this.trim(other);
    this.unpin(worker, key);
    return { kind: 'placed', worker: other };
  }

  /** Where else to put a grammar so that `worker`, the last free one, stays free. */
  private companion(worker: WorkerHandle, ms: number): WorkerHandle | undefined {
    if (ms > QUICK_MS || this.workers.length < this.options.maxWorkers) return undefined;
    const others = this.workers.filter((other) => other !== worker && other.state === 'idle');
    if (others.length === 0 || others.some((other) => other.load === 0)) return undefined;
    return others.sort((a, b) => a.load - b.load)[0];
  }

  /** A worker without matchers: an idle one, a new one, or the next that becomes free. */
  private async free(): Promise<WorkerHandle | undefined> {
    for (;;) {
      if (this.isClosed) return undefined;
      const idle = this.workers
        .filter((worker) => worker.state === 'idle' && worker.load === 0)
        .sort((a, b) => a.grammars.size - b.grammars.size)[0];
      if (idle !== undefined) {
        // Taken at once, before anybody else looks.
        idle.state = 'compiling';
        return idle;
      }
      const starting = this.workers.find((worker) => worker.state === 'starting');
      if (starting !== undefined || this.workers.length < this.options.maxWorkers) {
        const failure = await (starting ?? this.spawn()).ready;
        if (failure !== undefined)
          throw new KoineError('internal', `the constraint compiler cannot start: ${failure}`);
        continue;
      }
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }

  private spawn(): WorkerHandle {
    const worker = new WorkerHandle(this.options, () => this.changed());
    this.workers.push(worker);
    return worker;
  }

  /** Drops what has not been used for longest, and replaces a worker that has grown too large. */
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
      const isUnused = worker.state === 'idle' && worker.load === 0;
      // One without grammars would be as large again.
      if (isUnused && worker.grammars.size > 0 && worker.memoryBytes > limit) worker.stop();
    }
    this.workers = this.workers.filter((worker) => worker.state !== 'dead');
    const waiting = this.waiting;
    this.waiting = [];
    for (const resume of waiting) resume();
  }
}
