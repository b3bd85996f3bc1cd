// The engine room's door: an embedded model as a protocol.Engine, and the host that runs inside its process.

export { type EngineParts, type ManagedEngine, startEngine } from './engine.js';
export type { AdapterOption, EngineOptions } from './options.js';
export { EnginePool, type PooledEngine, type PoolModel, type PoolOptions } from './pool.js';
export { EngineHost, type HostParts } from './process/host.js';
export type { FromEngine, ToEngine } from './process/messages.js';
export type { EngineLogLine } from './process/supervisor.js';
export { detectWatermark } from './sampling/index.js';
