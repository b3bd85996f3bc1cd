// The host's side of one worker: sending commands, waking it, knowing what it is doing and what it has compiled.
// Which worker does what is decided in pool.ts.

import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { Failure } from '../../protocol/index.js';
import type { Command, CompileTask, Report, WorkerStart } from './messages.js';
import type { Vocabulary } from './vocabulary.js';

export type WorkerState = 'starting' | 'idle' | 'compiling' | 'dead';

/** How a compilation ended. */
export type CompileResult =
  | { readonly kind: 'compiled'; readonly ms: number }
  | { readonly kind: 'faulty'; readonly failure: Failure }
  /** A grammar of the client's that this compiler cannot take; another may. */
  | { readonly kind: 'foreign'; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'limit'; readonly reason: string };

/** A grammar a worker has ready. */
export interface ReadyGrammar {
  readonly ms: number;
  /** Users that forbid dropping it. */
  pins: number;
  lastUsed: number;
}

export interface WorkerOptions {
  readonly vocabulary: Vocabulary;
  readonly memoryLimitBytes: number;
  readonly compileSeconds: number;
  readonly entry: URL;
  /** Told what is compiled differently from what was asked. */
  readonly note: (text: string) => void;
}

const MIB = 1024 * 1024;
/** Run from sources (tests), a worker has to set up the TypeScript loader by itself. */
const FROM_SOURCE = `
  const { workerData } = require('node:worker_threads');
  import('tsx/esm/api').then(({ register }) => { register(); return import(workerData.entry); });
`;

export class WorkerHandle {
  state: WorkerState = 'starting';
  memoryBytes = 0;
  readonly grammars = new Map<string, ReadyGrammar>();
  /** Matchers that run here, told when the worker is lost. */
  readonly matchers = new Map<number, () => void>();
  private readonly wake = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  private readonly port: MessagePort;
  private readonly worker: Worker;
  private settle: ((result: CompileResult) => void) | undefined;
  private timer: NodeJS.Timeout | undefined;
  private resolveReady: (failure: string | undefined) => void = () => undefined;
  /** Resolves to the reason when the worker died before it was ready. */
  readonly ready = new Promise<string | undefined>((resolve) => {
    this.resolveReady = resolve;
  });

  constructor(
    private readonly options: WorkerOptions,
    private readonly onChange: () => void,
  ) {
    const { port1, port2 } = new MessageChannel();
    this.port = port1;
    const start: WorkerStart = {
      vocabulary: options.vocabulary,
      memoryLimitBytes: options.memoryLimitBytes,
      wake: this.wake,
      port: port2,
    };
    const isSource = options.entry.pathname.endsWith('.ts');
    this.worker = new Worker(isSource ? FROM_SOURCE : options.entry, {
      eval: isSource,
      workerData: isSource ? { ...start, entry: options.entry.href } : start,
      transferList: [port2],
      resourceLimits: { maxOldGenerationSizeMb: 512 },
    });
    this.worker.unref();
    this.port.unref();
    this.worker.on('message', (report: Report) => this.hear(report));
    this.worker.on('error', (error) => this.die(error.message));
    this.worker.on('exit', () => this.die('it ended'));
  }

  /** Uses that keep it from compiling something else: matchers, and grammars about to be used. */
  get load(): number {
    let pins = this.matchers.size;
    for (const grammar of this.grammars.values()) pins += grammar.pins;
    return pins;
  }

  send(command: Command): void {
    this.port.postMessage(command);
    this.notify();
  }

  /** Wakes the worker after something was put into a slot. */
  notify(): void {
    Atomics.add(this.wake, 0, 1);
    Atomics.notify(this.wake, 0);
  }

  /** Checks, converts and compiles; the worker must be idle. A compilation beyond the limits ends the worker. */
  compile(task: CompileTask): Promise<CompileResult> {
    this.state = 'compiling';
    const most = this.options.compileSeconds;
    const compileSeconds = Math.min(most, task.mostSeconds ?? most);
    return new Promise((resolve) => {
      this.settle = (result) => {
        clearTimeout(this.timer);
        this.settle = undefined;
        resolve(result);
      };
      this.timer = setTimeout(() => {
        this.settle?.({ kind: 'limit', reason: `it took longer than ${compileSeconds} s to compile` });
        this.stop();
      }, compileSeconds * 1000);
      this.send({ kind: 'compile', ...task });
    });
  }

  /** Ends a compilation nobody waits for any more, and the thread with it: the library cannot be interrupted. */
  abandon(): void {
    if (this.settle === undefined) return;
    this.settle({ kind: 'limit', reason: 'nobody waits for it any more' });
    this.stop();
  }

  /** Ends the thread at once, whatever it is doing. */
  stop(): void {
    this.die('it was stopped');
    void this.worker.terminate();
  }

  private hear(report: Report): void {
    switch (report.kind) {
      case 'ready':
        this.memoryBytes = report.memoryBytes;
        this.state = 'idle';
        this.resolveReady(undefined);
        break;
      case 'compiled':
        this.memoryBytes = report.memoryBytes;
        if (report.loosened.length > 0) {
          this.options.note(`calls that may have any arguments: ${report.loosened.join(', ')}`);
        }
        // Pinned for whoever asked, before anybody may take the worker for unused.
        this.grammars.set(report.key, { ms: report.ms, pins: 1, lastUsed: 0 });
        this.state = 'idle';
        this.settle?.({ kind: 'compiled', ms: report.ms });
        break;
      case 'faulty':
        this.state = 'idle';
        this.settle?.({ kind: 'faulty', failure: report.failure });
        break;
      case 'foreign':
        this.state = 'idle';
        this.settle?.({ kind: 'foreign', reason: report.reason });
        break;
      case 'refused': {
        const limit = Math.round(this.options.memoryLimitBytes / MIB);
        this.settle?.(
          report.isMemory
            ? { kind: 'limit', reason: `it needs more than ${limit} MiB to compile` }
            : { kind: report.isForeign ? 'foreign' : 'refused', reason: report.reason },
        );
        this.stop();
        break;
      }
      case 'broken':
        this.die(report.reason);
        void this.worker.terminate();
    }
    this.onChange();
  }

  private die(reason: string): void {
    if (this.state === 'dead') return;
    this.state = 'dead';
    this.port.close();
    this.grammars.clear();
    this.resolveReady(reason);
    this.settle?.({ kind: 'limit', reason: `the compiler failed (${reason})` });
    for (const lose of this.matchers.values()) lose();
    this.matchers.clear();
    this.onChange();
  }
}
