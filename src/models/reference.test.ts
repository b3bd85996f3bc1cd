import { describe, expect, it } from 'vitest';
import { parseReference, showReference } from './reference.js';

describe('what a user writes for a model', () => {
  it.each([
    ['hf:org/repo', { kind: 'hub', repo: 'org/repo' }],
    ['hf:org/repo:q4_k_m', { kind: 'hub', repo: 'org/repo', quant: 'Q4_K_M' }],
    ['hf.co/org/repo.GGUF:Q8_0', { kind: 'hub', repo: 'org/repo.GGUF', quant: 'Q8_0' }],
    ['https://huggingface.co/org/repo', { kind: 'hub', repo: 'org/repo' }],
    ['hf:org/repo:sub/a.gguf', { kind: 'hub', repo: 'org/repo', file: 'sub/a.gguf' }],
    ['https://huggingface.co/org/repo/', { kind: 'hub', repo: 'org/repo' }],
    ['https://huggingface.co/org/repo/tree/main', { kind: 'hub', repo: 'org/repo' }],
    [
      'https://huggingface.co/org/repo/resolve/main/a-Q4_0.gguf',
      { kind: 'hub', repo: 'org/repo', file: 'a-Q4_0.gguf' },
    ],
    [
      'https://huggingface.co/org/repo/blob/main/sub/a%20b.GGUF?download=true',
      { kind: 'hub', repo: 'org/repo', file: 'sub/a b.GGUF' },
    ],
    ['hf.co/org/repo/resolve/main/a.gguf', { kind: 'hub', repo: 'org/repo', file: 'a.gguf' }],
    ['http://mirror:8/hub/org/repo/raw/main/a.gguf', { kind: 'hub', repo: 'org/repo', file: 'a.gguf' }],
    ['a.gguf', { kind: 'path', path: '/srv/a.gguf' }],
    ['/m/a.gguf', { kind: 'path', path: '/m/a.gguf' }],
    ['org/repo', { kind: 'path', path: '/srv/org/repo' }],
  ])('%s', (given, expected) => {
    expect(parseReference(given, '/srv', 'http://mirror:8/hub')).toEqual(expected);
  });

  it.each(['hf:repo', 'hf:a/b/c', 'hf:../..', 'hf:a/b:', 'hf:'])('%s is refused', (given) => {
    expect(() => parseReference(given, '/srv')).toThrow(`${given} is not a model`);
  });

  it.each([
    ['https://huggingface.co/a/b/resolve/v2/m.gguf', 'only the revision main can be fetched, not v2'],
    ['https://huggingface.co/a/b/resolve/main/README.md', 'is not the address of a GGUF file'],
    ['https://huggingface.co/a/b/resolve/main/', 'is not the address of a GGUF file'],
    ['https://huggingface.co/a/b/resolve/main/%zz.gguf', 'is not the address of a GGUF file'],
    ['https://huggingface.co/../../resolve/main/m.gguf', 'is not the address of a GGUF file'],
    ['https://example.com/m.gguf', 'is not on https://huggingface.co: download the file'],
  ])('the address %s is refused', (given, reason) => {
    expect(() => parseReference(given, '/srv')).toThrow(reason);
  });

  it('is shown as it would be written', () => {
    expect(showReference(parseReference('hf.co/org/repo:q8_0', '/'))).toBe('hf:org/repo:Q8_0');
  });
});
