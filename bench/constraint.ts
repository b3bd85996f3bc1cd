// What a schema costs: decoding under one over decoding without, at a vocabulary of 150,000 tokens; and, apart from
// that, the time to compile it and to say which tokens may come next.

import { setTimeout as sleep } from 'node:timers/promises';
import { createConstraintHost, type Matcher } from '../src/engine/constraint/index.js';
import type { ManagedEngine } from '../src/engine/index.js';
import type { Constraint } from '../src/protocol/index.js';
import { generate, inventVocabulary, mulberry } from '../test/property/constraint-support.js';
import { openEngine, run, USUAL_SAMPLING } from './lib/engines.js';
import { isPreset, type Preset } from './lib/model-presets.js';
import { generatedModel } from './lib/models.js';
import { percent, quietest, waitForQuiet, withNoise } from './lib/noise.js';
import { promptTokens } from './lib/prompts.js';
import { type BenchResult, bench, type Cell, type Verdict } from './lib/report.js';
import { median, quantile } from './lib/stats.js';

const ROUNDS = 7;
/** How long each rate is taken, and how long the streams run before. Milliseconds. */
const TAKE_MS = 4000;
const SETTLE_MS = 500;
const NEW_TOKENS = 200;
const VOCABULARY = 151_936;

/** A schema whose values are arrays long enough not to end within a run. */
function schemaOf(items: object): Constraint {
  const schema = { type: 'array', minItems: 200, items };
  return { kind: 'json-schema', schema, strict: true, whitespace: 'single' };
}

/** Short values behind long names, as extraction has them. */
const RECORD = schemaOf({
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 3, maxLength: 24 },
    age: { type: 'integer', minimum: 0, maximum: 120 },
    status: { enum: ['active', 'suspended', 'closed'] },
    tags: { type: 'array', items: { type: 'string', maxLength: 12 }, maxItems: 3 },
    address: {
      type: 'object',
      properties: {
        street: { type: 'string', maxLength: 40 },
        zip: { type: 'string', pattern: '^[0-9]{5}$' },
      },
      required: ['street', 'zip'],
      additionalProperties: false,
    },
    verified: { type: 'boolean' },
  },
  required: ['name', 'age', 'status', 'tags', 'address', 'verified'],
  additionalProperties: false,
});
/** Nothing but text: almost every token is allowed and nothing is forced. */
const TEXT = schemaOf({ type: 'string', minLength: 200 });

const SCHEMAS = { record: RECORD, text: TEXT } as const;

interface Side {
  readonly constraint?: Constraint;
  readonly wantsLogprobs?: boolean;
}

/** What is compared with what. Where log-probabilities are wanted forced tokens are taken one by one, each with its own. */
const COMPARISONS: readonly { readonly name: string; readonly plain: Side; readonly ruled: Side }[] = [
  { name: 'record', plain: {}, ruled: { constraint: RECORD } },
  { name: 'text', plain: {}, ruled: { constraint: TEXT } },
  {
    name: 'record, scored',
    plain: { wantsLogprobs: true },
    ruled: { constraint: RECORD, wantsLogprobs: true },
  },
];

/** Tokens per second of so many streams, each one request after the other. */
async function rate(engine: ManagedEngine, streams: number, side: Side): Promise<number> {
  const stop = new AbortController();
  let tokens = 0;
  const stream = async (seed: number): Promise<void> => {
    for (let round = 0; !stop.signal.aborted; round++) {
      const options = {
        ...side,
        prompt: promptTokens(8, seed * 10_000 + round),
        newTokens: NEW_TOKENS,
        sampling: USUAL_SAMPLING,
        seed: seed * 10_000 + round,
        usePrefixCache: false,
        wantsTokens: true,
        signal: stop.signal,
        onText: (count: number) => {
          tokens += count;
        },
      };
      // Its end may be the abort below; anything else is a fault.
      await run(engine, options).catch((error: unknown) => {
        if (!stop.signal.aborted) throw error;
      });
    }
  };
  const running = Promise.all(Array.from({ length: streams }, (_, i) => stream(i)));
  await Promise.race([running, sleep(SETTLE_MS)]);
  const before = tokens;
  const from = performance.now();
  await Promise.race([running, sleep(TAKE_MS)]);
  const taken = ((tokens - before) * 1000) / (performance.now() - from);
  stop.abort();
  await running;
  return taken;
}

interface Outcome {
  readonly plain: number;
  readonly ruled: number;
  readonly ratio: number;
  readonly foreign: number;
}

async function compare(
  engine: ManagedEngine,
  streams: number,
  { plain, ruled }: { readonly plain: Side; readonly ruled: Side },
): Promise<Outcome> {
  const rounds: Outcome[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await waitForQuiet();
    const { value, foreign } = await withNoise(async () => {
      const rates = { plain: 0, ruled: 0 };
      const order = ['plain', 'ruled'] as const;
      for (const side of round % 2 === 0 ? order : [...order].reverse()) {
        rates[side] = await rate(engine, streams, side === 'plain' ? plain : ruled);
      }
      return rates;
    });
    rounds.push({ ...value, ratio: value.ruled / value.plain, foreign });
  }
  const counted = quietest(rounds);
  const middle = (of: (round: Outcome) => number): number => median(counted.map(of));
  return {
    plain: middle((round) => round.plain),
    ruled: middle((round) => round.ruled),
    ratio: middle((round) => round.ratio),
    foreign: middle((round) => round.foreign),
  };
}

/** Milliseconds to the first token: without a rule, with one that is new, and with the same one again. */
async function firstTokens(engine: ManagedEngine, constraint: Constraint): Promise<readonly number[]> {
  const times: number[] = [];
  for (const rule of [undefined, constraint, constraint]) {
    const { firstMs, sentMs } = await run(engine, {
      prompt: promptTokens(8, times.length),
      newTokens: 2,
      sampling: USUAL_SAMPLING,
      ...(rule === undefined ? {} : { constraint: rule }),
    });
    times.push(firstMs - sentMs);
  }
  return times;
}

interface Pace {
  /** Milliseconds of the compilation, the worker running already. */
  readonly compileMs: number;
  /** Milliseconds from a token to the mask behind it. */
  readonly maskMs: readonly number[];
}

/** The compiler by itself, in this process, over a made-up vocabulary. */
async function paceOf(constraint: Constraint): Promise<Pace> {
  const tokens = inventVocabulary(VOCABULARY);
  const host = createConstraintHost({ tokens, eogTokens: tokens.eogTokens, maxWorkers: 1 });
  try {
    await host.prepare();
    const begun = performance.now();
    const outcome = await host.compile(constraint);
    const compileMs = performance.now() - begun;
    if (outcome.kind !== 'compiled') throw new Error(outcome.reason);
    const matcher = outcome.constraint.createMatcher();
    const maskMs: number[] = [];
    let posted = performance.now();
    const timed: Matcher = {
      ...matcher,
      accept: (taken) => {
        posted = performance.now();
        matcher.accept(taken);
      },
      mask: (waitMs) => {
        const mask = matcher.mask(waitMs);
        maskMs.push(performance.now() - posted);
        return mask;
      },
    };
    generate(tokens, timed, mulberry(1), { limit: NEW_TOKENS, calm: NEW_TOKENS });
    matcher.dispose();
    outcome.constraint.release();
    return { compileMs, maskMs };
  } finally {
    host.dispose();
  }
}

async function ratesOf(preset: Preset): Promise<{ rows: Cell[][]; verdicts: Verdict[]; firsts: Cell[][] }> {
  const rows: Cell[][] = [];
  const verdicts: Verdict[] = [];
  const firsts: Cell[][] = [];
  for (const streams of [1, 8]) {
    await using opened = await openEngine({ modelPath: generatedModel(preset), parallel: streams });
    const { engine } = opened;
    for (const [name, constraint] of Object.entries(SCHEMAS)) {
      const times = await firstTokens(engine, constraint);
      if (streams === 1) firsts.push([name, ...times]);
    }
    for (const { name, ...sides } of COMPARISONS) {
      const { plain, ruled, ratio, foreign } = await compare(engine, streams, sides);
      const goal = `${name}, ${streams} ${streams === 1 ? 'stream' : 'streams'}`;
      rows.push([goal, plain, ruled, ratio, percent(foreign)]);
      verdicts.push({ goal: `${goal}: with over without`, measured: ratio, limit: 0.95, better: 'higher' });
      console.error(
        `${goal}: ${ruled.toFixed(1)} / ${plain.toFixed(1)} = ${ratio.toFixed(3)}, others ${percent(foreign)}`,
      );
    }
  }
  return { rows, verdicts, firsts };
}

async function constraint([preset = '0.5b-q4_0']: readonly string[]): Promise<BenchResult> {
  if (!isPreset(preset)) throw new Error(`there is no preset ${preset}`);
  const paces: Cell[][] = [];
  for (const [name, rule] of Object.entries(SCHEMAS)) {
    await waitForQuiet();
    const { value, foreign } = await withNoise(() => paceOf(rule));
    const { compileMs, maskMs } = value;
    paces.push([
      name,
      compileMs,
      median(maskMs),
      quantile(maskMs, 0.95),
      Math.max(...maskMs.slice(1)),
      percent(foreign),
    ]);
  }
  const { rows, verdicts, firsts } = await ratesOf(preset);
  return {
    tables: [
      {
        title: `Decoding under a schema, ${preset}, tokens per second`,
        columns: ['schema, streams', 'without', 'with', 'ratio', 'others used'],
        rows,
        notes: [
          `random weights; temperature 0.8, top_p 0.95, top_k 40; requests of ${NEW_TOKENS} tokens one after the other, ${TAKE_MS / 1000} s a side; medians of up to ${ROUNDS} rounds taken in turn`,
          'record: objects with short strings, numbers, choices and lists, whose names are forced; text: long strings, nothing forced',
          'scored: log-probabilities are asked for on both sides, so that forced tokens are computed one by one',
        ],
      },
      {
        title: 'First token of a request, milliseconds',
        columns: ['schema', 'without', 'new schema', 'same schema again'],
        rows: firsts,
        notes: ['a new schema is compiled first; the first one also starts the compiler'],
      },
      {
        title: `The compiler alone, ${VOCABULARY.toLocaleString('en')} tokens, milliseconds`,
        columns: ['schema', 'compile', 'mask, median', 'mask, p95', 'longest', 'others used'],
        rows: paces,
        notes: ['from a token to the mask behind it, in another thread; it runs while the model computes'],
      },
    ],
    verdicts,
  };
}

await bench('constraint', constraint);
