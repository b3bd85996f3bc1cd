// Owns the engine process of one model: starts it, notices its end, starts it again with growing pauses, ends it.
// Server process.

import { type ChildProcess, fork } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { EngineState, Failure } from '../../protocol/index.js';
import type { EngineOptions } from '../options.js';
import type { FromEngine, ToEngine } from './messages.js';

/** Pause before the first restart, doubled each time up to the longest. Milliseconds. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5000;
/** A process that lived this long has earned a fresh start with short pauses. Milliseconds. */
const HEALTHY_MS = 30_000;
/** How long a process may take to end when told to, before it is killed. Milliseconds. */
const STOP_GRACE_MS = 2000;

/** A line the engine process wants logged. */
export interface EngineLogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly text: string;
}

export interface SupervisorParts {
  readonly options: EngineOptions;
  /** Compiled entry of the engine process. */
  readonly entryPath: string;
  readonly onReady: (
    message: Extract<FromEngine, { kind: 'ready' }>,
    send: (message: ToEngine) => void,
  ) => void;
  readonly onMessage: (message: FromEngine) => void;
  /** The process is gone; `willRestart` tells whether another will follow. */
  readonly onLost: (failure: Failure, willRestart: boolean) => void;
  readonly onLog: (line: EngineLogLine) => void;
}

/** One model's process, whichever is the current one. */
export class Supervisor {
  state: EngineState = 'starting';
  restarts = 0;
  readonly #parts: SupervisorParts;
  #child: ChildProcess | undefined;
  #pauseMs = FIRST_PAUSE_MS;
  #startedAtMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #fatal: string | undefined;
  #hasBeenReady = false;

  constructor(parts: SupervisorParts) {
    this.#parts = parts;
  }

  /** Process id of the current process, for logs and tests. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  start(): void {
    const { options, entryPath } = this.#parts;
    this.#startedAtMs = performance.now();
    const child = fork(entryPath, [options.modelId], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      serialization: 'json',
      execArgv: [],
    });
    this.#child = child;
    child.on('message', (message) => this.#receive(child, message as FromEngine));
    child.on('exit', (code, signal) => this.#lost(child, signal ?? `code ${code}`));
    child.on('error', (error) => {
      this.#parts.onLog({ level: 'error', text: `engine process: ${error.message}` });
      // What could not even be started never exits.
      if (child.pid === undefined) this.#lost(child, error.message);
    });
    for (const stream of [child.stdout, child.stderr]) this.#logLines(stream);
    this.#sendTo(child, { kind: 'start', options });
  }

  /** Ends the process for good. */
  async stop(): Promise<void> {
    this.state = 'stopped';
    clearTimeout(this.#timer);
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    this.#sendTo(child, { kind: 'stop' });
    const kill = setTimeout(() => child.kill('SIGKILL'), STOP_GRACE_MS);
    await ended;
    clearTimeout(kill);
  }

  #receive(child: ChildProcess, message: FromEngine): void {
    if (child !== this.#child) return;
    switch (message.kind) {
      case 'ready':
        // Told to stop while it was loading: this one ends, and no other follows.
        if (this.state === 'stopped') return;
        this.state = 'ready';
        this.#hasBeenReady = true;
        if (this.restarts > 0) {
          const text = `the engine process of ${this.#parts.options.modelId} is back`;
          this.#parts.onLog({ level: 'info', text });
        }
        this.#parts.onReady(message, (out) => this.#sendTo(child, out));
        return;
      case 'fatal':
        this.#fatal = message.message;
        return;
      case 'log':
        this.#parts.onLog({ level: message.level, text: message.text });
        return;
      default:
        this.#parts.onMessage(message);
    }
  }

  #lost(child: ChildProcess, how: string): void {
    if (child !== this.#child) return;
    this.#child = undefined;
    // What fails before it was ever ready would fail again: a missing file does not come back by waiting.
    const willRestart = this.state !== 'stopped' && this.#hasBeenReady && this.#fatal === undefined;
    const message = this.#fatal ?? `the engine process of ${this.#parts.options.modelId} ended (${how})`;
    if (this.state !== 'stopped') this.#parts.onLog({ level: 'error', text: message });
    if (willRestart) this.#scheduleRestart();
    else this.state = 'stopped';
    this.#parts.onLost({ code: 'engine_lost', message }, willRestart);
  }

  #scheduleRestart(): void {
    this.state = 'restarting';
    this.restarts++;
    if (performance.now() - this.#startedAtMs > HEALTHY_MS) this.#pauseMs = FIRST_PAUSE_MS;
    this.#timer = setTimeout(() => this.start(), this.#pauseMs);
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, this.#pauseMs * 2);
  }

  #sendTo(child: ChildProcess, message: ToEngine): void {
    // A closed channel means that the process is ending; its exit is handled there.
    if (child.connected) child.send(message, () => undefined);
  }

  /** A process that could not be started has no streams. */
  #logLines(stream: NodeJS.ReadableStream | null | undefined): void {
    if (stream === null || stream === undefined) return;
    createInterface({ input: stream }).on('line', (text) => {
      if (text.trim() !== '') this.#parts.onLog({ level: 'warn', text });
    });
  }
}
