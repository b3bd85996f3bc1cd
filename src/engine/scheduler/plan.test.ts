import { describe, expect, it } from 'vitest';
import type { RowSpan, Sequence } from '../sequence.js';
import { nextAdapter, planStep, type StepKind } from './plan.js';

interface Shape {
  readonly remaining: number;
  readonly isDecoding?: boolean;
  readonly adapter?: string;
  readonly arrival?: number;
  readonly choice?: number;
  readonly scoresPrompt?: boolean;
  readonly rows?: RowSpan;
  readonly computed?: number;
  readonly generated?: number;
}

/** A plan reads no more of a sequence than this. */
function sequence(shape: Shape): Sequence {
  const { remaining, isDecoding = false, computed = 0, rows } = shape;
  const length = computed + remaining;
  return {
    remaining,
    generated: shape.generated ?? (isDecoding ? 1 : 0),
    work: remaining,
    isDecoding,
    computed,
    length,
    choice: shape.choice ?? 0,
    group: {
      adapter: shape.adapter ?? null,
      arrival: shape.arrival ?? 0,
      output: shape.scoresPrompt === true ? { promptLogprobs: 0 } : {},
    },
    rowSpanAt: (position: number) =>
      rows !== undefined && position >= rows.from && position < rows.to ? rows : undefined,
    nextBorder: (from: number) =>
      rows === undefined || from >= rows.to ? length : from < rows.from ? rows.from : rows.to,
  } as unknown as Sequence;
}

const decoding = sequence({ remaining: 1, isDecoding: true, computed: 9 });
const limits = {
  mostPrefill: () => 64,
  isShort: (_: number) => false,
  efficientChunk: 128,
  prefillBudget: (_: number, _prefilling: number, most: number) => most,
};
const counts = (running: readonly Sequence[], turn: StepKind = 'prefill', how = limits) =>
  planStep(running, null, turn, how).entries.map(({ count }) => count);

describe('the plan of a step', () => {
  it('is the next token of everyone who decodes, or prompts; the other kind is owed', () => {
    const running = [decoding, sequence({ remaining: 100 }), decoding];
    expect(planStep(running, null, 'decode', limits)).toMatchObject({ kind: 'decode', owesOther: true });
    expect(counts(running, 'decode')).toEqual([1, 1]);
    expect(planStep(running, null, 'prefill', limits)).toMatchObject({ kind: 'prefill', owesOther: true });
    expect(counts(running, 'prefill')).toEqual([64]);
  });

  it('is of the other kind when there is nothing of the one', () => {
    expect(planStep([decoding], null, 'prefill', limits)).toMatchObject({ kind: 'decode', owesOther: false });
    const prompt = sequence({ remaining: 5 });
    expect(planStep([prompt], null, 'decode', limits)).toMatchObject({ kind: 'prefill', owesOther: false });
  });

  it('keeps prefill within the budget for so many decodes', () => {
    const asked: number[][] = [];
    const prefillBudget = (decodes: number, prefilling: number, most: number): number => {
      asked.push([decodes, prefilling, most]);
      return 10;
    };
    const running = [decoding, sequence({ remaining: 100 })];
    expect(counts(running, 'prefill', { ...limits, prefillBudget })).toEqual([10]);
    expect(asked).toEqual([[1, 1, 64]]);
  });

  it('has entries in the order of places, shares by arrival', () => {
    const running = [sequence({ remaining: 100, arrival: 2 }), sequence({ remaining: 100, arrival: 1 })];
    expect(counts(running)).toEqual([0, 64].filter(Boolean));
    expect(planStep(running, null, 'prefill', limits).entries[0]?.sequence).toBe(running[1]);
  });

  it('does not let prompts that come together all end together', () => {
    const prompts = [1, 2, 3, 4].map((arrival) => sequence({ remaining: 20, arrival }));
    expect(counts(prompts, 'prefill', { ...limits, efficientChunk: 32 })).toEqual([20, 20]);
    expect(
      counts([sequence({ remaining: 60, arrival: 1 }), ...prompts], 'prefill', {
        ...limits,
        efficientChunk: 32,
      }),
    ).toEqual([60]);
    expect(counts(prompts.slice(0, 1), 'prefill', { ...limits, efficientChunk: 8 })).toEqual([20]);
  });

  it('is as full as it can be while many prompts wait', () => {
    const prompts = Array.from({ length: 16 }, (_, arrival) => sequence({ remaining: 16, arrival }));
    expect(counts(prompts, 'prefill', { ...limits, efficientChunk: 32 })).toEqual([16, 16, 16, 16]);
    expect(counts(prompts.slice(0, 9), 'prefill', { ...limits, efficientChunk: 32 })).toEqual([16, 16, 16]);
  });

  it('takes a short prompt whole, whatever the budget', () => {
    const how = { ...limits, prefillBudget: () => 5, isShort: (tokens: number) => tokens <= 40 };
    expect(counts([decoding, sequence({ remaining: 30 })], 'prefill', how)).toEqual([30]);
    expect(counts([decoding, sequence({ remaining: 50 })], 'prefill', how)).toEqual([5]);
  });

  it('computes forced tokens one by one beside others, together when that saves more steps than it costs', () => {
    const forced = (remaining: number) => sequence({ remaining, generated: remaining, computed: 9 });
    expect(counts([forced(5)])).toEqual([5]);
    expect(counts([decoding, forced(2)], 'decode')).toEqual([1, 1]);
    expect(planStep([decoding, forced(2)], null, 'prefill', limits)).toMatchObject({ kind: 'decode' });
    expect(counts([decoding, forced(3)], 'decode')).toEqual([1]);
    expect(counts([decoding, forced(3)], 'prefill')).toEqual([3]);
    expect(counts([decoding, decoding, forced(4), forced(3)], 'decode')).toEqual([1, 1, 1, 1]);
    // A prompt is not forced, however short.
    expect(counts([decoding, sequence({ remaining: 2, computed: 9 })])).toEqual([2]);
  });

  it('has nothing of a sequence whose next token is not known yet', () => {
    const late = sequence({ remaining: 0, generated: 3, computed: 9 });
    expect(counts([decoding, late], 'decode')).toEqual([1]);
    expect(planStep([decoding, late], null, 'decode', limits).owesOther).toBe(false);
    expect(planStep([late], null, 'decode', limits).entries).toEqual([]);
  });

  it('takes prompts whose scores are reported in small chunks', () => {
    expect(counts([sequence({ remaining: 100, scoresPrompt: true })])).toEqual([32]);
  });

  it('stops a chunk where tokens change to rows, and back', () => {
    const rows = { from: 10, to: 30, rows: new Float32Array(0) };
    const at = (computed: number) =>
      planStep([sequence({ remaining: 40 - computed, computed, rows })], null, 'prefill', limits);
    expect(at(0).entries[0]).toMatchObject({ from: 0, count: 10, isRows: false });
    expect(at(10).entries[0]).toMatchObject({ from: 10, count: 20, isRows: true });
    expect(at(15).entries[0]).toMatchObject({ from: 15, count: 15, isRows: true });
    expect(at(30).entries[0]).toMatchObject({ from: 30, count: 10, isRows: false });
  });

  it('is of one adapter', () => {
    const running = [sequence({ remaining: 5, adapter: 'a' }), decoding];
    expect(planStep(running, 'a', 'decode', limits).entries.map(({ count }) => count)).toEqual([5]);
    expect(counts(running, 'decode')).toEqual([1]);
  });
});

describe('whose adapter it is', () => {
  const of = (...names: (string | undefined)[]) =>
    names.map((adapter) => sequence({ remaining: 1, ...(adapter === undefined ? {} : { adapter }) }));

  it('stays while there is no other', () => {
    expect(nextAdapter(of('a', 'a'), 'a')).toBe('a');
    expect(nextAdapter(of(undefined), 'a')).toBeNull();
  });

  it('goes round among those that run', () => {
    const running = of('b', undefined, 'a');
    expect(nextAdapter(running, null)).toBe('a');
    expect(nextAdapter(running, 'a')).toBe('b');
    expect(nextAdapter(running, 'b')).toBeNull();
    expect(nextAdapter(running, 'gone')).toBeNull();
  });
});
