// The few order statistics every figure rests on.

import { describe, expect, it } from 'vitest';
import { median, quantile } from './stats.js';

describe('quantile', () => {
  it('lies between neighbours and does not depend on order', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(quantile([0, 10], 0.95)).toBeCloseTo(9.5);
    expect(quantile([5], 0.95)).toBe(5);
    expect(median([])).toBeNaN();
  });
});
