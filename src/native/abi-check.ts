// Compares what the loaded library reports with what structs.ts expects. A wrong layout would not fail, it would
// compute nonsense or crash later, so a mismatch refuses to start.

import type { LlamaLibrary } from './library.js';
import { LLAMA_VERSION } from './locate.js';

/** Defaults that come back right only if the struct layouts agree (llama.h of the pinned release). */
function findMismatches(library: LlamaLibrary): string[] {
  const context = library.contextDefaultParams();
  const model = library.modelDefaultParams();
  const expected: readonly (readonly [name: string, got: unknown, want: unknown])[] = [
    ['context n_ctx', context.n_ctx, 512],
    ['context n_batch', context.n_batch, 2048],
    ['context n_ubatch', context.n_ubatch, 512],
    ['context n_seq_max', context.n_seq_max, 1],
    ['context n_threads_batch', context.n_threads_batch, context.n_threads],
    ['context rope_scaling_type', context.rope_scaling_type, -1],
    ['context pooling_type', context.pooling_type, -1],
    ['context attention_type', context.attention_type, -1],
    ['context yarn_ext_factor', context.yarn_ext_factor, -1],
    ['context defrag_thold', context.defrag_thold, -1],
    ['context type_k', context.type_k, 1],
    ['context type_v', context.type_v, 1],
    ['context embeddings', context.embeddings, false],
    ['context offload_kqv', context.offload_kqv, true],
    ['context swa_full', context.swa_full, true],
    ['context kv_unified', context.kv_unified, false],
    ['context samplers', context.samplers, null],
    ['context n_samplers', Number(context.n_samplers), 0],
    ['model n_gpu_layers', model.n_gpu_layers, -1],
    ['model split_mode', model.split_mode, 1],
    ['model main_gpu', model.main_gpu, 0],
    ['model vocab_only', model.vocab_only, false],
    ['model use_extra_bufts', model.use_extra_bufts, true],
  ];
  return expected
    .filter(([, got, want]) => got !== want)
    .map(([name, got, want]) => `${name} is ${String(got)}, expected ${String(want)}`);
}

/** Throws an `Error` of one line when the library is not the release this program was written against. */
export function checkAbi(library: LlamaLibrary): void {
  const version = library.version();
  const mismatches = findMismatches(library);
  // Builds between tags carry a suffix: 0.5.0-dev.
  const isPinned = version === LLAMA_VERSION || version.startsWith(`${LLAMA_VERSION}-`);
  if (isPinned && mismatches.length === 0) return;
  const reason = isPinned ? (mismatches[0] ?? '') : `it is llama.cpp ${version}, expected ${LLAMA_VERSION}`;
  throw new Error(
    `the llama.cpp library in ${library.location.dir} (${library.location.source}) does not fit: ${reason}; ` +
      'install the pinned package, or unset KOINE_LLAMA_LIB_DIR',
  );
}
