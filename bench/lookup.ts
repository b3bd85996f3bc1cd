// Prompt lookup on and off, one stream: where every proposal is right, and where nothing is ever proposed.

import type { ManagedEngine } from '../src/engine/index.js';
import type { SamplingParams } from '../src/protocol/index.js';
import { GREEDY, openEngine, run, USUAL_SAMPLING } from './lib/engines.js';
import { generatedModel } from './lib/models.js';
import { percent, quietest, settle, waitForQuiet, withNoise } from './lib/noise.js';
import { promptTokens } from './lib/prompts.js';
import { type BenchResult, bench, type Cell, type Verdict } from './lib/report.js';
import { median } from './lib/stats.js';

const ROUNDS = 5;
const NEW_TOKENS = 160;
const PROPOSED = 15;

/** The bounds of what it can win and lose: a reply that says one token again and again, and one of random tokens. */
const REPLIES: readonly (readonly [string, SamplingParams])[] = [
  ['repeats itself', { ...GREEDY, logitBias: [[7, 100]] }],
  ['never does', { ...USUAL_SAMPLING, temperature: 2, topK: 0, topP: 1 }],
];

async function rate(engine: ManagedEngine, sampling: SamplingParams, seed: number): Promise<number> {
  await settle();
  const one = await run(engine, {
    prompt: promptTokens(64, seed),
    newTokens: NEW_TOKENS,
    sampling,
    seed,
    usePrefixCache: false,
  });
  return ((one.newTokens - 1) * 1000) / (one.endMs - one.firstMs);
}

async function lookup(): Promise<BenchResult> {
  const options = { modelPath: generatedModel('0.5b-q4_0'), parallel: 1, contextTokens: 512 };
  await using off = await openEngine(options);
  await using on = await openEngine({ ...options, promptLookup: PROPOSED });
  const rows: Cell[][] = [];
  const verdicts: Verdict[] = [];
  for (const [name, sampling] of REPLIES) {
    const rounds: { off: number; on: number; foreign: number }[] = [];
    for (let round = -1; round < ROUNDS; round++) {
      await waitForQuiet();
      const { value, foreign } = await withNoise(async () => ({
        off: await rate(off.engine, sampling, round),
        on: await rate(on.engine, sampling, round),
      }));
      if (round >= 0) rounds.push({ ...value, foreign });
    }
    const counted = quietest(rounds);
    const ratio = median(counted.map((one) => one.on / one.off));
    rows.push([
      `a reply that ${name}`,
      median(counted.map((one) => one.off)),
      median(counted.map((one) => one.on)),
      ratio,
      percent(median(counted.map((one) => one.foreign))),
    ]);
    verdicts.push({
      goal: `a reply that ${name}: with over without`,
      measured: ratio,
      limit: name === 'never does' ? 0.97 : 1,
      better: 'higher',
    });
  }
  return {
    tables: [
      {
        title: `One stream of ${NEW_TOKENS} tokens, 0.5B Q4_0, tokens per second`,
        columns: ['', 'without', `--prompt-lookup ${PROPOSED}`, 'ratio', 'others used'],
        rows,
        notes: [
          `medians of up to ${ROUNDS} rounds; a model of random weights; one token biased, and temperature 2`,
        ],
      },
    ],
    verdicts,
  };
}

await bench('lookup', lookup);
