import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFakeRunner } from '../../test/support/fake-runner.js';
import { TextBounds } from './text-bounds.js';

const runner = createFakeRunner();
const bounds = new TextBounds(runner);
const pieces = fc.constantFrom('a', 'the ', ' ', 'é', '🦉', '<|user|>', '<bos>', '<|us', 'stop', '\n');
const texts = fc.array(pieces, { maxLength: 60 }).map((all) => all.join(''));

const limits = fc.record({
  limit: fc.integer({ min: 0, max: 80 }),
  markers: fc.integer({ min: 0, max: 80 }),
});

describe('the fewest tokens of a text', () => {
  it('are never more than it has, and told only where they are over a limit', () => {
    fc.assert(
      fc.property(texts, fc.boolean(), limits, (text, parseSpecial, most) => {
        const count = runner.tokenize(text, false, parseSpecial).length;
        const fewest = bounds.fewest(text, parseSpecial, most);
        expect(fewest ?? 0).toBeLessThanOrEqual(count);
        expect(fewest ?? Number.POSITIVE_INFINITY).toBeGreaterThan(Math.min(most.limit, most.markers));
      }),
    );
  });

  it('are its markers where these are read, and follow from its length', () => {
    const text = '<|user|>'.repeat(100);
    expect(bounds.fewest(text, true, { limit: 200, markers: 99 })).toBe(100);
    expect(bounds.fewest(text, true, { limit: 200, markers: 100 })).toBeUndefined();
    expect(bounds.fewest(text, false, { limit: 200, markers: 99 })).toBeUndefined();
    expect(bounds.fewest('x'.repeat(100_000), false, { limit: 50, markers: 50 })).toBeGreaterThan(1000);
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

describe('names of control tokens', () => {
  it.each(['<end-of-turn>', '[INST]', '<|a|b|>', '</s>', '$^.*+?(){}\\', '｜ends▁here｜'])(
    'are found as they are: %s',
    (name) => {
      const bytes = Buffer.from(name);
      const named = Object.assign(Object.create(runner) as typeof runner, {
        tokenBytes: (token: number) => (token === 0 ? bytes : runner.tokenBytes(token)),
        isControl: (token: number) => token === 0,
      });
      const text = `x${name}`.repeat(50);
      expect(new TextBounds(named).fewest(text, true, { limit: 1000, markers: 49 })).toBe(50);
    },
  );
});
