// When ggml's thread pool is attached: always, unless a single thread computes. Without it llama.cpp starts and ends
// threads at every decode, which changes no result and costs a small model a third of its speed.

import { expect, it } from 'vitest';
import { createContext } from '../../src/native/context.js';
import { type LlamaLibrary, loadLibrary } from '../../src/native/library.js';
import { locateLibraries } from '../../src/native/locate.js';
import { NativeModel } from '../../src/native/model.js';
import { LlamaRunner } from '../../src/native/runner.js';
import { DEMO_OPTIONS } from './demo.js';

it('threads come from the pool from the first step on, and one thread does without', () => {
  const calls: string[] = [];
  const real = loadLibrary(locateLibraries(undefined), () => undefined);
  const library: LlamaLibrary = {
    ...real,
    attachThreadpool: (...args) => {
      calls.push('attach');
      real.attachThreadpool(...args);
    },
    detachThreadpool: (...args) => {
      calls.push('detach');
      real.detachThreadpool(...args);
    },
  };
  const options = { ...DEMO_OPTIONS, threads: 2 };
  const model = new NativeModel(library, options, () => undefined);
  const context = createContext(library, model, options, () => undefined);
  const runner = new LlamaRunner(library, model, context, options);
  try {
    expect(calls).toEqual(['attach']);
    runner.setThreads(1);
    runner.setThreads(2);
    expect(calls).toEqual(['attach', 'detach', 'attach']);
  } finally {
    runner.dispose();
  }
});
