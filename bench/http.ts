// The whole server over HTTP with streaming, 32 clients, over the engine's own figure for the same requests.

import { openEngine, run, runByClients, spanSeconds, USUAL_SAMPLING } from './lib/engines.js';
import { DEMO_MODEL } from './lib/models.js';
import { percent, quietest, settle, waitForQuiet, withNoise } from './lib/noise.js';
import { completionBody, promptTokens } from './lib/prompts.js';
import { type BenchResult, bench } from './lib/report.js';
import { startKoine } from './lib/servers.js';
import { median } from './lib/stats.js';
import { figures, LoadGenerator } from './load/index.js';

const CLIENTS = 32;
const REQUESTS = 96;
const PROMPT = 64;
const NEW_TOKENS = 128;
const CONTEXT = 256;
const ROUNDS = 5;

async function http(): Promise<BenchResult> {
  await using opened = await openEngine({ modelPath: DEMO_MODEL, parallel: CLIENTS, contextTokens: CONTEXT });
  await using server = await startKoine({
    model: DEMO_MODEL,
    parallel: CLIENTS,
    contextPerSequence: CONTEXT,
  });
  using load = new LoadGenerator();
  const { engine } = opened;
  const seeds = (round: number): number[] => Array.from({ length: REQUESTS }, (_, i) => round * REQUESTS + i);

  const overEngine = async (round: number): Promise<number> => {
    const requests = seeds(round).map((seed) => ({
      prompt: promptTokens(PROMPT, seed),
      newTokens: NEW_TOKENS,
      sampling: USUAL_SAMPLING,
      seed,
    }));
    const runs = await runByClients(engine, CLIENTS, requests);
    return runs.reduce((sum, one) => sum + one.newTokens, 0) / spanSeconds(runs);
  };
  const overHttp = async (round: number): Promise<number> => {
    const bodies = seeds(round).map((seed) =>
      completionBody({ prompt: promptTokens(PROMPT, seed), newTokens: NEW_TOKENS, seed }),
    );
    const { host, port } = server;
    const job = { host, port, path: '/v1/completions', bodies, clients: CLIENTS, eventTimes: false };
    const { tokensPerSecond, errors, errorKinds } = figures(await load.run(job));
    if (errors > 0) throw new Error(`${errors} requests failed: ${errorKinds.join('; ')}`);
    return tokensPerSecond;
  };

  await run(engine, { prompt: promptTokens(PROMPT, -1), newTokens: 4, sampling: USUAL_SAMPLING });
  const rounds: { engine: number; http: number; foreign: number }[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    await waitForQuiet();
    const { value, foreign } = await withNoise(async () => {
      const rates = { engine: 0, http: 0 };
      const sides = ['engine', 'http'] as const;
      for (const side of round % 2 === 0 ? sides : [...sides].reverse()) {
        await settle();
        rates[side] = await (side === 'engine' ? overEngine(round) : overHttp(round));
      }
      return rates;
    });
    if (round > 0) rounds.push({ ...value, foreign });
  }
  const counted = quietest(rounds);
  const ratio = median(counted.map((round) => round.http / round.engine));
  return {
    tables: [
      {
        title: `Over HTTP with streaming, ${CLIENTS} clients, ${PROMPT} + ${NEW_TOKENS} tokens, demo model`,
        columns: ['round', 'engine tok/s', 'HTTP tok/s', 'ratio', 'others used'],
        rows: [
          ...rounds.map((round, i) => [
            i + 1,
            round.engine,
            round.http,
            round.http / round.engine,
            percent(round.foreign),
          ]),
          [
            'median',
            median(counted.map((round) => round.engine)),
            median(counted.map((round) => round.http)),
            ratio,
            '',
          ],
        ],
        notes: [
          'medians leave out rounds that others disturbed, when three are left',
          'engine: its process driven directly, as the server drives it; HTTP: with the server and the load process beside it on the same cores',
          'temperature 0.8, top_p 0.95, top_k 40; every prompt different; order changes every round',
        ],
      },
    ],
    verdicts: [{ goal: 'HTTP over engine, 32 clients', measured: ratio, limit: 0.9, better: 'higher' }],
  };
}

await bench('http', http);
