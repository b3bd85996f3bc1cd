import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { float32 } from './float32.js';

describe('float32', () => {
  it('prints the fewest digits that read back', () => {
    expect(float32(-2.583984375)).toBe('-2.5839844');
    expect(float32(-0.5625)).toBe('-0.5625');
    expect(float32(-1)).toBe('-1.0');
    expect(float32(0.1)).toBe('0.1');
    expect(float32(16777216)).toBe('16777216.0');
  });

  it('uses an exponent only far from one', () => {
    expect(float32(1e-6)).toBe('0.000001');
    expect(float32(1.5e-7)).toBe('1.5e-7');
    expect(float32(1e13)).toBe('1e13');
    expect(float32(0)).toBe('0.0');
    expect(float32(-0)).toBe('-0.0');
  });

  it('prints what JSON cannot hold as null', () => {
    for (const value of [null, Number.NaN, -Infinity, 1e39]) expect(float32(value)).toBe('null');
  });

  it('reads back to the same float for any float', () => {
    fc.assert(
      fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(Math.fround(Number(float32(value)))).toBe(value);
      }),
    );
  });
});
