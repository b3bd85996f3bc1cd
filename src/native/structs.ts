// Every struct of llama.cpp that we pass or read, for exactly the release named in locate.ts. The layout moves
// between releases, so abi-check.ts compares known defaults at load. The only file with field orders in it.

import koffi, { type TypeObject } from 'koffi';

/** An address in native memory. */
export type Pointer = bigint;

/** `llama_model_params`. */
export interface ModelParams {
  devices: Pointer | null;
  tensor_buft_overrides: Pointer | null;
  n_gpu_layers: number;
  split_mode: number;
  load_mode: number;
  lazy_mode: number;
  main_gpu: number;
  tensor_split: Pointer | null;
  progress_callback: Pointer | null;
  progress_callback_user_data: Pointer | null;
  kv_overrides: Pointer | null;
  vocab_only: boolean;
  check_tensors: boolean;
  use_extra_bufts: boolean;
  no_host: boolean;
  no_alloc: boolean;
  load_mtp: boolean;
}

/** `llama_context_params`. */
export interface ContextParams {
  n_ctx: number;
  n_batch: number;
  n_ubatch: number;
  n_seq_max: number;
  n_rs_seq: number;
  n_outputs_max: number;
  n_outputs_max_per_seq: number;
  n_threads: number;
  n_threads_batch: number;
  ctx_type: number;
  rope_scaling_type: number;
  pooling_type: number;
  attention_type: number;
  flash_attn_type: number;
  rope_freq_base: number;
  rope_freq_scale: number;
  yarn_ext_factor: number;
  yarn_attn_factor: number;
  yarn_beta_fast: number;
  yarn_beta_slow: number;
  yarn_orig_ctx: number;
  defrag_thold: number;
  cb_eval: Pointer | null;
  cb_eval_user_data: Pointer | null;
  type_k: number;
  type_v: number;
  abort_callback: Pointer | null;
  abort_callback_data: Pointer | null;
  embeddings: boolean;
  offload_kqv: boolean;
  no_perf: boolean;
  op_offload: boolean;
  swa_full: boolean;
  kv_unified: boolean;
  samplers: Pointer | null;
  n_samplers: number;
  ctx_other: Pointer | null;
}

/** `llama_batch`. */
export interface BatchStruct {
  n_tokens: number;
  token: Pointer | null;
  embd: Pointer | null;
  pos: Pointer;
  n_seq_id: Pointer;
  seq_id: Pointer;
  logits: Pointer;
}

/** `enum ggml_type` for the KV types we offer. */
export const GGML_TYPES = { f32: 0, f16: 1, q4_0: 2, q4_1: 3, q5_0: 6, q5_1: 7, q8_0: 8, bf16: 30 } as const;

/** `enum llama_pooling_type`. */
export const POOLING_TYPES = { none: 0, mean: 1, cls: 2, last: 3, rank: 4 } as const;

/** The named koffi types of one process; created once per loaded library. */
export interface StructTypes {
  readonly modelParams: TypeObject;
  readonly contextParams: TypeObject;
  readonly batch: TypeObject;
}

const MODEL_PARAMS: Record<keyof ModelParams, string> = {
  devices: 'void *',
  tensor_buft_overrides: 'void *',
  n_gpu_layers: 'int32_t',
  split_mode: 'int',
  load_mode: 'int',
  lazy_mode: 'int',
  main_gpu: 'int32_t',
  tensor_split: 'void *',
  progress_callback: 'void *',
  progress_callback_user_data: 'void *',
  kv_overrides: 'void *',
  vocab_only: 'bool',
  check_tensors: 'bool',
  use_extra_bufts: 'bool',
  no_host: 'bool',
  no_alloc: 'bool',
  load_mtp: 'bool',
};

const CONTEXT_PARAMS: Record<keyof ContextParams, string> = {
  n_ctx: 'uint32_t',
  n_batch: 'uint32_t',
  n_ubatch: 'uint32_t',
  n_seq_max: 'uint32_t',
  n_rs_seq: 'uint32_t',
  n_outputs_max: 'uint32_t',
  n_outputs_max_per_seq: 'uint32_t',
  n_threads: 'int32_t',
  n_threads_batch: 'int32_t',
  ctx_type: 'int',
  rope_scaling_type: 'int',
  pooling_type: 'int',
  attention_type: 'int',
  flash_attn_type: 'int',
  rope_freq_base: 'float',
  rope_freq_scale: 'float',
  yarn_ext_factor: 'float',
  yarn_attn_factor: 'float',
  yarn_beta_fast: 'float',
  yarn_beta_slow: 'float',
  yarn_orig_ctx: 'uint32_t',
  defrag_thold: 'float',
  cb_eval: 'void *',
  cb_eval_user_data: 'void *',
  type_k: 'int',
  type_v: 'int',
  abort_callback: 'void *',
  abort_callback_data: 'void *',
  embeddings: 'bool',
  offload_kqv: 'bool',
  no_perf: 'bool',
  op_offload: 'bool',
  swa_full: 'bool',
  kv_unified: 'bool',
  samplers: 'void *',
  n_samplers: 'size_t',
  ctx_other: 'void *',
};

const BATCH: Record<keyof BatchStruct, string> = {
  n_tokens: 'int32_t',
  token: 'void *',
  embd: 'void *',
  pos: 'void *',
  n_seq_id: 'void *',
  seq_id: 'void *',
  logits: 'void *',
};

/** Defines the types anonymously, so that several libraries may live in one process. */
export function defineStructs(): StructTypes {
  return {
    modelParams: koffi.struct(MODEL_PARAMS),
    contextParams: koffi.struct(CONTEXT_PARAMS),
    batch: koffi.struct(BATCH),
  };
}

/** Bytes of `ggml_threadpool_params`: bool cpumask[512], int n_threads, enum prio, uint32 poll, two bools, padding. */
const THREADPOOL_PARAMS_BYTES = 512 + 4 + 4 + 4 + 4;

/** Fills a `ggml_threadpool_params` for `threads` threads; `poll` 0 .. 100 is how long idle threads spin. */
export function threadpoolParams(threads: number, poll: number): Uint8Array {
  const bytes = new Uint8Array(THREADPOOL_PARAMS_BYTES);
  const view = new DataView(bytes.buffer);
  view.setInt32(512, threads, true);
  view.setInt32(516, 0, true);
  view.setUint32(520, poll, true);
  return bytes;
}
