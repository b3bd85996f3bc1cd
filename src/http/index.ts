// The front door's door: listeners, the contract of a dialect, and the writers it answers with.

export {
  type Dialect,
  isJsonMediaType,
  type Method,
  type Mount,
  type Problem,
  type Route,
} from './dialect.js';
export { Exchange } from './exchange.js';
export { isLoopback } from './hosts.js';
export { ListenError } from './listen-error.js';
export { type ExchangeRecord, Listener, type ListenerSpec } from './listener.js';
export { type OperationsOptions, operations } from './operations.js';
export { DEFAULT_HTTP, type HttpOptions } from './options.js';
export { type SseOptions, SseStream } from './sse.js';
