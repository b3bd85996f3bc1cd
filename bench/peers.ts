// Side by side with llama-server: the same requests, one server after the other, order changing every round.

import { DEMO_MODEL, generatedModel } from './lib/models.js';
import { percent, quietest, waitForQuiet, withNoise } from './lib/noise.js';
import { completionBody, promptTokens } from './lib/prompts.js';
import { type BenchResult, bench, type Cell, type Table, type Verdict } from './lib/report.js';
import { type RunningServer, type Serving, startKoine, startLlamaServer } from './lib/servers.js';
import { median } from './lib/stats.js';
import { figures, type LoadFigures, LoadGenerator } from './load/index.js';

interface Scenario {
  readonly name: string;
  readonly serving: Serving;
  readonly rounds: number;
  readonly prompt: number;
  readonly newTokens: number;
  readonly clients: readonly Crowd[];
}

interface Crowd {
  readonly count: number;
  readonly requests: number;
  /** Requests before those that count, so that code is compiled and memory touched. */
  readonly warmUp: number;
  readonly ratio: number;
}

interface Sample extends LoadFigures {
  readonly foreign: number;
}

function scenarios(): Scenario[] {
  return [
    {
      name: 'demo model, 64 + 128 tokens',
      serving: { model: DEMO_MODEL, parallel: 64, contextPerSequence: 256 },
      rounds: 5,
      prompt: 64,
      newTokens: 128,
      clients: [
        { count: 1, requests: 16, warmUp: 16, ratio: 1 },
        { count: 8, requests: 64, warmUp: 64, ratio: 1 },
        { count: 128, requests: 384, warmUp: 384, ratio: 1.5 },
      ],
    },
    {
      name: '0.5B Q4_0, 224 + 64 tokens',
      serving: { model: generatedModel('0.5b-q4_0'), parallel: 16, contextPerSequence: 320 },
      rounds: 3,
      prompt: 224,
      newTokens: 64,
      clients: [
        { count: 8, requests: 16, warmUp: 4, ratio: 1 },
        { count: 16, requests: 32, warmUp: 4, ratio: 1 },
      ],
    },
  ];
}

async function sample(
  server: RunningServer,
  load: LoadGenerator,
  { prompt, newTokens }: Scenario,
  { count, requests, warmUp }: Crowd,
): Promise<{ first: Sample; warm: Sample }> {
  const bodies = (from: number, many: number): string[] =>
    Array.from({ length: many }, (_, i) =>
      completionBody({ prompt: promptTokens(prompt, from + i), newTokens, seed: from + i }),
    );
  const job = {
    host: server.host,
    port: server.port,
    path: '/v1/completions',
    clients: count,
    eventTimes: false,
  };
  const take = async (from: number, many: number): Promise<Sample> => {
    await waitForQuiet();
    const { value, foreign } = await withNoise(() => load.run({ ...job, bodies: bodies(from, many) }));
    return { ...figures(value), foreign };
  };
  return { first: await take(1_000_000, warmUp), warm: await take(count * 1000, requests) };
}

type Samples = Map<string, Sample[]>;

async function measure(scenario: Scenario, binary: string): Promise<Samples> {
  const samples: Samples = new Map();
  using load = new LoadGenerator();
  const starters = [() => startKoine(scenario.serving), () => startLlamaServer(binary, scenario.serving)];
  for (let round = 0; round < scenario.rounds; round++) {
    for (const start of round % 2 === 0 ? starters : [...starters].reverse()) {
      await using server = await start();
      for (const clients of scenario.clients) {
        const taken = await sample(server, load, scenario, clients);
        for (const which of ['first', 'warm'] as const) {
          const key = `${server.name} ${clients.count} ${which}`;
          const { tokensPerSecond, foreign } = taken[which];
          samples.set(key, [...(samples.get(key) ?? []), taken[which]]);
          console.error(`${key}: ${Math.round(tokensPerSecond)} tok/s, others ${percent(foreign)}`);
        }
      }
    }
  }
  return samples;
}

function summarize(all: readonly Sample[]): Omit<Sample, 'errorKinds'> & { errorKinds: string } {
  const samples = quietest(all);
  const middle = (pick: (sample: Sample) => number): number => median(samples.map(pick));
  return {
    tokensPerSecond: middle((sample) => sample.tokensPerSecond),
    seconds: middle((sample) => sample.seconds),
    newTokens: middle((sample) => sample.newTokens),
    ttftMedianMs: middle((sample) => sample.ttftMedianMs),
    ttftP95Ms: middle((sample) => sample.ttftP95Ms),
    errors: all.reduce((sum, sample) => sum + sample.errors, 0),
    resends: all.reduce((sum, sample) => sum + sample.resends, 0),
    errorKinds: [...new Set(all.flatMap((sample) => sample.errorKinds))].join('; '),
    cpuSeconds: middle((sample) => sample.cpuSeconds),
    foreign: Math.max(...samples.map((sample) => sample.foreign)),
  };
}

function report(scenario: Scenario, samples: Samples): { table: Table; verdicts: Verdict[] } {
  const rows: Cell[][] = [];
  const verdicts: Verdict[] = [];
  const notes: string[] = [];
  for (const { count, requests, warmUp, ratio } of scenario.clients) {
    const ours = summarize(samples.get(`koine ${count} warm`) ?? []);
    const theirs = summarize(samples.get(`llama-server ${count} warm`) ?? []);
    if (warmUp === requests) {
      const firsts = ['koine', 'llama-server'].map((name) =>
        summarize(samples.get(`${name} ${count} first`) ?? []),
      );
      const [a, b] = firsts.map(({ tokensPerSecond }) => Math.round(tokensPerSecond));
      notes.push(`${count} clients, the first ${warmUp} requests of the process: ${a} and ${b} tok/s`);
    }
    for (const [name, side] of [
      ['koine', ours],
      ['llama-server', theirs],
    ] as const) {
      rows.push([
        `${count} x ${requests}, ${name}`,
        side.tokensPerSecond,
        side.ttftMedianMs,
        side.ttftP95Ms,
        side.errors,
        percent(side.foreign),
      ]);
      if (side.resends > 0) {
        const all = scenario.rounds * requests;
        notes.push(
          `${name}, ${count} clients: ${side.resends} of ${all} requests found their kept connection closed and were sent again`,
        );
      }
      if (side.errorKinds !== '') notes.push(`${name}, ${count} clients: ${side.errorKinds}`);
    }
    const goal = `${scenario.name}, ${count} clients`;
    const speed = ours.tokensPerSecond / theirs.tokensPerSecond;
    const wait = ours.ttftMedianMs / theirs.ttftMedianMs;
    verdicts.push({
      goal: `${goal}: speed over llama-server`,
      measured: speed,
      limit: ratio,
      better: 'higher',
    });
    verdicts.push({
      goal: `${goal}: median TTFT over llama-server`,
      measured: wait,
      limit: 1,
      better: 'lower',
    });
  }
  return {
    table: {
      title: scenario.name,
      columns: ['clients x requests', 'tok/s', 'TTFT median ms', 'TTFT p95 ms', 'errors', 'others used'],
      rows,
      notes: [
        `medians of up to ${scenario.rounds} rounds, servers in changing order, disturbed rounds left out; ${scenario.serving.parallel} places of ${scenario.serving.contextPerSequence} tokens each`,
        'streaming; temperature 0.8, top_p 0.95, top_k 40; every prompt different',
        ...notes,
      ],
    },
    verdicts,
  };
}

/** `peers PATH_TO_LLAMA_SERVER [demo|0.5b]` */
async function peers([binary, only]: readonly string[]): Promise<BenchResult> {
  if (binary === undefined) throw new Error('usage: bench peers PATH_TO_LLAMA_SERVER [demo|0.5B]');
  const tables: Table[] = [];
  const verdicts: Verdict[] = [];
  for (const scenario of scenarios()) {
    if (only !== undefined && !scenario.name.startsWith(only)) continue;
    const { table, verdicts: reached } = report(scenario, await measure(scenario, binary));
    tables.push(table);
    verdicts.push(...reached);
  }
  return { tables, verdicts };
}

await bench('peers', peers);
