// The model side of an engine process: messages in, the step loop, messages out. Knows nothing of how a
// process is started or a model is loaded; cli/engine-process.ts hands it both.

import { availableParallelism } from 'node:os';
import { type Failure, KoineError, toFailure } from '../../protocol/index.js';
import { createNoCache } from '../cache/no-cache.js';
import { Places } from '../cache/places.js';
import type { PrefixCache } from '../cache/prefix-cache.js';
import { RadixCache } from '../cache/radix-cache.js';
import { Constraints } from '../constraints.js';
import { createGroup, type IntakeParts } from '../intake.js';
import { createLoadReader } from '../machine-load.js';
import type { ModelFacts, ModelRunner } from '../model-runner.js';
import type { EngineOptions } from '../options.js';
import { createSamplerWorkspace } from '../sampling/index.js';
import type { OutputMatcher } from '../sequence.js';
import { StepLoop } from '../step.js';
import { StepRecorder } from '../step-recorder.js';
import { hasPrefill } from '../step-shape.js';
import { TokenTable } from '../text/index.js';
import { TextBounds } from '../text-bounds.js';
import { ThreadControl } from '../thread-control.js';
import type { FromEngine, ProcessStatus, Query, Submission, ToEngine } from './messages.js';
import { QueryQueue } from './query-queue.js';

export interface HostParts {
  readonly runner: ModelRunner;
  readonly facts: ModelFacts;
  readonly options: EngineOptions;
  /** Longest input of an embedding, in tokens. */
  readonly maxEmbedTokens: number;
  readonly librarySource: string;
  readonly send: (message: FromEngine) => void;
}

/** Time between status messages while work goes on. Milliseconds. */
const STATUS_EVERY_MS = 250;

/** Steps go on this long before the channel is read again, unless there is news. Milliseconds. */
const TURN_MS = 4;
/** Text of running requests is sent this often: no screen shows more, and sent together it costs channel and sockets a
 * fraction. A little less often for every stream there is, so that the writes of a second stay few. First tokens and ends
 * never wait. Milliseconds. */
const SHOW_EVERY_MS = 16;
const SHOW_EVERY_PER_STREAM_MS = 0.25;
const SHOW_EVERY_AT_MOST_MS = 50;
/** A model that takes this many steps in that time writes faster than anybody reads: its text is sent less often. */
const FAST_STEPS = 16;
const SHOW_FAST_EVERY_MS = 40;
/** A sleep in which the server process takes a message up. Milliseconds. */
const YIELD_MS = 0.1;
/** A pause after which the machine is looked at anew before the first step. Milliseconds. */
const WAKE_AFTER_MS = 300;

/** Runs one model until told to stop. */
export class EngineHost {
  readonly #parts: HostParts;
  readonly #cache: PrefixCache;
  readonly #places: Places;
  readonly #loop: StepLoop;
  readonly #threads: ThreadControl;
  readonly #recorder = new StepRecorder();
  readonly #intake: IntakeParts;
  readonly #queries: QueryQueue;
  readonly #constraints: Constraints;
  /** Requests whose constraint is being compiled. */
  readonly #compiling = new Map<number, AbortController>();
  readonly #cores = availableParallelism();
  /** Slept on; never written to. */
  readonly #nobody = new Int32Array(new SharedArrayBuffer(4));
  #arrivals = 0;
  #isScheduled = false;
  #statusAtMs = 0;
  #turnAtMs = Number.NEGATIVE_INFINITY;
  #shownAtMs = Number.NEGATIVE_INFINITY;
  #shownAtStep = 0;

  constructor(parts: HostParts) {
    const { runner, options } = parts;
    this.#parts = parts;
    this.#cache = createCache(runner, options);
    const sharesPrefixes = options.prefixCacheBytes > 0;
    this.#places = new Places(runner, this.#cache, sharesPrefixes);
    const workspace = createSamplerWorkspace(runner.info.vocabSize);
    const table = new TokenTable((token) => runner.tokenBytes(token));
    const now = (): number => performance.now();
    this.#threads = new ThreadControl({
      maxThreads: runner.info.maxThreads,
      readLoad: createLoadReader(),
    });
    this.#loop = new StepLoop({
      runner,
      places: this.#places,
      workspace,
      table,
      sharesPrefixes,
      promptLookup: options.promptLookup,
      now,
      threads: () => this.#currentThreads(),
      onStepTime: (shape, ms) => {
        this.#recorder.forward(ms, hasPrefill(shape));
        if (options.adaptThreads) this.#threads.observe({ shape, ms, nowMs: now() });
      },
    });
    const bounds = new TextBounds(runner);
    this.#intake = { runner, facts: parts.facts, workspace, table, bounds, now };
    this.#constraints = new Constraints(runner, parts.facts, options, (text) =>
      parts.send({ kind: 'log', level: 'info', text }),
    );
    this.#queries = new QueryQueue({
      runner,
      facts: parts.facts,
      maxEmbedTokens: parts.maxEmbedTokens,
      bounds,
    });
  }

  /** Announces the model. */
  start(): void {
    const { runner, facts, send, librarySource, maxEmbedTokens } = this.#parts;
    const { vocabSize, contextPerSequence, maxSequences, eogTokens, kvBytesPerToken, maxThreads } =
      runner.info;
    // First, so that whoever hears of the model has its figures.
    send({ kind: 'status', status: this.#status() });
    send({
      kind: 'ready',
      facts,
      runner: {
        vocabSize,
        contextTokens: contextPerSequence,
        maxSequences,
        eogTokens,
        maxEmbedTokens,
        kvBytesPerToken,
        threads: maxThreads,
        librarySource,
      },
    });
  }

  /** Handles one message from the server process. `stop` and `start` are the process's own business. */
  receive(message: ToEngine): void {
    switch (message.kind) {
      case 'submit':
        this.#submit(message.submission);
        break;
      case 'cancel':
        this.#compiling.get(message.key)?.abort();
        this.#compiling.delete(message.key);
        this.#loop.cancel(message.key);
        break;
      case 'query':
        this.#query(message.key, message.query);
        break;
      case 'cancel-query':
        this.#queries.cancel(message.key);
        break;
      case 'start':
      case 'stop':
        return;
    }
    this.#schedule();
  }

  dispose(): void {
    this.#constraints.dispose();
    this.#parts.runner.dispose();
  }

  #submit(submission: Submission): void {
    const { constraint, lead, key, bestOf, n } = submission;
    if (constraint === undefined) {
      this.#admit(submission, undefined);
      return;
    }
    // Compiling takes up to seconds, in another thread; a request that is cancelled meanwhile is not run.
    const cancel = new AbortController();
    this.#compiling.set(key, cancel);
    this.#constraints.matchers(constraint, Math.max(n, bestOf), { lead, signal: cancel.signal }).then(
      (matchers) => {
        if (this.#compiling.delete(key)) this.#admit(submission, matchers);
        else for (const matcher of matchers) matcher.dispose();
        this.#schedule();
      },
      (error: unknown) => {
        if (this.#compiling.delete(key)) this.#refuse(submission, error);
        this.#schedule();
      },
    );
  }

  #admit(submission: Submission, matchers: readonly OutputMatcher[] | undefined): void {
    try {
      if (!this.#parts.facts.canGenerate)
        throw new KoineError('unsupported', 'this model only makes embeddings');
      this.#loop.add(createGroup(this.#intake, submission, this.#arrivals++, matchers));
    } catch (error) {
      for (const matcher of matchers ?? []) matcher.dispose();
      this.#refuse(submission, error);
    }
  }

  #refuse({ key, id }: Submission, error: unknown): void {
    const failure = this.#failureOf(error, `request ${id}`);
    this.#loop.outbox.ofGroup(key, { kind: 'failed', failure });
  }

  #query(key: number, query: Query): void {
    try {
      const result = this.#queries.answerNow(key, query);
      if (result !== undefined) this.#parts.send({ kind: 'answer', key, result });
    } catch (error) {
      this.#parts.send({ kind: 'refused', key, failure: this.#failureOf(error, query.kind) });
    }
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    const now = performance.now();
    if (now - this.#turnAtMs > WAKE_AFTER_MS) this.#threads.wake(now);
    // An immediate runs after the channel has been read, so a step sees every message that came before it.
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#isScheduled = false;
    this.#turnAtMs = performance.now();
    try {
      do this.#step();
      while (
        this.#loop.hasRunning &&
        this.#loop.outbox.isEmpty &&
        performance.now() - this.#turnAtMs < TURN_MS
      );
      this.#embedOne();
    } catch (error) {
      // A bug in the loop: nothing in it can be trusted, and the supervisor starts a fresh process.
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      this.#parts.send({ kind: 'log', level: 'error', text: `the step loop failed: ${text}` });
      throw error;
    }
    this.#emit();
    if (this.#loop.hasWork || this.#queries.hasWork) this.#schedule();
  }

  #step(): void {
    const loop = this.#loop;
    const { seated, hasRunning } = loop;
    const begun = performance.now();
    loop.step();
    this.#recorder.end(performance.now() - begun, loop.seated - seated, hasRunning);
  }

  /** One pass of embeddings between two steps, so that neither holds up the other for long. */
  #embedOne(): void {
    const { send } = this.#parts;
    for (const done of this.#queries.work()) {
      if (done.kind === 'answer') send(done);
      else send({ kind: 'refused', key: done.key, failure: this.#failureOf(done.error, 'embed') });
    }
  }

  #emit(): void {
    const isIdle = !this.#loop.hasRunning && this.#loop.waiting.length === 0;
    const now = performance.now();
    const isUrgent = !this.#loop.outbox.isEmpty;
    if (now - this.#shownAtMs >= this.#showEvery()) {
      this.#shownAtMs = now;
      this.#shownAtStep = this.#loop.steps;
      this.#loop.showPending();
    }
    const isDue = isIdle || now - this.#statusAtMs >= STATUS_EVERY_MS;
    if (this.#loop.outbox.isEmpty && !isDue) return;
    const { texts, events } = this.#loop.outbox.take();
    if (isDue) this.#statusAtMs = now;
    this.#parts.send({ kind: 'step', texts, events, ...(isDue ? { status: this.#status() } : {}) });
    if (isUrgent && this.#loop.hasRunning) this.#letServerRun();
  }

  /** Milliseconds between two messages with the text of those that run. */
  #showEvery(): number {
    const usual = SHOW_EVERY_MS + this.#loop.running.size * SHOW_EVERY_PER_STREAM_MS;
    const isFast = this.#loop.steps - this.#shownAtStep >= FAST_STEPS;
    return Math.min(SHOW_EVERY_AT_MOST_MS, isFast ? Math.max(usual, SHOW_FAST_EVERY_MS) : usual);
  }

  /** Where the next step takes every core, whoever the message was for would be woken up in the middle of it. */
  #letServerRun(): void {
    if (this.#currentThreads() >= this.#cores) Atomics.wait(this.#nobody, 0, 0, YIELD_MS);
  }

  #status(): ProcessStatus {
    const { cells } = this.#places.audit();
    const cache = this.#cache.stats();
    const swapped = this.#loop.waiting.snapshot().filter((sequence) => sequence.phase === 'swapped').length;
    return {
      running: this.#loop.running.size,
      waiting: this.#loop.waiting.length - swapped,
      swapped,
      kvCells: { total: cells.total, running: cells.running, cached: cells.cached },
      prefixCache: { ...this.#loop.hits, usedBytes: cache.usedBytes, budgetBytes: cache.budgetBytes },
      ...(this.#parts.options.promptLookup > 0 ? { promptLookup: { ...this.#loop.lookupFigures } } : {}),
      threads: this.#currentThreads(),
      steps: this.#loop.steps,
      stepFigures: this.#recorder.figures(),
    };
  }

  #currentThreads(): number {
    return this.#parts.options.adaptThreads ? this.#threads.threads : this.#parts.runner.info.maxThreads;
  }

  /** `what` failed, for the log. */
  #failureOf(error: unknown, what: string): Failure {
    if (!(error instanceof KoineError)) {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      this.#parts.send({ kind: 'log', level: 'error', text: `${what} failed: ${text}` });
    }
    return toFailure(error);
  }
}

function createCache(runner: ModelRunner, options: EngineOptions): PrefixCache {
  if (options.prefixCacheBytes === 0 || !runner.info.canMoveKv) return createNoCache();
  return new RadixCache({
    budgetBytes: options.prefixCacheBytes,
    split: (block, at) => runner.splitKv(block, at),
    // In a shared pool there may be no cells for more than is wanted.
    isExact: runner.info.kvLayout === 'unified',
  });
}
