import { describe, expect, it } from 'vitest';
import { chooseFiles, showBytes } from './choose-file.js';

const files = (...paths: string[]) => paths.map((path) => ({ path, sizeBytes: 5e9 }));
const choose = (list: string[], wish = {}) =>
  chooseFiles('hf:o/r', files(...list), wish).map((file) => file.path);

describe('choosing a file of a repository', () => {
  it('prefers Q4_K_M, then Q8_0, then the first model', () => {
    expect(choose(['a-Q8_0.gguf', 'a-Q4_K_M.gguf', 'a-Q2_K.gguf'])).toEqual(['a-Q4_K_M.gguf']);
    expect(choose(['a-Q2_K.gguf', 'a-Q8_0.gguf'])).toEqual(['a-Q8_0.gguf']);
    expect(choose(['mmproj-f16.gguf', 'b-Q3_K_M.gguf', 'b-Q2_K.gguf', 'README.md'])).toEqual(['b-Q2_K.gguf']);
  });

  it('takes the quantisation asked for, whatever the case of the name', () => {
    expect(choose(['a-q5_k_m.gguf', 'a-q4_k_m.gguf'], { quant: 'Q5_K_M' })).toEqual(['a-q5_k_m.gguf']);
  });

  it('never substitutes one that is absent', () => {
    expect(() => choose(['a-Q8_0.gguf'], { quant: 'Q5_K_M' })).toThrow(
      'hf:o/r has no Q5_K_M; it has a-Q8_0.gguf (5.00 GB).',
    );
  });

  it('takes all parts of a split model, and refuses when one is missing', () => {
    const split = ['x/a-Q4_K_M-00001-of-00002.gguf', 'x/a-Q4_K_M-00002-of-00002.gguf'];
    expect(choose(split)).toEqual(split);
    expect(() => choose(split.slice(0, 1))).toThrow('lacks the part x/a-Q4_K_M-00002-of-00002.gguf');
  });

  it('lists the candidates when several fit', () => {
    expect(() => choose(['a-Q4_K_M.gguf', 'b-Q4_K_M.gguf'])).toThrow(
      'several files for Q4_K_M: a-Q4_K_M.gguf (5.00 GB), b-',
    );
  });

  it('takes an exact file, and says what there is when it is absent', () => {
    expect(choose(['a.gguf', 'mmproj.gguf'], { file: 'mmproj.gguf' })).toEqual(['mmproj.gguf']);
    expect(() => choose(['a.gguf'], { file: 'b.gguf' })).toThrow('hf:o/r has no file b.gguf; it has a.gguf');
    expect(() => choose(['README.md'])).toThrow('hf:o/r has no GGUF model.');
  });

  it('shows sizes in decimal units', () => {
    expect([0, 999, 1000, 5_959_872, 4.2e12].map(showBytes)).toEqual([
      '0 B',
      '999 B',
      '1.00 kB',
      '5.96 MB',
      '4.20 TB',
    ]);
  });
});
