// Constraints in the engine process: compiled once per content, matched in worker threads, at no cost to sequences
// that have none. One host per model. The threads start with the first constraint.

import { createHash } from 'node:crypto';
import { LIMITS, type ReplyLead, type ToolCallSyntax, type ToolConstraint } from '../../grammar/index.js';
import { type Constraint, KoineError } from '../../protocol/index.js';
import type { HeldCalls } from './held-calls.js';
import { CallHolds, type HoldOptions } from './hold-calls.js';
import { createMatcher, type Matcher } from './matcher.js';
import type { CompileTask, MatcherEntry } from './messages.js';
import { type Placed, Pool } from './pool.js';
import { createSlot, Slot } from './slot.js';
import { createTextOf, packVocabulary, type TokenSource } from './vocabulary.js';
import type { WorkerHandle } from './worker-handle.js';

export interface ConstraintHostOptions {
  readonly tokens: TokenSource;
  /** Tokens that end a generation. */
  readonly eogTokens: readonly number[];
  /** How the model writes calls; undefined when that is not known. */
  readonly toolSyntax?: ToolCallSyntax | undefined;
  /** Texts of control tokens that belong to calls. */
  readonly markers?: readonly string[];
  /** Most worker threads. Default 4. */
  readonly maxWorkers?: number;
  /** Longest compilation, in seconds. Default 30. */
  readonly compileSeconds?: number;
  /** Memory of one worker's compiler, in bytes. Default 1 GiB. */
  readonly memoryLimitBytes?: number;
  /** Grammars a worker keeps ready. Default 32. */
  readonly cachedGrammars?: number;
  /** The worker's module. Default: the one beside this file. */
  readonly entry?: URL;
  /** Told what is held less than its request says, and why. */
  readonly note?: (text: string) => void;
}

/** A compiled constraint. Matchers made from it stay usable after `release`. */
export interface CompiledConstraint {
  /** `entry`: where it takes over an output that has begun. */
  createMatcher(entry?: MatcherEntry): Matcher;
  /** Must be called once: the grammar may then be dropped from memory. */
  release(): void;
}

/** What came of a constraint. */
export type CompileOutcome =
  | { readonly kind: 'compiled'; readonly constraint: CompiledConstraint }
  /** A client's own grammar that this compiler cannot read; another sampler may. */
  | { readonly kind: 'unsupported-here'; readonly reason: string };

/** How one constraint is to be compiled. */
export interface CompileOptions {
  /** What may stand in front of the output. */
  readonly lead?: ReplyLead | undefined;
  /** Aborted when the result is not wanted any more. */
  readonly signal?: AbortSignal;
}

export interface ConstraintHost {
  /** Starts a thread in advance. */
  prepare(): Promise<void>;
  /**
   * Checks and compiles. Throws `constraint`, naming the place, or the limit that was reached; `cancelled` when
   * `signal` was aborted before.
   */
  compile(constraint: Constraint, options?: CompileOptions): Promise<CompileOutcome>;
  /**
   * Calls the model may choose to make (`auto`), for each choice: free text until one begins. None where they cannot
   * be held. Throws as `compile` does, but only where a tool is strict; otherwise nothing is compiled before a call comes near.
   */
  holdCalls(constraint: ToolConstraint, options: HoldOptions): Promise<readonly HeldCalls[]>;
  status(): {
    readonly workers: number;
    readonly compiling: number;
    readonly matchers: number;
    readonly grammars: number;
  };
  dispose(): void;
}

const GIB = 1024 ** 3;
/** Characters of a constraint with everything around its schema, grammar or tools. */
const LARGEST = 4 * LIMITS.textLength;

/** The host of one model's constraints. */
export function createConstraintHost(options: ConstraintHostOptions): ConstraintHost {
  const { tokens, toolSyntax } = options;
  let pool: Pool | undefined;
  let ids = 0;

  const workers = (): Pool => {
    pool ??= newPool(options);
    return pool;
  };

  const open = (worker: WorkerHandle, key: string, entry?: MatcherEntry): Matcher => {
    ids += 1;
    const id = ids;
    const memory = createSlot(tokens.size);
    const slot = new Slot(memory);
    let isLost = worker.state === 'dead';
    worker.matchers.set(id, () => {
      isLost = true;
    });
    if (!isLost) worker.send({ kind: 'open', id, key, slot: memory, entry });
    const matcher = createMatcher({
      slot,
      notify: () => worker.notify(),
      isLost: () => isLost,
      release: () => {
        if (worker.matchers.delete(id)) worker.send({ kind: 'close', id });
        workers().released();
      },
    });
    // The first command, without tokens, asks for the first mask.
    if (!isLost) {
      slot.post([]);
      worker.notify();
    }
    return matcher;
  };

  const compile = async (task: CompileTask, signal?: AbortSignal): Promise<CompileOutcome> => {
    const placed = await workers().place(task, signal);
    if (placed.kind !== 'placed') return notPlaced(placed, task.constraint.kind);
    const { worker } = placed;
    let isReleased = false;
    return {
      kind: 'compiled',
      constraint: {
        createMatcher: (entry) => open(worker, task.key, entry),
        release: () => {
          if (isReleased) return;
          isReleased = true;
          workers().unpin(worker, task.key);
        },
      },
    };
  };

  const holds = new CallHolds({
    syntax: toolSyntax,
    bytesOf: createTextOf(tokens, options.eogTokens, options.markers ?? []),
    keyOf,
    openNow: (key, entry) => {
      const worker = pool?.readyWorker(key);
      return worker && open(worker, key, entry);
    },
    compile: async (task, signal) => {
      const outcome = await compile({ ...task, syntax: toolSyntax, lead: undefined }, signal);
      if (outcome.kind !== 'compiled') throw new KoineError('constraint', `tools: ${outcome.reason}`);
      const { createMatcher: openAt, release } = outcome.constraint;
      return { open: openAt, release };
    },
    note: options.note ?? silence,
  });

  return {
    prepare: () => workers().prepare(),
    compile: async (constraint, { lead, signal } = {}) => {
      const key = keyOf(constraint, lead === undefined ? '' : JSON.stringify(lead));
      return compile({ key, constraint, syntax: toolSyntax, lead }, signal);
    },
    holdCalls: (constraint, held) => holds.hold(constraint, held),
    status: () => pool?.status() ?? { workers: 0, compiling: 0, matchers: 0, grammars: 0 },
    dispose: () => pool?.close(),
  };
}

function silence(): void {}

function newPool(options: ConstraintHostOptions): Pool {
  const isSource = import.meta.url.endsWith('.ts');
  return new Pool({
    vocabulary: packVocabulary(options.tokens, options.eogTokens, options.markers ?? []),
    memoryLimitBytes: options.memoryLimitBytes ?? GIB,
    compileSeconds: options.compileSeconds ?? 30,
    entry: options.entry ?? new URL(isSource ? './worker.ts' : './worker.js', import.meta.url),
    maxWorkers: options.maxWorkers ?? 4,
    cachedGrammars: options.cachedGrammars ?? 32,
    note: options.note ?? silence,
  });
}

/** What the caller learns of a constraint that no worker has ready. */
function notPlaced(placed: Exclude<Placed, { kind: 'placed' }>, kind: Constraint['kind']): CompileOutcome {
  switch (placed.kind) {
    case 'faulty':
      throw new KoineError(placed.failure.code, placed.failure.message, placed.failure.details);
    case 'abandoned':
      throw new KoineError('cancelled');
    case 'foreign':
      return { kind: 'unsupported-here', reason: placed.reason };
    case 'refused':
    case 'limit':
      throw new KoineError('constraint', `${kind}: ${placed.reason}`, { field: 'constraint' });
  }
}

/** By what a grammar is known: everything that makes it. */
function keyOf(constraint: Constraint, more: string): string {
  return createHash('sha256').update(contentOf(constraint)).update(more).digest('base64');
}

/** The whole constraint as text. Refuses what is too large to be worth a look, before it is handed around. */
function contentOf(constraint: Constraint): string {
  let text: string;
  try {
    text = JSON.stringify(constraint);
  } catch {
    throw new KoineError('constraint', `${constraint.kind}: it is nested too deeply`, {
      field: 'constraint',
    });
  }
  if (text.length <= LARGEST) return text;
  throw new KoineError('constraint', `${constraint.kind}: it is larger than ${LARGEST} characters`, {
    field: 'constraint',
  });
}
