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
const ROUNDS = 30;
const LARGE_ROUNDS = 6;
const CONTEXT = 512;
const BATCH = 512;

/** Prefill: long prompts, one token. Decode: short prompts, which all fit into the first step. */
const PHASES = {
  prefill: { prompt: 256, newTokens: 1 },
  decode: { prompt: 16, newTokens: 160 },
} as const;

type Phase = keyof typeof PHASES;

/** Short runs are repeated: a rate over a few milliseconds says nothing. */
const repeats = (phase: Phase, sequences: number): number =>
  phase === 'prefill' ? Math.max(1, Math.floor(16 / sequences)) : 1;

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
  readonly ratio: number;
  /** Median of the rounds' ratios. */
  readonly middle: number;
  readonly foreign: number;
}

/**
 * The rate a side has while nothing slows the machine down: the median of its fastest quarter. Rounds of a tenth of a
 * second differ by half where cores are shared with others that cannot be seen from here, and only ever downwards.
 */
function undisturbed(rates: readonly number[]): number {
  return median([...rates].sort((a, b) => b - a).slice(0, Math.ceil(rates.length / 4)));
}

/** Rounds in turn. */
async function compare(
  modelPath: string,
  phase: Phase,
  sequences: number,
  most: number,
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
  const times = repeats(phase, sequences);
  const rounds: Omit<Comparison, 'ratio' | 'middle'>[] = [];
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
  const bare = undisturbed(counted.map((round) => round.bare));
  const driven = undisturbed(counted.map((round) => round.engine));
  return {
    bare,
    engine: driven,
    sampled: undisturbed(counted.map((round) => round.sampled)),
    ratio: driven / bare,
    middle: median(counted.map((round) => round.engine / round.bare)),
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
    for (const sequences of name.startsWith('demo') ? [1, 8, 32] : [1, 8]) {
      for (const phase of ['prefill', 'decode'] as const) {
        const { bare, engine, sampled, ratio, middle, foreign } = await compare(
          path,
          phase,
          sequences,
          name.startsWith('demo') ? ROUNDS : LARGE_ROUNDS,
        );
        const goal = `${name}, ${sequences} seq., ${phase}`;
        rows.push([goal, bare, engine, ratio, middle, sampled, percent(foreign)]);
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
          'median of ratios',
          'engine, sampling',
          'others used',
        ],
        rows,
        notes: [
          `${cpus().length} threads, fixed; batch ${BATCH}; greedy unless said; ${ROUNDS} rounds (${LARGE_ROUNDS} of the large model) taken in turn, those left out that others disturbed`,
          "rates are medians of each side's fastest quarter of rounds",
          'sampling: temperature 0.8, top_p 0.95, top_k 40',
        ],
      },
    ],
    verdicts,
  };
}

await bench('engine', engine);
