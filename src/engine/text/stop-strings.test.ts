import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StopMatcher, type StopTextRule } from './stop-strings.js';

interface Outcome {
  readonly shown: string;
  readonly matched: string | undefined;
}

function run(pieces: readonly string[], stops: readonly string[], rule: StopTextRule): Outcome {
  const matcher = new StopMatcher(stops, rule);
  let shown = '';
  for (const piece of pieces) {
    shown += matcher.push(piece);
    if (matcher.matched !== undefined) return { shown, matched: matcher.matched };
  }
  return { shown: shown + matcher.flush(), matched: undefined };
}

/** The definition, by trying every end from the left. */
function expected(text: string, stops: readonly string[], rule: StopTextRule): Outcome {
  for (let end = 1; end <= text.length; end++) {
    const [matched] = stops
      .filter((stop) => stop !== '' && text.slice(0, end).endsWith(stop))
      .sort((a, b) => b.length - a.length);
    if (matched !== undefined) {
      return { shown: text.slice(0, rule === 'cut' ? end - matched.length : end), matched };
    }
  }
  return { shown: text, matched: undefined };
}

function cutUp(text: string, cuts: readonly number[]): string[] {
  const places = [0, ...cuts.filter((cut) => cut <= text.length), text.length].sort((a, b) => a - b);
  return places.slice(1).map((to, i) => text.slice(places[i], to));
}

// Few characters, so that stops and near-stops are common.
const letters = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '😀', '😃'), maxLength: 30 });
const stopList = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '\n', '😀', '😃'), maxLength: 4 }), {
  maxLength: 4,
});

describe('StopMatcher', () => {
  it('cuts at a stop that is spread over pieces, and shows no part of it', () => {
    const matcher = new StopMatcher(['</end>'], 'cut');
    expect(['hi <', '/e', 'nd', '> more'].map((piece) => matcher.push(piece))).toEqual(['hi ', '', '', '']);
    expect(matcher.matched).toBe('</end>');
  });

  it('gives back what was held when it does not become a stop', () => {
    const matcher = new StopMatcher(['STOP'], 'cut');
    expect(matcher.push('a ST')).toBe('a ');
    expect(matcher.push('AR')).toBe('STAR');
    expect(matcher.push('STO')).toBe('');
    expect(matcher.flush()).toBe('STO');
    expect(matcher.matched).toBeUndefined();
  });

  it('takes the stop that is complete first, the longest of those that end together', () => {
    expect(run(['xabcd'], ['abcd', 'bc'], 'cut')).toEqual({ shown: 'xa', matched: 'bc' });
    expect(run(['xabc'], ['bc', 'abc', 'c'], 'cut')).toEqual({ shown: 'x', matched: 'abc' });
    expect(run(['x', 'a', 'b', 'c'], ['abc', 'ab'], 'cut')).toEqual({ shown: 'x', matched: 'ab' });
  });

  it('keeps the stop up to its end, or the whole piece', () => {
    expect(run(['one T', 'WO three'], ['TWO'], 'keep-match')).toEqual({ shown: 'one TWO', matched: 'TWO' });
    expect(run(['one T', 'WO three'], ['TWO'], 'keep-piece')).toEqual({
      shown: 'one TWO three',
      matched: 'TWO',
    });
  });

  it('does not hold back what it keeps', () => {
    const matcher = new StopMatcher(['STOP'], 'keep-piece');
    expect(['a ST', 'O', 'P.'].map((piece) => matcher.push(piece))).toEqual(['a ST', 'O', 'P.']);
    expect(matcher.matched).toBe('STOP');
  });

  it('ignores stops that are empty or half a character', () => {
    expect(run(['a😀b'], ['', '\ude00', 'a\ud83d'], 'cut')).toEqual({ shown: 'a😀b', matched: undefined });
  });

  it.each(['cut', 'keep-match'] as const)('finds the same for any pieces (%s)', (rule) => {
    fc.assert(
      fc.property(letters, stopList, fc.array(fc.nat(60)), (text, stops, cuts) => {
        expect(run(cutUp(text, cuts), stops, rule)).toEqual(expected(text, stops, rule));
      }),
      { numRuns: 3000 },
    );
  });

  it('never shows a part of the stop nor half a character', () => {
    fc.assert(
      fc.property(letters, stopList, fc.array(fc.nat(60)), fc.boolean(), (text, stops, cuts, cut) => {
        const rule = cut ? 'cut' : 'keep-match';
        const matcher = new StopMatcher(stops, rule);
        const limit = expected(text, stops, 'cut').shown.length;
        if (!stops.some((stop) => stop !== '')) return;
        let shown = '';
        for (const piece of cutUp(text, cuts)) {
          const part = matcher.push(piece);
          shown += part;
          if (cut) expect(shown.length).toBeLessThanOrEqual(limit);
          expect(/^[\udc00-\udfff]|[\ud800-\udbff]$/.test(part)).toBe(false);
          if (matcher.matched !== undefined) break;
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('holds back only what may still become a stop', () => {
    fc.assert(
      fc.property(letters, stopList, (text, stops) => {
        const matcher = new StopMatcher(stops, 'cut');
        const shown = matcher.push(text);
        if (matcher.matched !== undefined) return;
        const held = text.slice(shown.length);
        expect(held === '' || stops.some((stop) => stop.startsWith(held))).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});
