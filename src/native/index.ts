// The native room's door: a ModelRunner over llama.cpp, and what `koine doctor` wants to know.

export { checkAbi } from './abi-check.js';
export { type LlamaLibrary, loadLibrary } from './library.js';
export {
  LLAMA_VERSION,
  listCandidates,
  locateLibraries,
  NATIVE_PACKAGE_VERSION,
  type NativeCandidate,
  type NativeLocation,
} from './locate.js';
export { cpuQuota, grantedThreads } from './machine.js';
export type { NativeLogLine, RunnerOptions } from './options.js';
export { createLlamaRunner, type LlamaRunner } from './runner.js';
