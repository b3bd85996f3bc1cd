// Conversations that take turns: 64 chats of 4 turns on 8 places, with the prefix cache and without; and what a
// cache full of idle prefixes costs those who run.

import type { ManagedEngine } from '../src/engine/index.js';
import { GREEDY, openEngine, run, runTogether } from './lib/engines.js';
import { DEMO_MODEL, generatedModel } from './lib/models.js';
import { percent, quietest, settle, waitForQuiet, withNoise } from './lib/noise.js';
import { promptTokens } from './lib/prompts.js';
import { type BenchResult, bench, type Cell } from './lib/report.js';
import { median } from './lib/stats.js';

const CHATS = 64;
const TURNS = 4;
/** Tokens a turn adds: most of them the user's, the rest the reply. */
const TURN_TOKENS = 400;
const REPLY_TOKENS = 16;
const PLACES = 8;
/** Chats of one application begin with the same system prompt: one of a page, and one with some tools in it. */
const PAGE_TOKENS = 400;
const TOOLS_TOKENS = 1000;
const IDLE_TOKENS = 16_384;
const IDLE_ROUNDS = 9;
const FIRST_SEED = 10_000;
/** Room in each place beyond what a chat needs. */
const SPARE_TOKENS = 32;

interface Played {
  readonly seconds: number;
  /** Seconds of the turns after the first, which the cache cannot help. */
  readonly laterSeconds: number;
  readonly computed: number;
}

/** All chats take their first turn, then all their second, and so on: between two turns of a chat 63 others run. */
async function play(
  engine: ManagedEngine,
  system: readonly number[],
  usePrefixCache: boolean,
): Promise<Played> {
  const histories: number[][] = Array.from({ length: CHATS }, () => [...system]);
  let computed = 0;
  const seconds: number[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    const started = performance.now();
    const turnOf = async (history: number[], chat: number): Promise<void> => {
      history.push(...promptTokens(TURN_TOKENS - REPLY_TOKENS, FIRST_SEED + chat * TURNS + turn));
      const reply = await run(engine, {
        prompt: history,
        newTokens: REPLY_TOKENS,
        sampling: GREEDY,
        wantsTokens: true,
        usePrefixCache,
      });
      history.push(...reply.tokens);
      computed += reply.promptTokens - reply.cachedTokens;
    };
    await Promise.all(histories.map(turnOf));
    seconds.push((performance.now() - started) / 1000);
  }
  const total = seconds.reduce((sum, one) => sum + one, 0);
  return { seconds: total, laterSeconds: total - (seconds[0] ?? 0), computed };
}

interface Case {
  readonly name: string;
  readonly modelPath: string;
  readonly systemTokens: number;
}

interface Compared {
  readonly name: string;
  readonly rows: Cell[][];
  readonly ratio: number;
}

/** A case with the cache, and without. */
async function playBoth({ name, modelPath, systemTokens }: Case): Promise<Compared> {
  const system = promptTokens(systemTokens, 1);
  const contextTokens = systemTokens + TURNS * TURN_TOKENS + SPARE_TOKENS;
  const options = { modelPath, parallel: PLACES, contextTokens };
  const side = async (usesCache: boolean): Promise<{ value: Played; foreign: number }> => {
    await using opened = await openEngine(usesCache ? options : { ...options, prefixCacheBytes: 0 });
    await run(opened.engine, { prompt: promptTokens(64, -1), newTokens: 8, sampling: GREEDY });
    await waitForQuiet();
    return await withNoise(() => play(opened.engine, system, usesCache));
  };
  const on = await side(true);
  const off = await side(false);
  const row = (label: string, { value, foreign }: typeof on): Cell[] => [
    label,
    value.seconds,
    value.laterSeconds,
    value.computed,
    percent(foreign),
  ];
  const ratio = on.value.seconds / off.value.seconds;
  const laterRatio = on.value.laterSeconds / off.value.laterSeconds;
  console.error(`${name}: ${ratio.toFixed(3)}`);
  return {
    name,
    ratio,
    rows: [
      row(`${name}, cache on`, on),
      row(`${name}, cache off`, off),
      [`${name}, on / off`, ratio, laterRatio, on.value.computed / off.value.computed, ''],
    ],
  };
}

async function decodeRate(engine: ManagedEngine, seed: number): Promise<number> {
  await settle();
  const newTokens = 256;
  const runs = await runTogether(
    engine,
    Array.from({ length: PLACES }, (_, i) => ({
      prompt: promptTokens(16, seed * PLACES + i),
      newTokens,
      sampling: GREEDY,
      usePrefixCache: false,
    })),
  );
  const begin = Math.max(...runs.map((one) => one.firstMs));
  const end = Math.max(...runs.map((one) => one.endMs));
  return (PLACES * (newTokens - 1) * 1000) / (end - begin);
}

async function idlePrefixes(): Promise<{ rows: Cell[][]; ratio: number }> {
  const options = { modelPath: DEMO_MODEL, parallel: PLACES, contextTokens: 2048 };
  await using full = await openEngine(options);
  await using empty = await openEngine(options);
  const each = 1024;
  const fill = Array.from({ length: IDLE_TOKENS / each }, (_, i) => promptTokens(each, 77_000 + i));
  for (const prompt of fill) await run(full.engine, { prompt, newTokens: 1, sampling: GREEDY });
  const rounds: { full: number; empty: number; foreign: number }[] = [];
  for (let round = -1; round < IDLE_ROUNDS; round++) {
    await waitForQuiet();
    const { value, foreign } = await withNoise(async () => {
      const isFullFirst = round % 2 === 0;
      const first = await decodeRate(isFullFirst ? full.engine : empty.engine, round);
      const second = await decodeRate(isFullFirst ? empty.engine : full.engine, round);
      return isFullFirst ? { full: first, empty: second } : { full: second, empty: first };
    });
    if (round >= 0) rounds.push({ ...value, foreign });
  }
  const counted = quietest(rounds);
  const ratio = median(counted.map((round) => round.full / round.empty));
  const kept = full.engine.status().prefixCache.usedBytes / 2 ** 20;
  return {
    ratio,
    rows: [
      [
        `${IDLE_TOKENS} tokens kept (${Math.round(kept)} MiB)`,
        median(counted.map((round) => round.full)),
        percent(median(counted.map((round) => round.foreign))),
      ],
      ['nothing kept', median(counted.map((round) => round.empty)), ''],
      ['ratio', ratio, ''],
    ],
  };
}

const cases = (): readonly Case[] => [
  { name: 'demo, nothing shared', modelPath: DEMO_MODEL, systemTokens: 0 },
  { name: `demo, system prompt of ${PAGE_TOKENS}`, modelPath: DEMO_MODEL, systemTokens: PAGE_TOKENS },
  {
    name: `70M Q4_0, system prompt of ${TOOLS_TOKENS}`,
    modelPath: generatedModel('70m-q4_0'),
    systemTokens: TOOLS_TOKENS,
  },
];

async function chats(): Promise<BenchResult> {
  const parts: Compared[] = [];
  for (const one of cases()) parts.push(await playBoth(one));
  const idle = await idlePrefixes();
  return {
    tables: [
      {
        title: `${CHATS} chats of ${TURNS} turns, ${TURN_TOKENS} new tokens a turn (${REPLY_TOKENS} of them the reply), ${PLACES} places`,
        columns: ['', 'seconds', 'of them after the first turn', 'prompt tokens computed', 'others used'],
        rows: parts.flatMap(({ rows }) => rows),
        notes: [
          'all chats take a turn before any takes its next one',
          'without cache means that nothing is reused, not even what a place still holds',
          'with nothing shared even an ideal cache leaves 1,600 of every 4,000 prompt tokens to be computed, and these are the dear ones',
        ],
      },
      {
        title: `Decode rate of ${PLACES} sequences beside idle prefixes, tokens per second`,
        columns: ['', 'tok/s', 'others used'],
        rows: idle.rows,
        notes: [`medians of ${IDLE_ROUNDS} rounds, order changing`],
      },
    ],
    verdicts: [
      ...parts.map(({ name, ratio }) => ({
        goal: `chats, ${name}: time with cache over without`,
        measured: ratio,
        limit: 1 / 3,
        better: 'lower' as const,
      })),
      {
        goal: 'decode rate with idle prefixes over none',
        measured: idle.ratio,
        limit: 0.97,
        better: 'higher',
      },
    ],
  };
}

await bench('chats', chats);
