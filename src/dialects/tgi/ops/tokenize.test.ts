import { describe, expect, it } from 'vitest';
import { spansJson } from './tokenize.js';

const span = (id: number, start: number, stop: number) => ({ id, start, stop, text: '?', special: false });

describe('spansJson', () => {
  it('shows every token with the characters it is part of', () => {
    const json = spansJson('aé😀', [
      span(1, 0, 0),
      span(2, 0, 2),
      span(3, 2, 3),
      span(4, 3, 5),
      span(5, 5, 7),
    ]);
    expect(JSON.parse(json)).toEqual([
      { id: 1, text: '', start: 0, stop: 0 },
      { id: 2, text: 'aé', start: 0, stop: 3 },
      { id: 3, text: 'é', start: 1, stop: 3 },
      { id: 4, text: '😀', start: 3, stop: 7 },
      { id: 5, text: '😀', start: 3, stop: 7 },
    ]);
  });
});
