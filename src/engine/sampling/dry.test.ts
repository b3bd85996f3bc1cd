import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DryParams } from '../../protocol/index.js';
import { Dry } from './dry.js';
import { createSamplerWorkspace } from './workspace.js';

const TEXTS = ['a', 'b', 'c', '\n', 'x"', '"y', '\r', 'd'];
const bytesOf = (token: number) => new TextEncoder().encode(TEXTS[token]);
const workspace = createSamplerWorkspace(TEXTS.length);
const OPEN: DryParams = { multiplier: 1, base: 2, allowedLength: 2, window: -1, breakers: [] };

function penaltiesOf(params: DryParams, tokens: readonly number[]): number[] {
  const row = new Float32Array(TEXTS.length);
  new Dry(params, Int32Array.from(tokens), bytesOf).apply(row, workspace);
  return Array.from(row, (value) => 0 - value);
}

/** By trying every earlier place and every length. Breakers of one character only. */
function expected(params: DryParams, tokens: readonly number[]): number[] {
  const seen = params.window < 0 ? tokens : tokens.slice(Math.max(0, tokens.length - params.window));
  const isBreak = (token: number) => params.breakers.some((text) => TEXTS[token]!.includes(text));
  const longest = new Map<number, number>();
  for (let place = 1; place < seen.length; place++) {
    let run = 0;
    while (
      run < place &&
      seen[place - 1 - run] === seen[seen.length - 1 - run] &&
      !isBreak(seen[place - 1 - run]!)
    ) {
      run++;
    }
    const token = seen[place]!;
    if (run >= Math.max(1, params.allowedLength) && !isBreak(token)) {
      longest.set(token, Math.max(run, longest.get(token) ?? 0));
    }
  }
  return TEXTS.map((_, token) => {
    const run = longest.get(token);
    return run === undefined ? 0 : params.multiplier * params.base ** (run - params.allowedLength);
  });
}

describe('Dry', () => {
  it('penalises what would prolong a run, more for a longer one', () => {
    expect(penaltiesOf(OPEN, [0, 1, 2, 0, 1])[2]).toBe(1);
    expect(penaltiesOf(OPEN, [7, 0, 1, 2, 7, 0, 1])[2]).toBe(2);
    expect(penaltiesOf(OPEN, [0, 2, 1])).toEqual(new Array(TEXTS.length).fill(0));
  });

  it('does not reach across a breaker, be it a token, a part of one, or spread over two', () => {
    expect(penaltiesOf({ ...OPEN, breakers: ['\n'] }, [0, 3, 2, 0, 3])[2]).toBe(0);
    expect(penaltiesOf({ ...OPEN, breakers: ['"'] }, [0, 4, 1, 2, 0, 4, 1])[2]).toBe(0);
    expect(penaltiesOf({ ...OPEN, breakers: ['ab'] }, [0, 1, 2, 0, 1])[2]).toBe(0);
    expect(penaltiesOf({ ...OPEN, breakers: ['cb'] }, [0, 1, 2, 0, 1])[2]).toBe(1);
  });

  it('takes a place without a token, as embedded images have, for a breaker', () => {
    expect(penaltiesOf(OPEN, [0, -1, 1, 2, 0, -1, 1])[2]).toBe(0);
  });

  it('equals trying every place', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(3), { maxLength: 60 }),
        fc.constantFrom(-1, 0, 7, 20),
        fc.constantFrom(1, 2, 4),
        fc.constantFrom<readonly string[]>([], ['\n'], ['b', '\n']),
        (tokens, window, allowedLength, breakers) => {
          const params = { ...OPEN, base: 1.5, window, allowedLength, breakers };
          const found = penaltiesOf(params, tokens);
          // Rows are 32-bit floats, so long runs differ in their last digits.
          for (const [token, value] of expected(params, tokens).entries()) {
            expect(Math.abs(found[token]! - value)).toBeLessThanOrEqual(value * 1e-6);
          }
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('stays finite and leaves its scratch clean', () => {
    const found = penaltiesOf({ ...OPEN, base: 10 }, new Array<number>(700).fill(0));
    expect(found[0]).toBeCloseTo(1e30, -26);
    expect(workspace.marks.every((mark) => mark === 0)).toBe(true);
  });
});
