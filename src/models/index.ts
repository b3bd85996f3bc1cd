// Finding a model: names and paths, the folder of models, the hub, and what a file's header tells.

export { checkAdapter } from './check-adapter.js';
export { type CheckedModel, checkModel } from './check-model.js';
export { NoModelError, showBytes } from './choose-file.js';
export type { GgufHeader } from './gguf-header.js';
export { parseHubId } from './ids.js';
export { type ImportOptions, type ImportWish, importModel } from './import-model.js';
export {
  estimateMemory,
  kvBytesPerToken,
  type MemoryEstimate,
  type MemoryPlan,
  settlePlan,
} from './memory.js';
export { checkName, findNamed, nameStored, unnameStored } from './names.js';
export type { DownloadProgress, Hub, Network } from './network.js';
export { fetchPlan, isPulled, type PullFile, type PullPlaces, type PullPlan, planPull } from './pull.js';
export { type HubReference, parseReference, showReference } from './reference.js';
export {
  pullModel,
  type ResolvedModel,
  type ResolveOptions,
  resolveFile,
  resolveModel,
} from './resolve.js';
export { shortName } from './split-files.js';
export { listStored, removeModel, removeStored, type StoredModel } from './store.js';
