// An engine's options for tests over the fake runner.

import type { EngineOptions } from '../../src/engine/options.js';

/** A small engine without a file behind it. */
export const FAKE_ENGINE_OPTIONS: EngineOptions = {
  modelId: 'table',
  aliases: [],
  modelPath: '/nowhere',
  adapters: [],
  contextTokens: 64,
  parallel: 4,
  batchTokens: 32,
  threads: 1,
  adaptThreads: false,
  gpuLayers: 0,
  kvType: 'f16',
  kvLayout: 'streams',
  prefixCacheBytes: 1 << 20,
  promptLookup: 0,
  maxWaiting: 8,
  replyFormat: 'auto',
  logPrompts: false,
  logLevel: 'silent',
};
