import { describe, expect, it } from 'vitest';
import { STEP_TIME_BOUNDS_MS, type StepFigures, type TimeCounts } from '../../../protocol/index.js';
import { DURATIONS, stepMetrics } from './step-metrics.js';

/** Times of which `perBound` fell below each bound, as engines send them. */
const times = (
  sumMs: number,
  ...perBound: readonly (readonly [bound: number, count: number])[]
): TimeCounts => {
  const counts = Array<number>(STEP_TIME_BOUNDS_MS.length + 1).fill(0);
  for (const [bound, count] of perBound) counts[bound] = count;
  return { counts, sumMs };
};
const NONE = times(0);

const FIGURES: StepFigures = {
  prefill: { whole: NONE, forward: NONE, rest: NONE },
  decode: { whole: times(500, [3, 2], [35, 1]), forward: times(400, [2, 3]), rest: times(100, [0, 3]) },
  seated: [4, 0, 1],
  joins: 0,
};
const linesOf = (figures: StepFigures, name: string): readonly string[] =>
  stepMetrics(figures)
    .split('\n')
    .filter((line) => line.startsWith(name));

describe('stepMetrics', () => {
  it('has the bounds of the engine', () => {
    expect(DURATIONS.map((seconds) => Number((seconds * 1000).toPrecision(12)))).toEqual(STEP_TIME_BOUNDS_MS);
    expect([DURATIONS[0], DURATIONS.length]).toEqual([0.00015, 35]);
  });

  it('adds buckets up and closes them with the sum in seconds', () => {
    const name = 'tgi_batch_inference_duration';
    const lines = linesOf(FIGURES, name);
    expect(lines[0]).toBe(`${name}_bucket{method="decode",le="0.00015"} 0`);
    expect(lines.slice(3, 5).map((line) => line.split(' ')[1])).toEqual(['2', '2']);
    expect(lines.slice(-3)).toEqual([
      `${name}_bucket{method="decode",le="+Inf"} 3`,
      `${name}_sum{method="decode"} 0.5`,
      `${name}_count{method="decode"} 3`,
    ]);
    expect(lines).toHaveLength(35 + 3);
    expect(linesOf(FIGURES, 'tgi_batch_forward_duration_sum')[0]).toContain(' 0.4');
    expect(linesOf(FIGURES, 'tgi_batch_decode_duration_sum')[0]).toContain(' 0.1');
  });

  it('counts batches by method, and how many requests each took', () => {
    expect(linesOf(FIGURES, 'tgi_batch_inference_count')).toEqual([
      'tgi_batch_inference_count{method="decode"} 3',
    ]);
    const sizes = linesOf(FIGURES, 'tgi_batch_next_size');
    expect(sizes).toHaveLength(1024 + 3);
    expect(sizes.slice(0, 4).map((line) => line.split(' ')[1])).toEqual(['4', '4', '5', '5']);
    expect(sizes.slice(-2)).toEqual(['tgi_batch_next_size_sum 7', 'tgi_batch_next_size_count 5']);
  });

  it('shows nothing of what has not happened', () => {
    const nothing = { ...FIGURES, decode: FIGURES.prefill, seated: [] };
    expect(stepMetrics(nothing)).toBe('');
    expect(stepMetrics(FIGURES)).not.toContain('tgi_batch_concat');
    expect(linesOf({ ...FIGURES, joins: 2 }, 'tgi_batch_concat')).toEqual([
      'tgi_batch_concat{reason="chunking"} 2',
    ]);
  });
});
