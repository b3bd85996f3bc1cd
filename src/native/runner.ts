// llama.cpp behind the engine's ModelRunner contract: one model, one context. Engine process.

import koffi from 'koffi';
import type {
  DecodeOutcome,
  KvBlock,
  ModelFacts,
  ModelRunner,
  RunnerGrammar,
  RunnerInfo,
} from '../engine/model-runner.js';
import { checkAbi } from './abi-check.js';
import { NativeBatch } from './batch.js';
import { createContext, MICRO_BATCH, type NativeContext } from './context.js';
import { Embedder } from './embedder.js';
import { NativeGrammar } from './grammar.js';
import {
  cutRows,
  type KvLayout,
  type KvRows,
  readLayout,
  stateBytes,
  takeRows,
  writeState,
} from './kv-layout.js';
import { type LlamaLibrary, loadLibrary } from './library.js';
import { locateLibraries } from './locate.js';
import { NativeModel } from './model.js';
import type { NativeLogLine, RunnerOptions } from './options.js';

/** Longest input that can be embedded; a pass takes memory in proportion to it. */
const MAX_EMBED_TOKENS = 8192;
/** Rows from which on a CPU's matrix kernels are as fast as they get. */
const CPU_CHUNK = 128;
/** llama_decode's answer when there is no room for the batch. */
const NO_KV_SLOT = 1;

/**
 * Loads libraries, model and context. Throws an `Error` of one line that names what failed: missing or unfit
 * libraries, a file llama.cpp refuses, too little memory for the context.
 */
export function createLlamaRunner(options: RunnerOptions, onLog: (line: NativeLogLine) => void): LlamaRunner {
  let lastError: string | undefined;
  const library = loadLibrary(locateLibraries(options.libraryDir), (line) => {
    // The last lines say only that loading failed; the first error says why.
    if (line.level === 'error') lastError ??= line.text.replace(/^\S+: /, '');
    onLog(line);
  });
  checkAbi(library);
  const model = new NativeModel(library, options, () => lastError);
  lastError = undefined;
  const context = createContext(library, model, options, () => lastError);
  return new LlamaRunner(library, model, context, options);
}

/** Compute for one model through llama.cpp. All calls from the thread that created it. */
export class LlamaRunner implements ModelRunner {
  readonly info: RunnerInfo;
  readonly batch: NativeBatch;
  readonly facts: ModelFacts;
  readonly #library: LlamaLibrary;
  readonly #model: NativeModel;
  readonly #context: NativeContext;
  readonly #layout: KvLayout | undefined;
  readonly #embedder: Embedder;
  readonly #rowBatch: NativeBatch;
  #state = new Uint8Array(0);
  #adapter: string | null = null;
  #logitsAddress: bigint | null = null;
  #logitsView: Float32Array[] = [];

  constructor(library: LlamaLibrary, model: NativeModel, context: NativeContext, options: RunnerOptions) {
    this.#library = library;
    this.#model = model;
    this.#context = context;
    this.facts = model.facts;
    this.setThreads(context.maxThreads);
    this.batch = new NativeBatch(context.batchTokens);
    this.#rowBatch = new NativeBatch(context.batchTokens);
    this.#layout = this.#probeLayout();
    const unified = options.kvLayout === 'unified';
    this.info = {
      vocabSize: model.vocabSize,
      embeddingSize: model.facts.embeddingSize,
      maxSequences: options.parallel,
      contextPerSequence: context.contextPerSequence,
      totalCells: unified ? context.contextPerSequence : context.contextPerSequence * options.parallel,
      kvLayout: options.kvLayout,
      batchTokens: context.batchTokens,
      efficientChunk: library.hasGpu() ? MICRO_BATCH : CPU_CHUNK,
      canMoveKv: this.#layout !== undefined,
      kvBytesPerToken: this.#layout?.rowBytesTotal ?? 0,
      eogTokens: model.eogTokens,
      maxThreads: context.maxThreads,
    };
    this.#embedder = new Embedder(library, {
      handle: model.handle,
      width: model.facts.embeddingSize,
      classifierOutputs: library.modelClassifierOutputs(model.handle),
      maxTokens: Math.min(model.facts.trainedContextTokens, context.contextPerSequence, MAX_EMBED_TOKENS),
      threads: context.maxThreads,
    });
  }

  decode(): DecodeOutcome {
    return this.#outcome(this.#library.decode(this.#context.handle, this.batch.asTokens()));
  }

  decodeRows(rows: Float32Array, sequence: number, position: number, wantsLogits: boolean): DecodeOutcome {
    const count = rows.length / this.info.embeddingSize;
    this.#rowBatch.length = 0;
    for (let i = 0; i < count; i++)
      this.#rowBatch.push(0, position + i, sequence, wantsLogits && i === count - 1);
    return this.#outcome(this.#library.decode(this.#context.handle, this.#rowBatch.asRows(rows)));
  }

  logits(row: number): Float32Array {
    if (this.#logitsAddress === null) this.#findLogits();
    let view = this.#logitsView[row];
    if (view === undefined) {
      const bytes = this.info.vocabSize * 4;
      const address = (this.#logitsAddress ?? 0n) + BigInt(row * bytes);
      view = new Float32Array(koffi.view(address, bytes));
      this.#logitsView[row] = view;
    }
    return view;
  }

  removeKv(sequence: number, from: number, to: number): void {
    if (this.#context.memory !== null) this.#library.memoryRemove(this.#context.memory, sequence, from, to);
  }

  exportKv(sequence: number, from: number, to: number): KvBlock {
    const layout = this.#requireLayout();
    const size = Number(this.#library.stateSize(this.#context.handle, sequence));
    const state = this.#stateBuffer(size);
    const written = Number(this.#library.stateGet(this.#context.handle, state, size, sequence));
    if (written !== size) throw new Error(`sequence ${sequence}: its KV could not be read`);
    return takeRows(layout, state.subarray(0, size), from, to);
  }

  importKv(sequence: number, blocks: readonly KvBlock[]): boolean {
    const layout = this.#requireLayout();
    // The engine only hands back what exportKv and splitKv gave it.
    const rows = blocks as readonly KvRows[];
    const cells = rows.reduce((sum, block) => sum + block.length, 0);
    const state = this.#stateBuffer(stateBytes(layout, cells));
    const size = writeState(layout, rows, state);
    return Number(this.#library.stateSet(this.#context.handle, state, size, sequence)) === size;
  }

  splitKv(block: KvBlock, at: number): readonly [KvBlock, KvBlock] {
    return cutRows(this.#requireLayout(), block as KvRows, at);
  }

  setAdapter(name: string | null): void {
    if (name === this.#adapter) return;
    const count = name === null ? 0 : 1;
    const adapters = new BigUint64Array(name === null ? [0n] : [this.#model.adapter(name)]);
    const status = this.#library.setAdapters(this.#context.handle, adapters, count, new Float32Array([1]));
    if (status !== 0) throw new Error(`the adapter ${name ?? '(none)'} could not be selected`);
    this.#adapter = name;
  }

  setThreads(threads: number): void {
    const { handle, pool } = this.#context;
    this.#library.setThreads(handle, threads, threads);
    if (pool === undefined) return;
    // Without a pool llama.cpp starts and ends threads at every step; one thread needs none, and the pool's others
    // would look for work at every step, on the very cores that somebody else wants.
    if (threads === 1) this.#library.detachThreadpool(handle);
    else this.#library.attachThreadpool(handle, pool, pool);
  }

  tokenize(text: string, addSpecial: boolean, parseSpecial: boolean): Int32Array {
    return this.#model.tokenize(text, addSpecial, parseSpecial);
  }

  tokenBytes(token: number): Uint8Array {
    return this.#model.tokenBytes(token);
  }

  isControl(token: number): boolean {
    return this.#model.isControl(token);
  }

  /** Where the libraries come from. */
  get librarySource(): string {
    return this.#library.location.source;
  }

  /** Longest input `embed` takes, in tokens. */
  get maxEmbedTokens(): number {
    return this.#embedder.model.maxTokens;
  }

  embed(inputs: readonly Int32Array[], pooling: 'none' | 'mean' | 'cls' | 'last' | 'rank'): Float32Array[][] {
    return this.#embedder.embed(inputs, pooling);
  }

  parseGrammar(source: string): RunnerGrammar | undefined {
    return NativeGrammar.parse(this.#library, this.#model.vocab, this.#model.vocabSize, source);
  }

  dispose(): void {
    this.#embedder.dispose();
    this.#library.contextFree(this.#context.handle);
    this.#model.dispose();
  }

  #outcome(status: number): DecodeOutcome {
    this.#logitsAddress = null;
    if (status === 0) return 'ok';
    return status === NO_KV_SLOT ? 'no-space' : 'failed';
  }

  /** Rows move only when llama.cpp enlarges its output buffer; asking also puts them into batch order. */
  #findLogits(): void {
    const address = this.#library.logits(this.#context.handle);
    if (address === null) throw new Error('the last decode gave no logits');
    this.#logitsAddress = address;
    const first = this.#logitsView[0];
    if (first !== undefined && koffi.address(first) === address) return;
    this.#logitsView = [];
  }

  /** Decodes one token and reads how this context writes its state. Warms the weights up at the same time. */
  #probeLayout(): KvLayout | undefined {
    const { memory, handle } = this.#context;
    if (memory === null) return undefined;
    this.batch.length = 0;
    this.batch.push(this.#model.eogTokens[0] ?? 0, 0, 0, true);
    if (this.#library.decode(handle, this.batch.asTokens()) !== 0)
      throw new Error('the model cannot decode a token');
    const size = Number(this.#library.stateSize(handle, 0));
    const state = this.#stateBuffer(size);
    this.#library.stateGet(handle, state, size, 0);
    const layout = this.#context.hasPlainKv ? readLayout(state.subarray(0, size)) : undefined;
    this.#library.memoryClear(memory, false);
    return layout !== undefined && stateBytes(layout, 1) === size ? layout : undefined;
  }

  #stateBuffer(size: number): Uint8Array {
    if (this.#state.length < size) this.#state = new Uint8Array(Math.ceil(size * 1.25));
    return this.#state;
  }

  #requireLayout(): KvLayout {
    if (this.#layout === undefined) throw new Error('this kind of model keeps a state that cannot be moved');
    return this.#layout;
  }
}
