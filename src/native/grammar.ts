// llama.cpp's own grammar sampler (GBNF), for grammars the constraint room cannot read. Slower: it looks at every
// token of the vocabulary at every step. Engine process.

import koffi from 'koffi';
import type { LlamaLibrary } from './library.js';
import type { Pointer } from './structs.js';

/** Bytes of `llama_token_data`: int32 id, float logit, float p. */
const TOKEN_DATA_BYTES = 12;

/** One sequence's walk through a grammar; an `OutputMatcher` for the engine. */
export class NativeGrammar {
  readonly #library: LlamaLibrary;
  readonly #sampler: Pointer;
  readonly #data: Int32Array;
  readonly #logits: Float32Array;
  readonly #array: BigInt64Array;
  readonly #mask: Int32Array;
  readonly #vocabSize: number;
  #isCurrent = false;

  private constructor(library: LlamaLibrary, sampler: Pointer, vocabSize: number) {
    this.#library = library;
    this.#sampler = sampler;
    this.#vocabSize = vocabSize;
    const memory = new ArrayBuffer(vocabSize * TOKEN_DATA_BYTES);
    this.#data = new Int32Array(memory);
    this.#logits = new Float32Array(memory);
    this.#mask = new Int32Array(Math.ceil(vocabSize / 32));
    // llama_token_data_array: data pointer, size_t size, int64 selected, bool sorted (padded).
    this.#array = BigInt64Array.from([koffi.address(this.#data), BigInt(vocabSize), -1n, 0n]);
  }

  /** Parses a grammar whose start rule is `root`; undefined when llama.cpp refuses it. */
  static parse(
    library: LlamaLibrary,
    vocab: Pointer,
    vocabSize: number,
    source: string,
  ): NativeGrammar | undefined {
    // To C a text ends at its first NUL, and an empty grammar allows everything.
    if (source.includes('\0') || source.trim() === '') return undefined;
    const sampler = library.samplerGrammar(vocab, source, 'root');
    return sampler === null ? undefined : new NativeGrammar(library, sampler, vocabSize);
  }

  /** Tokens allowed next, one bit each. */
  mask(): Int32Array {
    if (this.#isCurrent) return this.#mask;
    for (let id = 0, at = 0; id < this.#vocabSize; id++, at += 3) {
      this.#data[at] = id;
      this.#logits[at + 1] = 0;
    }
    this.#array[1] = BigInt(this.#vocabSize);
    this.#library.samplerApply(this.#sampler, this.#array);
    this.#mask.fill(0);
    for (let id = 0, at = 1; id < this.#vocabSize; id++, at += 3) {
      if (this.#logits[at] === 0) this.#mask[id >> 5] = (this.#mask[id >> 5] ?? 0) | (1 << (id & 31));
    }
    this.#isCurrent = true;
    return this.#mask;
  }

  accept(tokens: readonly number[]): void {
    for (const token of tokens) this.#library.samplerAccept(this.#sampler, token);
    this.#isCurrent = false;
  }

  /** llama.cpp does not tell. */
  forced(): readonly number[] {
    return [];
  }

  dispose(): void {
    this.#library.samplerFree(this.#sampler);
  }
}
