import { describe, expect, it } from 'vitest';
import { checkAbi } from './abi-check.js';
import type { LlamaLibrary } from './library.js';
import { LLAMA_VERSION } from './locate.js';
import type { ContextParams, ModelParams } from './structs.js';

const CONTEXT = {
  n_ctx: 512,
  n_batch: 2048,
  n_ubatch: 512,
  n_seq_max: 1,
  n_threads: 4,
  n_threads_batch: 4,
  rope_scaling_type: -1,
  pooling_type: -1,
  attention_type: -1,
  yarn_ext_factor: -1,
  defrag_thold: -1,
  type_k: 1,
  type_v: 1,
  embeddings: false,
  offload_kqv: true,
  swa_full: true,
  kv_unified: false,
  samplers: null,
  n_samplers: 0,
} as const satisfies Partial<ContextParams>;
const MODEL = {
  n_gpu_layers: -1,
  split_mode: 1,
  main_gpu: 0,
  vocab_only: false,
  use_extra_bufts: true,
} as const satisfies Partial<ModelParams>;

/** A library that reports the pinned release's defaults, but for these. */
function library(changes: { context?: object; model?: object; version?: string } = {}): LlamaLibrary {
  const fake: Partial<LlamaLibrary> = {
    location: { source: 'KOINE_LLAMA_LIB_DIR', dir: '/opt/own' },
    version: () => changes.version ?? LLAMA_VERSION,
    contextDefaultParams: () => ({ ...CONTEXT, ...changes.context }) as unknown as ContextParams,
    modelDefaultParams: () => ({ ...MODEL, ...changes.model }) as unknown as ModelParams,
  };
  return fake as LlamaLibrary;
}

describe('the check of the library’s layout', () => {
  it('accepts the pinned release, also a build after its tag', () => {
    expect(() => checkAbi(library())).not.toThrow();
    expect(() => checkAbi(library({ version: `${LLAMA_VERSION}-dev` }))).not.toThrow();
  });

  it('refuses another release by name, with the folder and the remedy', () => {
    expect(() => checkAbi(library({ version: '0.6.0' }))).toThrow(
      /^the llama\.cpp library in \/opt\/own \(KOINE_LLAMA_LIB_DIR\) does not fit: it is llama\.cpp 0\.6\.0, expected .*; install the pinned package, or unset KOINE_LLAMA_LIB_DIR$/,
    );
    expect(() => checkAbi(library({ version: `${LLAMA_VERSION}1` }))).toThrow('does not fit');
  });

  it.each([...Object.keys(CONTEXT)].filter((name) => name !== 'n_threads'))(
    'refuses a context whose %s comes back wrong, which is what a moved field looks like',
    (name) => {
      expect(() => checkAbi(library({ context: { [name]: 77 } }))).toThrow(`context ${name} is 77, expected`);
    },
  );

  it.each([...Object.keys(MODEL)])('refuses a model whose %s comes back wrong', (name) => {
    expect(() => checkAbi(library({ model: { [name]: 77 } }))).toThrow(`model ${name} is 77, expected`);
  });
});
