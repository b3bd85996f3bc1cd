import { describe, expect, it } from 'vitest';
import { phrase, phrases, say } from './phrase.js';
import { createRandom } from './random.js';

describe('phrases', () => {
  it('picks alternatives, nested too, and fills slots', () => {
    const random = createRandom(1);
    const wordings = phrases('[Say|Tell [me|us]] {x}[.|]');
    const said = new Set(Array.from({ length: 300 }, () => say(random, wordings, { x: 7 })));
    expect([...said].sort()).toEqual([
      'Say 7',
      'Say 7.',
      'Tell me 7',
      'Tell me 7.',
      'Tell us 7',
      'Tell us 7.',
    ]);
  });

  it('refuses unbalanced brackets and missing slots', () => {
    expect(() => phrase('[a|b')).toThrow('unclosed');
    expect(() => phrase('a]')).not.toThrow();
    expect(() => say(createRandom(1), [phrase('{x}')])).toThrow('{x}');
  });
});
