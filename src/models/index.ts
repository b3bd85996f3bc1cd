// Finding a model: names and paths, the folder of downloaded ones, the hub, and what a file's header tells.

export { checkAdapter } from './check-adapter.js';
export { type CheckedModel, checkModel } from './check-model.js';
export { showBytes } from './choose-file.js';
export type { GgufHeader } from './gguf-header.js';
export {
  estimateMemory,
  kvBytesPerToken,
  type MemoryEstimate,
  type MemoryPlan,
  settlePlan,
} from './memory.js';
export { checkName, findNamed, nameStored } from './names.js';
export type { DownloadProgress, Hub, Network } from './network.js';
export { type HubReference, parseReference, showReference } from './reference.js';
export { pullModel, type ResolvedModel, type ResolveOptions, resolveModel } from './resolve.js';
export { listStored, removeStored, type StoredModel } from './store.js';
