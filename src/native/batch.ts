// The memory of one `llama_batch`: parallel arrays with fixed addresses, filled by the engine, read by llama.cpp.

import koffi from 'koffi';
import type { StepBatch } from '../engine/model-runner.js';
import type { BatchStruct, Pointer } from './structs.js';

/** Arrays for `capacity` tokens, one sequence each. Owns memory that llama.cpp reads during a decode call. */
export class NativeBatch implements StepBatch {
  length = 0;
  readonly tokens: Int32Array;
  readonly positions: Int32Array;
  readonly sequences: Int32Array;
  readonly wantsLogits: Int8Array;
  readonly #sequenceCounts: Int32Array;
  readonly #sequencePointers: BigUint64Array;
  readonly #struct: BatchStruct;
  readonly #tokenAddress: Pointer;

  constructor(readonly capacity: number) {
    this.tokens = new Int32Array(capacity);
    this.positions = new Int32Array(capacity);
    this.sequences = new Int32Array(capacity);
    this.wantsLogits = new Int8Array(capacity);
    this.#sequenceCounts = new Int32Array(capacity).fill(1);
    this.#sequencePointers = new BigUint64Array(capacity);
    const base = koffi.address(this.sequences);
    for (let i = 0; i < capacity; i++) this.#sequencePointers[i] = base + BigInt(4 * i);
    this.#tokenAddress = koffi.address(this.tokens);
    this.#struct = {
      n_tokens: 0,
      token: this.#tokenAddress,
      embd: null,
      pos: koffi.address(this.positions),
      n_seq_id: koffi.address(this.#sequenceCounts),
      seq_id: koffi.address(this.#sequencePointers),
      logits: koffi.address(this.wantsLogits),
    };
  }

  /** The struct for a call over the first `length` tokens. Valid until the next call of either method. */
  asTokens(): BatchStruct {
    this.#struct.n_tokens = this.length;
    this.#struct.token = this.#tokenAddress;
    this.#struct.embd = null;
    return this.#struct;
  }

  /** The struct for a call over the first `length` entries with these embedding rows in place of tokens. */
  asRows(rows: Float32Array): BatchStruct {
    this.#struct.n_tokens = this.length;
    this.#struct.token = null;
    this.#struct.embd = koffi.address(rows);
    return this.#struct;
  }

  /** Appends one entry. */
  push(token: number, position: number, sequence: number, wantsLogits: boolean): void {
    const i = this.length++;
    this.tokens[i] = token;
    this.positions[i] = position;
    this.sequences[i] = sequence;
    this.wantsLogits[i] = wantsLogits ? 1 : 0;
  }
}
