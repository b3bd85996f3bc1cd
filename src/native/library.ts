// Loads llama.cpp's shared libraries and binds every C symbol we use. Nobody else knows a C name. Engine process.

import koffi, { type LibraryHandle } from 'koffi';
import { findLibrary, type NativeLocation } from './locate.js';
import type { NativeLogLine } from './options.js';
import {
  type BatchStruct,
  type ContextParams,
  defineStructs,
  type ModelParams,
  type Pointer,
} from './structs.js';

/** The functions of llama.h and ggml that the native room calls. Pointers are addresses; null is the null pointer. */
export interface LlamaLibrary {
  readonly location: NativeLocation;
  readonly version: () => string;
  readonly modelDefaultParams: () => ModelParams;
  readonly contextDefaultParams: () => ContextParams;
  readonly modelLoad: (path: string, params: ModelParams) => Pointer | null;
  readonly modelFree: (model: Pointer) => void;
  readonly modelVocab: (model: Pointer) => Pointer;
  readonly modelMeta: (model: Pointer, key: string, buffer: Uint8Array, size: number) => number;
  readonly modelSize: (model: Pointer) => number | bigint;
  readonly modelParameters: (model: Pointer) => number | bigint;
  readonly modelChatTemplate: (model: Pointer, name: string | null) => string | null;
  readonly modelEmbeddingSize: (model: Pointer) => number;
  readonly modelTrainedContext: (model: Pointer) => number;
  readonly modelSlidingWindow: (model: Pointer) => number;
  readonly modelFileType: (model: Pointer) => number;
  readonly fileTypeName: (type: number) => string | null;
  readonly modelIsRecurrent: (model: Pointer) => boolean;
  readonly modelIsHybrid: (model: Pointer) => boolean;
  readonly modelHasEncoder: (model: Pointer) => boolean;
  readonly modelHasDecoder: (model: Pointer) => boolean;
  readonly modelClassifierOutputs: (model: Pointer) => number;
  readonly adapterLoad: (model: Pointer, path: string) => Pointer | null;
  readonly setAdapters: (
    ctx: Pointer,
    adapters: BigUint64Array,
    count: number,
    scales: Float32Array,
  ) => number;
  readonly contextCreate: (model: Pointer, params: ContextParams) => Pointer | null;
  readonly contextFree: (ctx: Pointer) => void;
  readonly contextSizePerSequence: (ctx: Pointer) => number;
  readonly contextBatch: (ctx: Pointer) => number;
  readonly setThreads: (ctx: Pointer, threads: number, batchThreads: number) => void;
  readonly attachThreadpool: (ctx: Pointer, pool: Pointer, batchPool: Pointer) => void;
  readonly detachThreadpool: (ctx: Pointer) => void;
  readonly decode: (ctx: Pointer, batch: BatchStruct) => number;
  readonly encode: (ctx: Pointer, batch: BatchStruct) => number;
  readonly logits: (ctx: Pointer) => Pointer | null;
  readonly embeddingRow: (ctx: Pointer, index: number) => Pointer | null;
  readonly embeddingSequence: (ctx: Pointer, sequence: number) => Pointer | null;
  readonly memory: (ctx: Pointer) => Pointer | null;
  readonly memoryClear: (memory: Pointer, data: boolean) => void;
  readonly memoryRemove: (memory: Pointer, sequence: number, from: number, to: number) => boolean;
  readonly stateSize: (ctx: Pointer, sequence: number) => number | bigint;
  readonly stateGet: (ctx: Pointer, out: Uint8Array, size: number, sequence: number) => number | bigint;
  readonly stateSet: (ctx: Pointer, data: Uint8Array, size: number, sequence: number) => number | bigint;
  readonly vocabSize: (vocab: Pointer) => number;
  readonly vocabIsEog: (vocab: Pointer, token: number) => boolean;
  readonly vocabIsControl: (vocab: Pointer, token: number) => boolean;
  readonly vocabBos: (vocab: Pointer) => number;
  readonly vocabEos: (vocab: Pointer) => number;
  readonly vocabAddsBos: (vocab: Pointer) => boolean;
  readonly vocabInfill: readonly [
    prefix: (vocab: Pointer) => number,
    suffix: (vocab: Pointer) => number,
    middle: (vocab: Pointer) => number,
  ];
  readonly tokenize: (
    vocab: Pointer,
    text: Uint8Array,
    length: number,
    out: Int32Array,
    capacity: number,
    addSpecial: boolean,
    parseSpecial: boolean,
  ) => number;
  readonly tokenToPiece: (
    vocab: Pointer,
    token: number,
    out: Uint8Array,
    size: number,
    strip: number,
    special: boolean,
  ) => number;
  readonly samplerGrammar: (vocab: Pointer, grammar: string, root: string) => Pointer | null;
  readonly samplerApply: (sampler: Pointer, candidates: BigInt64Array) => void;
  readonly samplerAccept: (sampler: Pointer, token: number) => void;
  readonly samplerFree: (sampler: Pointer) => void;
  /** Creates a pool of threads that live as long as the process; undefined where the CPU backend has none to offer. */
  readonly createThreadpool: (params: Uint8Array) => Pointer | undefined;
  readonly hasGpu: () => boolean;
}

/**
 * Loads the libraries of a location. `onLog` receives llama.cpp's log, line by line, from this thread only.
 * Throws when a file is missing or a symbol is not there (another release of llama.cpp).
 */
export function loadLibrary(location: NativeLocation, onLog: (line: NativeLogLine) => void): LlamaLibrary {
  const load = (name: string, global: boolean): LibraryHandle => {
    const file = findLibrary(location.dir, name);
    if (file === undefined) throw new Error(`${location.source}: no lib${name} in ${location.dir}`);
    try {
      return koffi.load(file, { global });
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message.split('\n')[0] : String(cause);
      throw new Error(`${location.source}: cannot load ${file}: ${reason}`, { cause });
    }
  };
  // ggml's backends look their symbols up globally, so the base must be there first and be visible to all.
  load('ggml-base', true);
  const ggml = load('ggml', true);
  const llama = load('llama', false);
  const types = defineStructs();
  forwardLog(llama, onLog);
  ggml.func('ggml_backend_load_all_from_path', 'void', ['str'])(location.dir);
  llama.func('llama_backend_init', 'void', [])();
  return {
    location,
    ...bindModel(llama, types),
    ...bindContext(llama, types),
    ...bindVocab(llama),
    ...bindSampler(llama),
    ...bindGgml(ggml),
  };
}

type Handle = LibraryHandle;
type Structs = ReturnType<typeof defineStructs>;

function bindModel(lib: Handle, types: Structs) {
  const p = 'void *';
  return {
    version: lib.func('llama_version', 'str', []),
    modelDefaultParams: lib.func('llama_model_default_params', types.modelParams, []),
    contextDefaultParams: lib.func('llama_context_default_params', types.contextParams, []),
    modelLoad: lib.func('llama_model_load_from_file', p, ['str', types.modelParams]),
    modelFree: lib.func('llama_model_free', 'void', [p]),
    modelVocab: lib.func('llama_model_get_vocab', p, [p]),
    modelMeta: lib.func('llama_model_meta_val_str', 'int32_t', [p, 'str', p, 'size_t']),
    modelSize: lib.func('llama_model_size', 'uint64_t', [p]),
    modelParameters: lib.func('llama_model_n_params', 'uint64_t', [p]),
    modelChatTemplate: lib.func('llama_model_chat_template', 'str', [p, 'str']),
    modelEmbeddingSize: lib.func('llama_model_n_embd', 'int32_t', [p]),
    modelTrainedContext: lib.func('llama_model_n_ctx_train', 'int32_t', [p]),
    modelSlidingWindow: lib.func('llama_model_n_swa', 'int32_t', [p]),
    modelFileType: lib.func('llama_model_ftype', 'int', [p]),
    fileTypeName: lib.func('llama_ftype_name', 'str', ['int']),
    modelIsRecurrent: lib.func('llama_model_is_recurrent', 'bool', [p]),
    modelIsHybrid: lib.func('llama_model_is_hybrid', 'bool', [p]),
    modelHasEncoder: lib.func('llama_model_has_encoder', 'bool', [p]),
    modelHasDecoder: lib.func('llama_model_has_decoder', 'bool', [p]),
    modelClassifierOutputs: lib.func('llama_model_n_cls_out', 'uint32_t', [p]),
    adapterLoad: lib.func('llama_adapter_lora_init', p, [p, 'str']),
  };
}

function bindContext(lib: Handle, types: Structs) {
  const p = 'void *';
  return {
    contextCreate: lib.func('llama_init_from_model', p, [p, types.contextParams]),
    contextFree: lib.func('llama_free', 'void', [p]),
    contextSizePerSequence: lib.func('llama_n_ctx_seq', 'uint32_t', [p]),
    contextBatch: lib.func('llama_n_batch', 'uint32_t', [p]),
    setAdapters: lib.func('llama_set_adapters_lora', 'int32_t', [p, p, 'size_t', p]),
    setThreads: lib.func('llama_set_n_threads', 'void', [p, 'int32_t', 'int32_t']),
    attachThreadpool: lib.func('llama_attach_threadpool', 'void', [p, p, p]),
    detachThreadpool: lib.func('llama_detach_threadpool', 'void', [p]),
    decode: lib.func('llama_decode', 'int32_t', [p, types.batch]),
    encode: lib.func('llama_encode', 'int32_t', [p, types.batch]),
    logits: lib.func('llama_get_logits', p, [p]),
    embeddingRow: lib.func('llama_get_embeddings_ith', p, [p, 'int32_t']),
    embeddingSequence: lib.func('llama_get_embeddings_seq', p, [p, 'int32_t']),
    memory: lib.func('llama_get_memory', p, [p]),
    memoryClear: lib.func('llama_memory_clear', 'void', [p, 'bool']),
    memoryRemove: lib.func('llama_memory_seq_rm', 'bool', [p, 'int32_t', 'int32_t', 'int32_t']),
    stateSize: lib.func('llama_state_seq_get_size', 'size_t', [p, 'int32_t']),
    stateGet: lib.func('llama_state_seq_get_data', 'size_t', [p, p, 'size_t', 'int32_t']),
    stateSet: lib.func('llama_state_seq_set_data', 'size_t', [p, p, 'size_t', 'int32_t']),
  };
}

function bindVocab(lib: Handle) {
  const p = 'void *';
  const ofVocab = (name: string, result: string) => lib.func(name, result, [p]);
  return {
    vocabSize: ofVocab('llama_vocab_n_tokens', 'int32_t'),
    vocabIsEog: lib.func('llama_vocab_is_eog', 'bool', [p, 'int32_t']),
    vocabIsControl: lib.func('llama_vocab_is_control', 'bool', [p, 'int32_t']),
    vocabBos: ofVocab('llama_vocab_bos', 'int32_t'),
    vocabEos: ofVocab('llama_vocab_eos', 'int32_t'),
    vocabAddsBos: ofVocab('llama_vocab_get_add_bos', 'bool'),
    vocabInfill: [
      ofVocab('llama_vocab_fim_pre', 'int32_t'),
      ofVocab('llama_vocab_fim_suf', 'int32_t'),
      ofVocab('llama_vocab_fim_mid', 'int32_t'),
    ] as const,
    tokenize: lib.func('llama_tokenize', 'int32_t', [p, p, 'int32_t', p, 'int32_t', 'bool', 'bool']),
    tokenToPiece: lib.func('llama_token_to_piece', 'int32_t', [
      p,
      'int32_t',
      p,
      'int32_t',
      'int32_t',
      'bool',
    ]),
  };
}

function bindSampler(lib: Handle) {
  const p = 'void *';
  return {
    samplerGrammar: lib.func('llama_sampler_init_grammar', p, [p, 'str', 'str']),
    samplerApply: lib.func('llama_sampler_apply', 'void', [p, p]),
    samplerAccept: lib.func('llama_sampler_accept', 'void', [p, 'int32_t']),
    samplerFree: lib.func('llama_sampler_free', 'void', [p]),
  };
}

function bindGgml(ggml: Handle) {
  const p = 'void *';
  const CPU_DEVICE = 0;
  const byType = ggml.func('ggml_backend_dev_by_type', p, ['int']);
  const registryOf = ggml.func('ggml_backend_dev_backend_reg', p, [p]);
  const procAddress = ggml.func('ggml_backend_reg_get_proc_address', p, [p, 'str']);
  const newThreadpool = koffi.proto(p, [p]);
  return {
    createThreadpool: (params: Uint8Array): Pointer | undefined => {
      const device = byType(CPU_DEVICE) as Pointer | null;
      const create =
        device === null ? null : (procAddress(registryOf(device), 'ggml_threadpool_new') as Pointer | null);
      return create === null
        ? undefined
        : ((koffi.call(create, newThreadpool, params) as Pointer | null) ?? undefined);
    },
    hasGpu: (): boolean => byType(1) !== null || byType(2) !== null,
  };
}

const LOG_LEVELS = { 1: 'debug', 2: 'info', 3: 'warn', 4: 'error' } as const;
const CONTINUATION = 5;

/** llama.cpp logs only from the thread that calls it, which is this one, so a plain callback is safe. */
function forwardLog(lib: Handle, onLog: (line: NativeLogLine) => void): void {
  let level: NativeLogLine['level'] = 'info';
  let partial = '';
  const receive = (code: number, text: string): void => {
    if (code !== CONTINUATION) level = LOG_LEVELS[code as keyof typeof LOG_LEVELS] ?? 'debug';
    partial += text;
    const end = partial.lastIndexOf('\n');
    if (end < 0) return;
    for (const line of partial.slice(0, end).split('\n'))
      if (line.trim() !== '') onLog({ level, text: line });
    partial = partial.slice(end + 1);
  };
  const proto = koffi.proto('void', ['int', 'str', 'void *']);
  const callback = koffi.register(receive, koffi.pointer(proto));
  lib.func('llama_log_set', 'void', ['void *', 'void *'])(callback, null);
}
