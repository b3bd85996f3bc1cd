import { describe, expect, it } from 'vitest';
import { isModelName, partsOf, quantOf, shortName } from './split-files.js';

describe('names of GGUF files', () => {
  it.each([
    ['model.gguf', true],
    ['sub/model-Q4_K_M.GGUF', true],
    ['big-00001-of-00003.gguf', true],
    ['big-00002-of-00003.gguf', false],
    ['mmproj-model-f16.gguf', false],
    ['model.imatrix.gguf', false],
    ['model.safetensors', false],
    ['my-lora.gguf', false],
    ['vocab-check/explorer.gguf', true],
  ])('%s is a model: %s', (name, expected) => {
    expect(isModelName(name)).toBe(expected);
  });

  it.each([
    ['Qwen2.5-0.5B-Instruct-Q4_K_M.gguf', 'Q4_K_M'],
    ['qwen2.5-0.5b-instruct-q8_0.gguf', 'Q8_0'],
    ['Model.i1-IQ3_XXS.gguf', 'IQ3_XXS'],
    ['gemma-UD-Q4_K_XL.gguf', 'UD-Q4_K_XL'],
    ['big-BF16-00001-of-00002.gguf', 'BF16'],
    ['gpt-oss-20b-mxfp4.gguf', 'MXFP4'],
    ['Q8_0/model-Q6_K.gguf', 'Q6_K'],
    ['koine.gguf', undefined],
  ])('%s states %s', (name, expected) => {
    expect(quantOf(name)).toBe(expected);
  });

  it('lists the parts of a split model', () => {
    expect(partsOf('/m/a-00001-of-00003.gguf', 3)).toEqual([
      '/m/a-00001-of-00003.gguf',
      '/m/a-00002-of-00003.gguf',
      '/m/a-00003-of-00003.gguf',
    ]);
    expect(partsOf('/m/a.gguf', 1)).toEqual(['/m/a.gguf']);
  });

  it('shortens names', () => {
    expect(shortName('/m/Big-Q4_0-00001-of-00003.gguf')).toBe('Big-Q4_0');
    expect(shortName('small.GGUF')).toBe('small');
  });
});
