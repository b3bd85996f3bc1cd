// An engine with the demo model in a process of its own, as the server starts one. Needs a build (build.ts).

import { fileURLToPath } from 'node:url';
import {
  type EngineLogLine,
  type EngineOptions,
  type ManagedEngine,
  startEngine,
} from '../../src/engine/index.js';
import {
  type GenerateEvent,
  type GenerateRequest,
  NEUTRAL_OUTPUT,
  NEUTRAL_SAMPLING,
  NEUTRAL_STOP,
  type OutputOptions,
  type SamplingParams,
  type StopConditions,
} from '../../src/protocol/index.js';

const ENTRY = fileURLToPath(new URL('../../dist/cli/engine-process.js', import.meta.url));
const DEMO = fileURLToPath(new URL('../../models/demo/koine-demo-q8_0.gguf', import.meta.url));

/** An engine and what it logged. */
export interface TestEngine {
  readonly engine: ManagedEngine;
  readonly log: readonly EngineLogLine[];
}

/** Starts an engine without waiting for its model: 1 thread, 4 sequences of 512 tokens unless told otherwise. */
export function startTestEngine(changes: Partial<EngineOptions> = {}): TestEngine {
  const log: EngineLogLine[] = [];
  const options: EngineOptions = {
    modelId: 'demo',
    aliases: [],
    modelPath: DEMO,
    adapters: [],
    contextTokens: 512,
    parallel: 4,
    batchTokens: 512,
    threads: 1,
    adaptThreads: false,
    gpuLayers: 0,
    kvType: 'f16',
    kvLayout: 'streams',
    prefixCacheBytes: 64 << 20,
    promptLookup: 0,
    maxWaiting: 1024,
    replyFormat: 'auto',
    logPrompts: false,
    logLevel: 'info',
    ...changes,
  };
  return { engine: startEngine(options, { entryPath: ENTRY, onLog: (line) => log.push(line) }), log };
}

/** What a test may say about a request; the rest is greedy, streaming, at most 16 tokens, EOS ignored. */
export interface EngineRequest
  extends Partial<Omit<GenerateRequest, 'sampling' | 'stop' | 'output' | 'input'>> {
  readonly input?: string | GenerateRequest['input'];
  readonly sampling?: Partial<SamplingParams>;
  readonly stop?: Partial<StopConditions>;
  readonly output?: Partial<OutputOptions>;
}

/** Fills a request in. */
export function engineRequest(request: EngineRequest = {}): GenerateRequest {
  const { input = 'Once upon a time', sampling, stop, output, ...rest } = request;
  return {
    id: 'test',
    model: 'demo',
    n: 1,
    bestOf: 1,
    priority: 0,
    usePrefixCache: true,
    ...rest,
    input:
      typeof input === 'string'
        ? { kind: 'text', text: input, addSpecial: true, parseSpecial: false }
        : input,
    sampling: { ...NEUTRAL_SAMPLING, temperature: 0, ...sampling },
    stop: { ...NEUTRAL_STOP, maxNewTokens: 16, ignoreEos: true, ...stop },
    output: { ...NEUTRAL_OUTPUT, stream: true, ...output },
  };
}

/** Everything a request received. */
export interface Reply {
  readonly events: readonly GenerateEvent[];
  readonly text: string;
  readonly last: GenerateEvent | undefined;
}

/** Runs a request to its end; `onEvent` sees each event as it comes. */
export async function runRequest(
  engine: ManagedEngine,
  request: EngineRequest = {},
  signal: AbortSignal = new AbortController().signal,
  onEvent: (event: GenerateEvent) => void = () => undefined,
): Promise<Reply> {
  const events: GenerateEvent[] = [];
  for await (const event of engine.generate(engineRequest(request), signal)) {
    events.push(event);
    onEvent(event);
  }
  const text = events
    .map((event) => (event.kind === 'delta' && event.choice === 0 ? event.text : ''))
    .join('');
  return { events, text, last: events.at(-1) };
}
