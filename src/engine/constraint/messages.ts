// What host and worker say to each other beside the slots. Everything is a plain value.

import type { Holding, ReplyLead, ToolCallSyntax } from '../../grammar/index.js';
import type { Constraint, Failure } from '../../protocol/index.js';
import type { Vocabulary } from './vocabulary.js';

/** Given to a worker when it starts. */
export interface WorkerStart {
  readonly vocabulary: Vocabulary;
  /** Bytes its WebAssembly memory may grow to. */
  readonly memoryLimitBytes: number;
  /** One counter: raised and notified whenever there is something to do. */
  readonly wake: Int32Array;
  /** Commands arrive here, because a waiting worker's event loop stands still. */
  readonly port: import('node:worker_threads').MessagePort;
}

/** What there is to compile. Cached by `key`. */
export interface CompileTask {
  readonly key: string;
  readonly constraint: Constraint;
  readonly syntax: ToolCallSyntax | undefined;
  readonly lead: ReplyLead | undefined;
  /** How much of calls is held which the model may choose to make. */
  readonly holding?: Holding | undefined;
  /** Longest compilation, in seconds, where it is to be shorter than usual. */
  readonly mostSeconds?: number | undefined;
}

/** Where a matcher takes over an output that was free until then. */
export interface MatcherEntry {
  /** What has been written, as the grammar begins with it. What does not fit is not followed: the matcher is over. */
  readonly written: string;
  /** Over as soon as the grammar may end; else only when the output does. */
  readonly endsWithCall: boolean;
}

export type Command =
  | ({ readonly kind: 'compile' } & CompileTask)
  | {
      readonly kind: 'open';
      readonly id: number;
      readonly key: string;
      readonly slot: SharedArrayBuffer;
      readonly entry?: MatcherEntry | undefined;
    }
  | { readonly kind: 'close'; readonly id: number }
  | { readonly kind: 'drop'; readonly key: string };

export type Report =
  | { readonly kind: 'ready'; readonly ms: number; readonly memoryBytes: number }
  | {
      readonly kind: 'compiled';
      readonly key: string;
      readonly ms: number;
      readonly memoryBytes: number;
      /** Tools whose arguments are any, and why. */
      readonly loosened: readonly string[];
    }
  /** Not a constraint that can be used; nothing was compiled, and the instance is as it was. */
  | { readonly kind: 'faulty'; readonly key: string; readonly failure: Failure }
  /** A sound grammar of the client's that must not be compiled here. */
  | { readonly kind: 'foreign'; readonly key: string; readonly reason: string }
  /** The grammar could not be compiled; the instance is not to be used any more. */
  | {
      readonly kind: 'refused';
      readonly key: string;
      readonly reason: string;
      readonly isMemory: boolean;
      readonly isForeign: boolean;
    }
  /** The instance failed elsewhere; all its matchers are lost. */
  | { readonly kind: 'broken'; readonly reason: string };
