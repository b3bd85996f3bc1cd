import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planMove } from './compaction.js';

describe('compaction', () => {
  it('leaves places without a gap alone, wherever they lie', () => {
    expect(planMove([], 8)).toBeUndefined();
    expect(planMove([5], 8)).toBeUndefined();
    expect(planMove([3, 4, 5], 8)).toBeUndefined();
  });

  it('moves the farthest sequence to an end of the longest row', () => {
    expect(planMove([0, 1, 2, 6], 8)).toEqual({ from: 6, to: 3 });
    expect(planMove([0, 4, 5, 6], 8)).toEqual({ from: 0, to: 3 });
    expect(planMove([0, 1, 3, 4, 5, 7], 8)).toEqual({ from: 7, to: 6 });
  });

  it('closes every gap in fewer moves than there are sequences', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 0, max: 31 }), { maxLength: 32 }), (chosen) => {
        let running = [...chosen].sort((a, b) => a - b);
        for (let moves = 0; ; moves++) {
          const move = planMove(running, 32);
          if (move === undefined) break;
          expect(running).toContain(move.from);
          expect(running).not.toContain(move.to);
          expect(moves).toBeLessThan(chosen.length);
          running = [...running.filter((place) => place !== move.from), move.to].sort((a, b) => a - b);
        }
        const [first = 0] = running;
        expect(running).toEqual(running.map((_, i) => first + i));
      }),
    );
  });
});
