// The engine without HTTP: its process as `koine serve` starts it, driven from here. What comes back is when each
// piece of text arrived.

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type EngineOptions, type ManagedEngine, startEngine } from '../../src/engine/index.js';
import {
  type Constraint,
  type GenerateRequest,
  NEUTRAL_OUTPUT,
  NEUTRAL_SAMPLING,
  NEUTRAL_STOP,
  type SamplingParams,
} from '../../src/protocol/index.js';

/** As built by `npm run build`. */
const ENTRY = join(import.meta.dirname, '..', '..', 'dist', 'cli', 'engine-process.js');

/** What most clients ask for. */
export const USUAL_SAMPLING: SamplingParams = { ...NEUTRAL_SAMPLING, temperature: 0.8, topP: 0.95, topK: 40 };
export const GREEDY: SamplingParams = { ...NEUTRAL_SAMPLING, temperature: 0 };

const BASE: EngineOptions = {
  modelId: 'bench',
  aliases: [],
  modelPath: '',
  adapters: [],
  contextTokens: 512,
  parallel: 8,
  batchTokens: 512,
  threads: 0,
  adaptThreads: false,
  gpuLayers: 0,
  kvType: 'f16',
  kvLayout: 'streams',
  prefixCacheBytes: 2 ** 30,
  promptLookup: 0,
  maxWaiting: 1024,
  replyFormat: 'auto',
  logPrompts: false,
  logLevel: 'error',
};

/** An engine that is ready and is closed at the end of its block. */
export interface BenchEngine extends AsyncDisposable {
  readonly engine: ManagedEngine;
}

/**
 * Starts an engine with `koine serve`'s defaults, apart from what is given and from the number of threads, which
 * stays the same: how it adapts is for the benchmark `neighbour` to show.
 */
export async function openEngine(
  options: Partial<EngineOptions> & { readonly modelPath: string },
): Promise<BenchEngine> {
  const engine = startEngine(
    { ...BASE, ...options },
    { entryPath: ENTRY, onLog: ({ text }) => console.error(text) },
  );
  await engine.ready;
  return { engine, [Symbol.asyncDispose]: () => engine.close() };
}

export interface RunOptions {
  readonly prompt: readonly number[];
  readonly newTokens: number;
  readonly sampling: SamplingParams;
  readonly seed?: number;
  readonly usePrefixCache?: boolean;
  /** Collect the generated token ids. */
  readonly wantsTokens?: boolean;
  /** Called at every piece of text, with its tokens when they were wanted. */
  readonly onText?: (tokens: number) => void;
  /** What the output must look like; the end of it is then the end of the run, however many tokens it took. */
  readonly constraint?: Constraint;
  /** Log-probabilities of each token. */
  readonly wantsLogprobs?: boolean;
  readonly signal?: AbortSignal;
}

/** One request's run; times are `performance.now()`. */
export interface Run {
  readonly sentMs: number;
  readonly firstMs: number;
  readonly endMs: number;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly newTokens: number;
  /** Empty unless they were wanted. */
  readonly tokens: readonly number[];
}

function toRequest({
  prompt,
  newTokens,
  sampling,
  seed,
  usePrefixCache,
  wantsTokens,
  wantsLogprobs,
  constraint,
}: RunOptions): GenerateRequest {
  return {
    id: randomUUID(),
    model: 'bench',
    input: { kind: 'tokens', tokens: prompt },
    sampling: { ...sampling, seed: BigInt(seed ?? 1) },
    stop: { ...NEUTRAL_STOP, maxNewTokens: newTokens, ignoreEos: true },
    ...(constraint === undefined ? {} : { constraint }),
    output: {
      ...NEUTRAL_OUTPUT,
      stream: true,
      tokens: wantsTokens ?? false,
      ...(wantsLogprobs === true ? { logprobs: 0 } : {}),
    },
    n: 1,
    bestOf: 1,
    priority: 0,
    usePrefixCache: usePrefixCache ?? true,
  };
}

/** Runs a request to its end. Throws when it fails. */
export async function run(engine: ManagedEngine, options: RunOptions): Promise<Run> {
  const sentMs = performance.now();
  let firstMs = Number.NaN;
  const tokens: number[] = [];
  const signal = options.signal ?? new AbortController().signal;
  for await (const event of engine.generate(toRequest(options), signal)) {
    switch (event.kind) {
      case 'delta':
        if (Number.isNaN(firstMs)) firstMs = performance.now();
        for (const token of event.tokens ?? []) tokens.push(token.id);
        options.onText?.(event.tokens?.length ?? 0);
        break;
      case 'finished': {
        const { promptTokens, cachedTokens, completionTokens } = event.usage;
        return {
          sentMs,
          firstMs,
          endMs: performance.now(),
          promptTokens,
          cachedTokens,
          newTokens: completionTokens,
          tokens,
        };
      }
      case 'failed':
        throw new Error(`a benchmark request failed: ${event.failure.message}`);
      case 'started':
      case 'choice':
        break;
    }
  }
  throw new Error('a benchmark request ended without an end');
}

/** Runs requests at once, all of them. */
export const runTogether = (engine: ManagedEngine, requests: readonly RunOptions[]): Promise<Run[]> =>
  Promise.all(requests.map((request) => run(engine, request)));

/** Runs requests by so many clients, each taking the next when its last one ended. */
export async function runByClients(
  engine: ManagedEngine,
  clients: number,
  requests: readonly RunOptions[],
): Promise<Run[]> {
  const runs: Run[] = [];
  let next = 0;
  const client = async (): Promise<void> => {
    for (let request = requests[next++]; request !== undefined; request = requests[next++]) {
      runs.push(await run(engine, request));
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return runs;
}

/** Seconds from the first request sent to the last one ended. */
export const spanSeconds = (runs: readonly Run[]): number =>
  (Math.max(...runs.map((one) => one.endMs)) - Math.min(...runs.map((one) => one.sentMs))) / 1000;
