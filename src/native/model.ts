// One loaded model: weights, vocabulary and adapters. Owns its native memory. Engine process.

import type { ModelFacts } from '../engine/model-runner.js';
import type { LlamaLibrary } from './library.js';
import type { RunnerOptions } from './options.js';
import type { Pointer } from './structs.js';

const POOLINGS = ['none', 'mean', 'cls', 'last', 'rank'] as const;

/** A model in memory. Dispose frees it; contexts made from it must be freed before. */
export class NativeModel {
  readonly handle: Pointer;
  readonly vocab: Pointer;
  readonly vocabSize: number;
  readonly facts: ModelFacts;
  readonly eogTokens: readonly number[];
  readonly #library: LlamaLibrary;
  readonly #adapters = new Map<string, Pointer>();
  readonly #pieces: (Uint8Array | undefined)[];
  readonly #scratch = new Uint8Array(65_536);

  /** Loads the file. Throws an `Error` of one line naming the file when llama.cpp refuses it. */
  constructor(library: LlamaLibrary, options: RunnerOptions, lastError: () => string | undefined) {
    this.#library = library;
    const params = { ...library.modelDefaultParams(), n_gpu_layers: options.gpuLayers };
    const handle = library.modelLoad(options.modelPath, params);
    if (handle === null) {
      throw new Error(`cannot load ${options.modelPath}: ${lastError() ?? 'llama.cpp refused the file'}`);
    }
    this.handle = handle;
    this.vocab = library.modelVocab(handle);
    this.vocabSize = library.vocabSize(this.vocab);
    this.#pieces = new Array<Uint8Array | undefined>(this.vocabSize);
    this.eogTokens = this.#findEogTokens();
    this.facts = this.#readFacts(options);
    for (const { name, path } of options.adapters) this.#loadAdapter(name, path, lastError);
  }

  /** Address of a loaded adapter; throws when there is none of that name. */
  adapter(name: string): Pointer {
    const found = this.#adapters.get(name);
    if (found === undefined) throw new Error(`no adapter named ${name}`);
    return found;
  }

  /** Text to tokens; the buffer grows until the result fits. */
  tokenize(text: string, addSpecial: boolean, parseSpecial: boolean): Int32Array {
    const bytes = new TextEncoder().encode(text);
    // A byte is at least one token's share; four more for what the tokenizer adds around the text.
    const out = new Int32Array(bytes.length + 4);
    const call = (buffer: Int32Array): number =>
      this.#library.tokenize(
        this.vocab,
        bytes,
        bytes.length,
        buffer,
        buffer.length,
        addSpecial,
        parseSpecial,
      );
    const count = call(out);
    if (count >= 0) return out.slice(0, count);
    const larger = new Int32Array(-count);
    return larger.slice(0, call(larger));
  }

  /** The token's bytes, remembered per token: control tokens give their marker's name. */
  tokenBytes(token: number): Uint8Array {
    const known = this.#pieces[token];
    if (known !== undefined) return known;
    if (!(token >= 0 && token < this.vocabSize))
      throw new RangeError(`token ${token} is not in the vocabulary`);
    const size = this.#library.tokenToPiece(this.vocab, token, this.#scratch, this.#scratch.length, 0, true);
    const piece = this.#scratch.slice(0, Math.max(0, size));
    this.#pieces[token] = piece;
    return piece;
  }

  /** True for control tokens. */
  isControl(token: number): boolean {
    return this.#library.vocabIsControl(this.vocab, token);
  }

  dispose(): void {
    this.#library.modelFree(this.handle);
  }

  /** A metadata value of the file as text. */
  meta(key: string): string | undefined {
    const size = this.#library.modelMeta(this.handle, key, this.#scratch, this.#scratch.length);
    return size < 0 ? undefined : Buffer.from(this.#scratch.subarray(0, size)).toString('utf8');
  }

  #loadAdapter(name: string, path: string, lastError: () => string | undefined): void {
    const adapter = this.#library.adapterLoad(this.handle, path);
    if (adapter === null) {
      throw new Error(
        `cannot load the adapter ${name} from ${path}: ${lastError() ?? 'llama.cpp refused the file'}`,
      );
    }
    this.#adapters.set(name, adapter);
  }

  #findEogTokens(): number[] {
    const found: number[] = [];
    for (let token = 0; token < this.vocabSize; token++) {
      if (this.#library.vocabIsEog(this.vocab, token)) found.push(token);
    }
    return found;
  }

  #readFacts(options: RunnerOptions): ModelFacts {
    const { handle, vocab } = this;
    const library = this.#library;
    const architecture = this.meta('general.architecture') ?? 'unknown';
    const template = library.modelChatTemplate(handle, null);
    const bos = library.vocabBos(vocab);
    const eos = library.vocabEos(vocab);
    const markers = library.vocabInfill.map((find) => find(vocab));
    const pooling = this.meta(`${architecture}.pooling_type`);
    return {
      architecture,
      quantization:
        (library.fileTypeName(library.modelFileType(handle)) ?? 'unknown').split(' - ')[0] ?? 'unknown',
      parameters: Number(library.modelParameters(handle)),
      sizeBytes: Number(library.modelSize(handle)),
      embeddingSize: library.modelEmbeddingSize(handle),
      trainedContextTokens: library.modelTrainedContext(handle),
      declaredPooling: pooling === undefined ? undefined : POOLINGS[Number(pooling)],
      chatTemplate: template ?? undefined,
      // llama.cpp fills in a default id where the file names none.
      bosText: this.meta('tokenizer.ggml.bos_token_id') === undefined ? '' : this.#text(bos),
      eosText: this.#text(eos),
      addsBos: library.vocabAddsBos(vocab),
      infillTokens: markers.every((token) => token >= 0)
        ? { prefix: markers[0] ?? -1, suffix: markers[1] ?? -1, middle: markers[2] ?? -1 }
        : undefined,
      canGenerate: library.modelHasDecoder(handle) && !library.modelHasEncoder(handle),
      adapters: options.adapters.map(({ name }) => name),
    };
  }

  #text(token: number): string {
    return token < 0 ? '' : Buffer.from(this.tokenBytes(token)).toString('utf8');
  }
}
