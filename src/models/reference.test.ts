import { describe, expect, it } from 'vitest';
import { parseReference, showReference } from './reference.js';

describe('what a user writes for a model', () => {
  it.each([
    ['hf:org/repo', { kind: 'hub', repo: 'org/repo' }],
    ['hf:org/repo:q4_k_m', { kind: 'hub', repo: 'org/repo', quant: 'Q4_K_M' }],
    ['hf.co/org/repo.GGUF:Q8_0', { kind: 'hub', repo: 'org/repo.GGUF', quant: 'Q8_0' }],
    ['https://huggingface.co/org/repo', { kind: 'hub', repo: 'org/repo' }],
    ['hf:org/repo:sub/a.gguf', { kind: 'hub', repo: 'org/repo', file: 'sub/a.gguf' }],
    ['a.gguf', { kind: 'path', path: '/srv/a.gguf' }],
    ['/m/a.gguf', { kind: 'path', path: '/m/a.gguf' }],
    ['org/repo', { kind: 'path', path: '/srv/org/repo' }],
  ])('%s', (given, expected) => {
    expect(parseReference(given, '/srv')).toEqual(expected);
  });

  it.each(['hf:repo', 'hf:a/b/c', 'hf:../..', 'hf:a/b:', 'hf:'])('%s is refused', (given) => {
    expect(() => parseReference(given, '/srv')).toThrow(`${given} is not a model`);
  });

  it('is shown as it would be written', () => {
    expect(showReference(parseReference('hf.co/org/repo:q8_0', '/'))).toBe('hf:org/repo:Q8_0');
  });
});
