// Embeddings: contexts of their own, one per kind of pooling, made on first use. Engine process.

import koffi from 'koffi';
import { NativeBatch } from './batch.js';
import type { LlamaLibrary } from './library.js';
import { POOLING_TYPES, type Pointer } from './structs.js';

type Pooling = keyof typeof POOLING_TYPES;

const SEQUENCES = 16;

interface EmbeddingContext {
  readonly handle: Pointer;
  readonly memory: Pointer | null;
  readonly batch: NativeBatch;
}

/** What the embedder needs to know of its model. */
export interface EmbedderModel {
  readonly handle: Pointer;
  readonly width: number;
  readonly classifierOutputs: number;
  /** Longest input in tokens. Pooling needs a whole input in one pass, so this is also the size of a pass. */
  readonly maxTokens: number;
  readonly threads: number;
}

/** Runs inputs through the model and copies their vectors out. */
export class Embedder {
  readonly #contexts = new Map<Pooling, EmbeddingContext>();

  constructor(
    readonly library: LlamaLibrary,
    readonly model: EmbedderModel,
  ) {}

  /** One vector per input, or one per token with pooling `none`. Inputs must be 1 .. maxTokens long. */
  embed(inputs: readonly Int32Array[], pooling: Pooling): Float32Array[][] {
    const results: Float32Array[][] = [];
    for (let start = 0; start < inputs.length; ) {
      const end = this.#endOfPass(inputs, start);
      results.push(...this.#pass(inputs.slice(start, end), pooling));
      start = end;
    }
    return results;
  }

  dispose(): void {
    for (const { handle } of this.#contexts.values()) this.library.contextFree(handle);
    this.#contexts.clear();
  }

  #endOfPass(inputs: readonly Int32Array[], start: number): number {
    let tokens = 0;
    let end = start;
    while (end < inputs.length && end - start < SEQUENCES) {
      tokens += inputs[end]?.length ?? 0;
      if (tokens > this.model.maxTokens && end > start) break;
      end++;
    }
    return end;
  }

  #pass(inputs: readonly Int32Array[], pooling: Pooling): Float32Array[][] {
    const { handle, memory, batch } = this.#context(pooling);
    batch.length = 0;
    inputs.forEach((tokens, sequence) => {
      tokens.forEach((token, position) => {
        batch.push(token, position, sequence, true);
      });
    });
    if (memory !== null) this.library.memoryClear(memory, false);
    const status =
      memory === null
        ? this.library.encode(handle, batch.asTokens())
        : this.library.decode(handle, batch.asTokens());
    if (status !== 0) throw new Error(`the model could not embed the input (llama.cpp status ${status})`);
    if (pooling === 'none') return this.#rowsPerToken(handle, inputs);
    const width = pooling === 'rank' ? this.model.classifierOutputs : this.model.width;
    return inputs.map((_, sequence) => [this.#copy(this.library.embeddingSequence(handle, sequence), width)]);
  }

  #rowsPerToken(handle: Pointer, inputs: readonly Int32Array[]): Float32Array[][] {
    let row = 0;
    return inputs.map((tokens) =>
      Array.from(tokens, () => this.#copy(this.library.embeddingRow(handle, row++), this.model.width)),
    );
  }

  #copy(address: Pointer | null, width: number): Float32Array {
    if (address === null) throw new Error('the model gave no embedding');
    return new Float32Array(koffi.view(address, width * 4)).slice();
  }

  #context(pooling: Pooling): EmbeddingContext {
    const known = this.#contexts.get(pooling);
    if (known !== undefined) return known;
    const { maxTokens, threads } = this.model;
    const handle = this.library.contextCreate(this.model.handle, {
      ...this.library.contextDefaultParams(),
      n_ctx: maxTokens,
      n_batch: maxTokens,
      n_ubatch: maxTokens,
      n_seq_max: SEQUENCES,
      n_threads: threads,
      n_threads_batch: threads,
      pooling_type: POOLING_TYPES[pooling],
      embeddings: true,
      kv_unified: true,
    });
    if (handle === null) throw new Error(`cannot create an embedding context with pooling ${pooling}`);
    const context = { handle, memory: this.library.memory(handle), batch: new NativeBatch(maxTokens) };
    this.#contexts.set(pooling, context);
    return context;
  }
}
