// A prompt of 8,000 tokens arrives among eight running streams: how far apart do their tokens come meanwhile?

import { GREEDY, openEngine, run } from './lib/engines.js';
import type { Preset } from './lib/model-presets.js';
import { generatedModel } from './lib/models.js';
import { percent, waitForQuiet, withNoise } from './lib/noise.js';
import { promptTokens } from './lib/prompts.js';
import { type BenchResult, bench, type Cell, type Verdict } from './lib/report.js';
import { median, quantile } from './lib/stats.js';

const STREAMS = 8;
const LONG_PROMPT = 8000;
/** Tokens of every stream before the long prompt arrives. */
const ALONE_TOKENS = 60;

interface Gaps {
  readonly before: readonly number[];
  readonly during: readonly number[];
  /** Milliseconds from the long prompt's arrival to its first token. */
  readonly ttftMs: number;
}

async function measure(preset: Preset): Promise<Gaps> {
  await using opened = await openEngine({
    modelPath: generatedModel(preset),
    parallel: STREAMS + 1,
    contextTokens: 8192,
  });
  const { engine } = opened;
  const stop = new AbortController();
  const times: number[][] = Array.from({ length: STREAMS }, () => []);
  const streams = times.map(async (list, i) => {
    const options = {
      prompt: promptTokens(32, i),
      newTokens: 8000,
      sampling: GREEDY,
      signal: stop.signal,
      onText: () => list.push(performance.now()),
    };
    // Its end is the abort below.
    await run(engine, options).catch(() => undefined);
  });
  await until(() => times.every((list) => list.length > 20));
  const begun = performance.now();
  await until(() => times.every((list) => list.length > 20 + ALONE_TOKENS));
  const long = await run(engine, { prompt: promptTokens(LONG_PROMPT, 99), newTokens: 1, sampling: GREEDY });
  stop.abort();
  await Promise.all(streams);
  const gaps = (from: number, to: number): number[] =>
    times.flatMap((list) =>
      list.flatMap((time, i) => {
        const last = list[i - 1];
        return last !== undefined && last >= from && time <= to ? [time - last] : [];
      }),
    );
  return {
    before: gaps(begun, long.sentMs),
    during: gaps(long.sentMs, long.firstMs),
    ttftMs: long.firstMs - long.sentMs,
  };
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** `long-prompt [demo|0.5b]` */
async function longPrompt([only = '']: readonly string[]): Promise<BenchResult> {
  const rows: Cell[][] = [];
  const verdicts: Verdict[] = [];
  for (const preset of ['demo-16k', '0.5b-q4_0'] as const) {
    if (!preset.startsWith(only)) continue;
    await waitForQuiet();
    const { value, foreign } = await withNoise(() => measure(preset));
    const mean = (list: readonly number[]): number => list.reduce((sum, gap) => sum + gap, 0) / list.length;
    const row = (name: string, list: readonly number[]): Cell[] => [
      `${preset}, ${name}`,
      mean(list),
      median(list),
      quantile(list, 0.95),
      Math.max(...list),
      percent(foreign),
    ];
    rows.push(row('before', value.before), row('meanwhile', value.during));
    rows.push([`${preset}, its own first token`, value.ttftMs, '', '', '', '']);
    verdicts.push({
      goal: `${preset}: mean gap meanwhile over before`,
      measured: mean(value.during) / mean(value.before),
      limit: 3,
      better: 'lower',
    });
    verdicts.push({
      goal: `${preset}: p95 of the gaps meanwhile over their median before`,
      measured: quantile(value.during, 0.95) / median(value.before),
      limit: 3,
      better: 'lower',
    });
  }
  return {
    tables: [
      {
        title: `${STREAMS} streams while a prompt of ${LONG_PROMPT} tokens is read, milliseconds between tokens`,
        columns: ['model', 'mean', 'median', 'p95', 'longest', 'others used'],
        rows,
        notes: ["random-weight models of the demo model's shape (context 16,384) and of a common 0.5B one"],
      },
    ],
    verdicts,
  };
}

await bench('long-prompt', longPrompt);
