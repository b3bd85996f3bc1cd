// The engine over the bare decode loop: same library, threads, batches and prompts, in turn, in one run.

import { cpus } from 'node:os';
import type { ManagedEngine } from '../src/engine/index.js';
import type { SamplingParams } from '../src/protocol/index.js';
import { type BareJob, BareLoop } from './lib/bare-loop.js';
import { GREEDY, openEngine, runTogether, USUAL_SAMPLING } from './lib/engines.js';
import { DEMO_MODEL, generatedModel } from './lib/models.js';
import { percent, quietest, settle, waitForQuiet, withNoise } from './lib/noise.js';
import { promptTokens } from './lib/prompts.js';
import { type BenchResult, bench, type Cell, type Verdict } from './lib/report.js';
import { median } from './lib/stats.js';

/** Rounds of the small model, and of the large one, whose steps vary less. */
const ROUNDS = 20;
const LARGE_ROUNDS = 6;
const CONTEXT = 1024;
const BATCH = 512;

/** Prefill: prompts of a whole batch, one token. Decode: short prompts, which all fit into the first step. */
const PHASES = {
  prefill: { prompt: 512, newTokens: 1 },
  decode: { prompt: 16, newTokens: 160 },
} as const;

type Phase = keyof typeof PHASES;

/** Runs of the small model are repeated: a rate over a few milliseconds, of a process that has just slept, says nothing. */
const repeats = (sequences: number): number => Math.max(1, Math.floor(16 / sequences));

async function repeated(times: number, rate: () => Promise<number>): Promise<number> {
  let inverse = 0;
  for (let i = 0; i < times; i++) inverse += 1 / (await rate());
  return times / inverse;
}

async function engineRate(
  engine: ManagedEngine,
  phase: Phase,
  sequences: number,
  sampling: SamplingParams,
): Promise<number> {
  const { prompt, newTokens } = PHASES[phase];
  const requests = Array.from({ length: sequences }, (_, s) => ({
    prompt: promptTokens(prompt, s),
    newTokens,
    sampling,
    seed: s,
    usePrefixCache: false,
  }));
  const runs = await runTogether(engine, requests);
  const end = Math.max(...runs.map((run) => run.endMs));
  if (phase === 'prefill')
    return (sequences * prompt * 1000) / (end - Math.min(...runs.map((run) => run.sentMs)));
  const begin = Math.max(...runs.map((run) => run.firstMs));
  return (sequences * (newTokens - 1) * 1000) / (end - begin);
}

interface Comparison {
  readonly bare: number;
  readonly engine: number;
  readonly sampled: number;
  /** Median of the rounds' ratios. */
  readonly ratio: number;
  readonly foreign: number;
}

/** Rounds in turn. */
async function compare(
  modelPath: string,
  phase: Phase,
  sequences: number,
  { most, times }: { readonly most: number; readonly times: number },
): Promise<Comparison> {
  const threads = cpus().length;
  const job: BareJob = {
    model: modelPath,
    sequences,
    contextPerSequence: CONTEXT,
    batchTokens: BATCH,
    threads,
    ...PHASES[phase],
  };
  using loop = new BareLoop(job);
  await using opened = await openEngine({
    modelPath,
    parallel: sequences,
    contextTokens: CONTEXT,
    batchTokens: BATCH,
    threads,
    prefixCacheBytes: 0,
  });
  const { engine } = opened;
  const rounds: Omit<Comparison, 'ratio'>[] = [];
  await waitForQuiet();
  for (let round = -1; round < most; round++) {
    const { value, foreign } = await withNoise(async () => {
      const measure = {
        bare: () => repeated(times, async () => (await loop.round())[phase]),
        engine: () => repeated(times, () => engineRate(engine, phase, sequences, GREEDY)),
        sampled: () => repeated(times, () => engineRate(engine, phase, sequences, USUAL_SAMPLING)),
      };
      const rates = { bare: 0, engine: 0, sampled: 0 };
      const order = ['bare', 'engine', 'sampled'] as const;
      for (const side of round % 2 === 0 ? order : [...order].reverse()) {
        await settle();
        rates[side] = await measure[side]();
      }
      return rates;
    });
    if (round >= 0) rounds.push({ ...value, foreign });
  }
  const counted = quietest(rounds);
  return {
    bare: median(counted.map((round) => round.bare)),
    engine: median(counted.map((round) => round.engine)),
    sampled: median(counted.map((round) => round.sampled)),
    ratio: median(counted.map((round) => round.engine / round.bare)),
    foreign: median(counted.map((round) => round.foreign)),
  };
}

/** `engine [demo|0.5B]` */
async function engine([only = '']: readonly string[]): Promise<BenchResult> {
  const rows: Cell[][] = [];
  const verdicts: Verdict[] = [];
  const models = { 'demo Q8_0': DEMO_MODEL, '0.5B Q4_0': generatedModel('0.5b-q4_0') };
  for (const [name, path] of Object.entries(models)) {
    if (!name.startsWith(only)) continue;
    // The large model's steps dwarf everything else; one and eight sequences say all there is to say.
    const isSmall = name.startsWith('demo');
    for (const sequences of isSmall ? [1, 8, 32] : [1, 8]) {
      for (const phase of ['prefill', 'decode'] as const) {
        const { bare, engine, sampled, ratio, foreign } = await compare(path, phase, sequences, {
          most: isSmall ? ROUNDS : LARGE_ROUNDS,
          times: isSmall ? repeats(sequences) : 1,
        });
        const goal = `${name}, ${sequences} seq., ${phase}`;
        rows.push([goal, bare, engine, ratio, sampled, percent(foreign)]);
        verdicts.push({
          goal: `${goal}: engine over bare loop`,
          measured: ratio,
          limit: 0.95,
          better: 'higher',
        });
        console.error(
          `${goal}: ${Math.round(bare)} / ${Math.round(engine)} = ${ratio.toFixed(3)}, others ${percent(foreign)}`,
        );
      }
    }
  }
  return {
    tables: [
      {
        title: 'Engine over the bare decode loop, tokens per second',
        columns: [
          'model, sequences, phase',
          'bare loop',
          'engine',
          'ratio',
          'engine, sampling',
          'others used',
        ],
        rows,
        notes: [
          `${cpus().length} threads, fixed; batch ${BATCH}; greedy unless said; ${ROUNDS} rounds (${LARGE_ROUNDS} of the large model) taken in turn, those left out that others disturbed`,
          "medians of the rounds; the ratio is the median of the rounds' ratios",
          'sampling: temperature 0.8, top_p 0.95, top_k 40',
        ],
      },
    ],
    verdicts,
  };
}

await bench('engine', engine);
