// A model of a pool and what becomes of it. Server process.

import type { ModelDescription } from '../../protocol/index.js';
import type { ManagedEngine } from '../engine.js';

/** A model of the pool. */
export interface PoolModel {
  /** What can be told of it before it is loaded. */
  readonly outline: ModelDescription;
  /** Memory it will take when loaded. */
  readonly bytes: number;
  /** Starts its process. */
  readonly start: () => ManagedEngine;
}

/** Where a model of the pool stands. */
export interface Entry {
  readonly model: PoolModel;
  engine: ManagedEngine | undefined;
  description: ModelDescription | undefined;
  lastUsed: number;
  /** Requests that use it without the engine knowing of them yet: it must not be unloaded under them. */
  claims: number;
  /** It is being loaded for the requests in `wanted`; each holds a claim when this resolves. */
  arrival: Promise<ManagedEngine> | undefined;
  wanted: (AbortSignal | undefined)[];
  /** It is to make room for another: new requests wait until it has, or until that has taken too long. */
  gate: Promise<void> | undefined;
  /** Its process is ending, and has its memory until then. */
  isLeaving: boolean;
  /** It was taken out of the pool: who still knows it is refused. */
  isGone: boolean;
  /** Settles when nothing loads it any more. */
  pending: Promise<void> | undefined;
}
