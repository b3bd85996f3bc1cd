import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFakeRunner } from '../../test/support/fake-runner.js';
import { TextBounds } from './text-bounds.js';

const runner = createFakeRunner();
const bounds = new TextBounds(runner);
const pieces = fc.constantFrom('a', 'the ', ' ', 'é', '🦉', '<|user|>', '<bos>', '<|us', 'stop', '\n');
const texts = fc.array(pieces, { maxLength: 60 }).map((all) => all.join(''));

describe('the fewest tokens of a text', () => {
  it('are never more than it has, and none where it can have no more than the limit', () => {
    fc.assert(
      fc.property(texts, fc.boolean(), fc.integer({ min: 0, max: 80 }), (text, parseSpecial, limit) => {
        const count = runner.tokenize(text, false, parseSpecial).length;
        expect(bounds.fewest(text, parseSpecial, limit)).toBeLessThanOrEqual(count);
        if (text.length <= limit) expect(count).toBeLessThanOrEqual(Buffer.byteLength(text));
      }),
    );
  });

  it('are its markers where these are read, and follow from its length where they are not', () => {
    const text = '<|user|>'.repeat(100);
    expect(bounds.fewest(text, true, 70)).toBe(100);
    expect(bounds.fewest(text, false, 50)).toBeLessThan(runner.tokenize(text, false, false).length + 1);
    expect(bounds.fewest('x'.repeat(100_000), false, 50)).toBeGreaterThan(1000);
    expect(bounds.fewest('short', true, 50)).toBe(0);
  });
});

describe('the end of a text', () => {
  it('has the same last tokens', () => {
    fc.assert(
      fc.property(texts, fc.boolean(), fc.integer({ min: 1, max: 20 }), (text, parseSpecial, count) => {
        const whole = runner.tokenize(text, false, parseSpecial);
        const end = runner.tokenize(bounds.end(text, parseSpecial, count), false, parseSpecial);
        expect(end.slice(-count)).toEqual(whole.slice(-count));
      }),
    );
  });

  it('is short, however long the text', () => {
    expect(bounds.end('<|user|>'.repeat(100_000), true, 10).length).toBeLessThan(100);
    expect(bounds.end('x'.repeat(1_000_000), false, 10).length).toBeLessThan(5000);
  });
});
