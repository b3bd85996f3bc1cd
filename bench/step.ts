// What the engine itself costs per step: the whole model side of the process with the fake runner, 32 running
// sequences, from one decode call to the next, the message to the server included.

import { EngineHost, type FromEngine } from '../src/engine/index.js';
import type { EngineOptions } from '../src/engine/options.js';
import { NEUTRAL_OUTPUT, NEUTRAL_STOP, type SamplingParams } from '../src/protocol/index.js';
import { createFakeRunner } from '../test/support/fake-runner.js';
import { GREEDY, USUAL_SAMPLING } from './lib/engines.js';
import { percent, waitForQuiet, withNoise } from './lib/noise.js';
import { type BenchResult, bench, type Cell } from './lib/report.js';
import { median, quantile } from './lib/stats.js';

const SEQUENCES = 32;
const NEW_TOKENS = 3000;
/** Steps at the beginning that are not counted: the code is still being compiled. */
const WARM_UP = 1000;

const OPTIONS: EngineOptions = {
  modelId: 'table',
  aliases: [],
  modelPath: '',
  adapters: [],
  contextTokens: 4096,
  parallel: SEQUENCES,
  batchTokens: 512,
  threads: 1,
  adaptThreads: true,
  gpuLayers: 0,
  kvType: 'f16',
  kvLayout: 'streams',
  prefixCacheBytes: 2 ** 30,
  promptLookup: 0,
  maxWaiting: 64,
  replyFormat: 'auto',
  logPrompts: false,
  logLevel: 'error',
};

interface Scenario {
  readonly name: string;
  readonly sampling: SamplingParams;
  readonly logprobs?: number;
}

const SCENARIOS: readonly Scenario[] = [
  { name: 'greedy', sampling: GREEDY },
  { name: 'temperature, top_k, top_p', sampling: USUAL_SAMPLING },
  { name: 'greedy, 5 log-probabilities', sampling: GREEDY, logprobs: 5 },
  {
    name: 'sampling and repetition penalty',
    sampling: { ...USUAL_SAMPLING, repetitionPenalty: 1.1, penaltyScope: 'all' },
  },
];

/** Milliseconds per step outside the runner's decode, for every counted step. */
async function overheads({ sampling, logprobs }: Scenario): Promise<number[]> {
  const runner = createFakeRunner({
    maxSequences: SEQUENCES,
    contextPerSequence: OPTIONS.contextTokens,
    batchTokens: OPTIONS.batchTokens,
    recordSteps: false,
  });
  const costs: number[] = [];
  let left = Number.NaN;
  const decode = runner.decode.bind(runner);
  runner.decode = () => {
    const entered = performance.now();
    if (runner.batch.length === SEQUENCES && !Number.isNaN(left)) costs.push(entered - left);
    const outcome = decode();
    left = performance.now();
    return outcome;
  };
  let running = SEQUENCES;
  let bytes = 0;
  await new Promise<void>((resolve) => {
    const send = (message: FromEngine): void => {
      // The channel to the server process writes JSON; so does this.
      bytes += JSON.stringify(message).length;
      if (message.kind !== 'step') return;
      for (const [, event] of message.events) if (event.kind === 'finished') running--;
      if (running === 0) resolve();
    };
    const { facts } = runner;
    const host = new EngineHost({
      runner,
      facts,
      options: OPTIONS,
      maxEmbedTokens: 64,
      librarySource: '',
      send,
    });
    host.start();
    for (let key = 0; key < SEQUENCES; key++) {
      host.receive({
        kind: 'submit',
        submission: {
          key,
          id: String(key),
          prompt: { kind: 'tokens', tokens: Array.from({ length: 16 }, (_, i) => 10 + ((key * 7 + i) % 90)) },
          sampling: { ...sampling, seed: String(key) },
          stop: { ...NEUTRAL_STOP, maxNewTokens: NEW_TOKENS, ignoreEos: true },
          output: {
            ...NEUTRAL_OUTPUT,
            stream: true,
            ...(logprobs === undefined ? {} : { logprobs, tokens: true }),
          },
          n: 1,
          bestOf: 1,
          priority: 0,
          usePrefixCache: true,
          markers: [],
        },
      });
    }
  });
  if (bytes === 0) throw new Error('the engine sent nothing');
  return costs.slice(WARM_UP);
}

async function step(): Promise<BenchResult> {
  const rows: Cell[][] = [];
  let plain = Number.NaN;
  for (const scenario of SCENARIOS) {
    await waitForQuiet();
    const { value, foreign } = await withNoise(() => overheads(scenario));
    const micros = value.map((ms) => ms * 1000);
    if (scenario.name === 'greedy') plain = median(micros);
    rows.push([
      scenario.name,
      median(micros),
      quantile(micros, 0.95),
      median(micros) / SEQUENCES,
      percent(foreign),
    ]);
  }
  return {
    tables: [
      {
        title: `Own time per step, ${SEQUENCES} running sequences, microseconds`,
        columns: ['request', 'median', 'p95', 'per sequence', 'others used'],
        rows,
        notes: [
          'fake runner with about 300 tokens; its own time is not counted',
          'everything else is: planning, sampling, text, prefix cache, the message to the server as JSON',
        ],
      },
    ],
    verdicts: [
      { goal: 'own time of a step, 32 sequences, µs', measured: plain, limit: 100, better: 'lower' },
    ],
  };
}

await bench('step', step);
