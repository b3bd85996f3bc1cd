// Eight requests that arrive together and share a prefix of 1,500 tokens: with the prefix cache and without.

import type { ManagedEngine } from '../src/engine/index.js';
import { GREEDY, openEngine, type Run, runTogether, spanSeconds } from './lib/engines.js';
import { DEMO_MODEL, generatedModel } from './lib/models.js';
import { percent, settle, waitForQuiet, withNoise } from './lib/noise.js';
import { promptTokens } from './lib/prompts.js';
import { type BenchResult, bench, type Cell, type Verdict } from './lib/report.js';
import { median } from './lib/stats.js';

const REQUESTS = 8;
const SHARED = 1500;
const OWN = 16;
const NEW_TOKENS = 16;

interface Round {
  readonly seconds: number;
  /** Prompt tokens that were computed, of all requests. */
  readonly computed: number;
  readonly foreign: number;
}

async function round(engine: ManagedEngine, seed: number): Promise<Round> {
  const shared = promptTokens(SHARED, 1000 + seed);
  const requests = Array.from({ length: REQUESTS }, (_, i) => ({
    prompt: [...shared, ...promptTokens(OWN, 5000 + seed * REQUESTS + i)],
    newTokens: NEW_TOKENS,
    sampling: GREEDY,
  }));
  await settle();
  const { value, foreign } = await withNoise(() => runTogether(engine, requests));
  const computed = value.reduce((sum: number, run: Run) => sum + run.promptTokens - run.cachedTokens, 0);
  return { seconds: spanSeconds(value), computed, foreign };
}

async function measure(modelPath: string, rounds: number): Promise<{ on: Round[]; off: Round[] }> {
  const options = { modelPath, parallel: REQUESTS, contextTokens: 1600 };
  await using cached = await openEngine(options);
  await using bare = await openEngine({ ...options, prefixCacheBytes: 0 });
  const on: Round[] = [];
  const off: Round[] = [];
  for (let i = -1; i < rounds; i++) {
    await waitForQuiet();
    const first = await round(cached.engine, i);
    const second = await round(bare.engine, i);
    if (i < 0) continue;
    on.push(first);
    off.push(second);
  }
  return { on, off };
}

/** `prefix [demo|0.5B]` */
async function prefix([only = '']: readonly string[]): Promise<BenchResult> {
  const rows: Cell[][] = [];
  const verdicts: Verdict[] = [];
  const models = [
    ['demo Q8_0', DEMO_MODEL, 5],
    ['0.5B Q4_0', generatedModel('0.5b-q4_0'), 1],
  ] as const;
  for (const [name, path, rounds] of models) {
    if (!name.startsWith(only)) continue;
    const { on, off } = await measure(path, rounds);
    const middle = (list: readonly Round[], pick: (one: Round) => number): number => median(list.map(pick));
    const ratio = median(on.map((one, i) => one.seconds / (off[i]?.seconds ?? Number.NaN)));
    for (const [label, list] of [
      ['cache on', on],
      ['cache off', off],
    ] as const) {
      rows.push([
        `${name}, ${label}`,
        middle(list, (one) => one.seconds),
        middle(list, (one) => one.computed),
        percent(middle(list, (one) => one.foreign)),
      ]);
    }
    rows.push([`${name}, on / off`, ratio, '', '']);
    verdicts.push({
      goal: `${name}: time with over time without`,
      measured: ratio,
      limit: 0.25,
      better: 'lower',
    });
    const once = SHARED + REQUESTS * OWN;
    verdicts.push({
      goal: `${name}: prompt tokens computed`,
      measured: middle(on, (one) => one.computed),
      limit: once,
      better: 'lower',
    });
  }
  return {
    tables: [
      {
        title: `${REQUESTS} requests at once, ${SHARED} tokens shared, ${OWN} of their own, ${NEW_TOKENS} new`,
        columns: ['model', 'seconds', 'prompt tokens computed', 'others used'],
        rows,
        notes: ['a new prefix every round: nothing is left over from the round before'],
      },
    ],
    verdicts,
  };
}

await bench('prefix', prefix);
