import { describe, expect, it } from 'vitest';
import { STEP_TIME_BOUNDS_MS, type TimeCounts } from '../protocol/index.js';
import { StepRecorder } from './step-recorder.js';

/** Bounds that were met, one per time measured; Infinity above all. */
const boundsOf = ({ counts }: TimeCounts): number[] =>
  counts.flatMap((count, i) => Array<number>(count).fill(STEP_TIME_BOUNDS_MS[i] ?? Number.POSITIVE_INFINITY));

describe('StepRecorder', () => {
  it('tells steps with prompt tokens from those that only decode, and the pass from the rest', () => {
    const recorder = new StepRecorder();
    recorder.forward(10, true);
    recorder.end(12, 0, false);
    recorder.forward(0.15, false);
    recorder.end(0.2, 0, false);
    const { prefill, decode } = recorder.figures();
    expect([prefill.whole.sumMs, prefill.forward.sumMs, prefill.rest.sumMs]).toEqual([12, 10, 2]);
    expect(decode.whole.sumMs).toBe(0.2);
    // A bound belongs to what it bounds.
    expect([boundsOf(decode.forward), boundsOf(decode.whole)]).toEqual([[0.15], [0.225]]);
    expect(boundsOf(prefill.forward)[0]).toBeGreaterThan(10);
    expect(boundsOf(prefill.forward)[0]).toBeLessThan(15.1);
  });

  it('counts times above every bound, and none for a turn that computed nothing', () => {
    const recorder = new StepRecorder();
    recorder.forward(1e6, false);
    recorder.end(1e6, 0, false);
    recorder.end(5, 0, false);
    expect(boundsOf(recorder.figures().decode.whole)).toEqual([Number.POSITIVE_INFINITY]);
    expect(boundsOf(recorder.figures().prefill.whole)).toEqual([]);
  });

  it('counts how many were seated at once, and when others ran already', () => {
    const recorder = new StepRecorder();
    recorder.end(1, 3, false);
    recorder.end(1, 1, true);
    recorder.end(1, 3, true);
    recorder.end(1, 0, true);
    expect(recorder.figures()).toMatchObject({ seated: [1, 0, 2], joins: 2 });
  });
});
