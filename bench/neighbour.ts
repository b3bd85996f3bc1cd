// Every core is wanted by another process: what the adapted number of threads keeps of the best fixed number's
// rate, and how soon it is back when the neighbour has gone.

import { type ChildProcess, spawn } from 'node:child_process';
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ManagedEngine } from '../src/engine/index.js';
import { GREEDY, openEngine, run } from './lib/engines.js';
import { DEMO_MODEL, generatedModel } from './lib/models.js';
import { percent, waitForQuiet, withNoise } from './lib/noise.js';
import { promptTokens } from './lib/prompts.js';
import { type BenchResult, bench, type Cell, type Verdict } from './lib/report.js';
import { median } from './lib/stats.js';

const CORES = cpus().length;
/** How long each rate is taken, and how long the controller may settle first. Milliseconds. */
const TAKE_MS = 4000;
const SETTLE_MS = 2000;
const RECOVERY_LIMIT_MS = 10_000;
/** Rates over time are means over windows of this length. Milliseconds. */
const WINDOW_MS = 500;

/** Streams that never end, and the times of their tokens. */
class Streams implements AsyncDisposable {
  readonly times: number[] = [];
  readonly #stop = new AbortController();
  readonly #running: Promise<unknown>[];

  constructor(engine: ManagedEngine, count: number) {
    this.#running = Array.from({ length: count }, (_, i) => this.#stream(engine, i));
  }

  /** Tokens per second between two times. */
  rate(from: number, to: number): number {
    return (this.times.filter((time) => time >= from && time < to).length * 1000) / (to - from);
  }

  /** Takes the rate of the next `ms` milliseconds. */
  async take(ms: number): Promise<number> {
    const from = performance.now();
    await sleep(ms);
    return this.rate(from, performance.now());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
  }

  /** One request after the other; each is short, so that attention over a growing context does not slow it down. */
  async #stream(engine: ManagedEngine, seed: number): Promise<void> {
    for (let round = 0; !this.#stop.signal.aborted; round++) {
      const options = {
        prompt: promptTokens(8, seed * 10_000 + round),
        newTokens: 100,
        sampling: GREEDY,
        usePrefixCache: false,
        wantsTokens: true,
        signal: this.#stop.signal,
        onText: (tokens: number) => {
          for (let i = 0; i < tokens; i++) this.times.push(performance.now());
        },
      };
      // Its end is the abort above.
      await run(engine, options).catch(() => undefined);
    }
  }
}

/** A process per core that does nothing but compute. */
class Neighbour implements Disposable {
  readonly #children: ChildProcess[];

  constructor(nice: number) {
    const command = ['-n', String(nice), process.execPath, '-e', 'for (;;);'];
    this.#children = Array.from({ length: CORES }, () => spawn('nice', command, { stdio: 'ignore' }));
  }

  [Symbol.dispose](): void {
    for (const child of this.#children) child.kill('SIGKILL');
  }
}

interface Situation {
  readonly name: string;
  readonly model: string;
  readonly streams: number;
  readonly nice: number;
}

interface Outcome {
  readonly idle: number;
  /** Rate with the neighbour, by fixed number of threads. */
  readonly fixed: ReadonlyMap<number, number>;
  readonly adapted: number;
  /** Milliseconds until a window reaches 0.95 of the idle rate again. */
  readonly recoveryMs: number;
  /** Rate from five seconds after the neighbour's end. */
  readonly after: number;
}

async function fixedRate({ model, streams, nice }: Situation, threads: number): Promise<number> {
  await using opened = await openEngine({
    modelPath: model,
    parallel: streams,
    threads,
    adaptThreads: false,
  });
  using _neighbour = new Neighbour(nice);
  await using running = new Streams(opened.engine, streams);
  await sleep(SETTLE_MS);
  // Awaited here: the streams end with this function.
  return await running.take(TAKE_MS);
}

function recovery(running: Streams, gone: number, wanted: number): number {
  for (let at = gone; at - gone < RECOVERY_LIMIT_MS; at += 50) {
    if (running.rate(at, at + WINDOW_MS) >= wanted) return at - gone;
  }
  return Number.POSITIVE_INFINITY;
}

async function observe(situation: Situation): Promise<Outcome> {
  const { model, streams, nice } = situation;
  const fixed = new Map<number, number>();
  for (
    let threads = 1;
    threads <= CORES;
    threads = threads < CORES ? Math.min(CORES, threads * 2) : threads + 1
  ) {
    fixed.set(threads, await fixedRate(situation, threads));
  }
  await using opened = await openEngine({ modelPath: model, parallel: streams, adaptThreads: true });
  await using running = new Streams(opened.engine, streams);
  await waitForQuiet();
  await sleep(SETTLE_MS);
  const windows: number[] = [];
  for (let i = 0; i < 6; i++) windows.push(await running.take(WINDOW_MS));
  const idle = median(windows);
  let adapted = 0;
  {
    using _neighbour = new Neighbour(nice);
    await sleep(SETTLE_MS);
    adapted = await running.take(TAKE_MS);
  }
  const gone = performance.now();
  await sleep(5000);
  const after = await running.take(RECOVERY_LIMIT_MS - 5000 + WINDOW_MS);
  return { idle, fixed, adapted, after, recoveryMs: recovery(running, gone, 0.95 * idle) };
}

/** `neighbour [demo|0.5B]` */
async function neighbour([only = '']: readonly string[]): Promise<BenchResult> {
  const rows: Cell[][] = [];
  const verdicts: Verdict[] = [];
  const large = generatedModel('0.5b-q4_0');
  const situations: Situation[] = [
    { name: '0.5B Q4_0, 1 stream, nice 10', model: large, streams: 1, nice: 10 },
    { name: '0.5B Q4_0, 1 stream, nice 0', model: large, streams: 1, nice: 0 },
    { name: 'demo Q8_0, 8 streams, nice 0', model: DEMO_MODEL, streams: 8, nice: 0 },
  ];
  for (const situation of situations) {
    if (!situation.name.startsWith(only)) continue;
    const { value, foreign } = await withNoise(() => observe(situation));
    const best = Math.max(...value.fixed.values());
    const fixed = [...value.fixed].map(([threads, rate]) => `${threads}: ${rate.toFixed(1)}`).join(', ');
    rows.push([
      situation.name,
      value.idle,
      fixed,
      value.adapted,
      value.adapted / best,
      value.recoveryMs / 1000,
      value.after,
      percent(foreign),
    ]);
    console.error(rows.at(-1)?.join(' | '));
    verdicts.push({
      goal: `${situation.name}: adapted over best fixed`,
      measured: value.adapted / best,
      limit: 0.8,
      better: 'higher',
    });
    verdicts.push({
      goal: `${situation.name}: rate from 5 s after over idle`,
      measured: value.after / value.idle,
      limit: 0.95,
      better: 'higher',
    });
  }
  return {
    tables: [
      {
        title: `Decode with all ${CORES} cores kept busy by another process, tokens per second`,
        columns: [
          'situation',
          'idle',
          'fixed threads',
          'adapted',
          'over best fixed',
          'back after s',
          'rate from 5 s on',
          'others used',
        ],
        rows,
        notes: [
          'the neighbour: one process per core in an endless loop, at the given niceness',
          `back: first window of ${WINDOW_MS} ms with 0.95 of the idle rate`,
        ],
      },
    ],
    verdicts,
  };
}

await bench('neighbour', neighbour);
