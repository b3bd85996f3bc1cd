import { describe, expect, it } from 'vitest';
import { hubId, importFolder, isImportId, parseHubId, storedId } from './ids.js';

describe('the id of a model of the hub', () => {
  it('is made of author, repository and file, and leads back to them', () => {
    const id = hubId('acme/tiny-GGUF', 'sub/tiny F16.gguf');
    expect(id).toBe('acme:tiny-GGUF:sub/tiny F16.gguf');
    expect(parseHubId(id)).toEqual({ repo: 'acme/tiny-GGUF', file: 'sub/tiny F16.gguf' });
    expect(storedId('acme/tiny-GGUF/sub/tiny F16.gguf')).toEqual({
      origin: 'hub',
      id,
      reference: 'hf:acme/tiny-GGUF:sub/tiny F16.gguf',
    });
  });

  it.each(['acme/tiny', 'acme:tiny', 'acme:tiny:Q4_K_M', 'a:b:../x.gguf', '..:b:x.gguf', 'a:..:x.gguf'])(
    'is not %s',
    (id) => expect(parseHubId(id)).toBeUndefined(),
  );
});

describe('the id of an imported model', () => {
  it.each(['tiny', 'tinyllama:1b', 'org/Name-Q4_K_M', 'a.b_c-1'])('can be %s, and is its folder', (id) => {
    expect(isImportId(id)).toBe(true);
    expect(importFolder(id)).not.toMatch(/[/\\:]/);
    expect(storedId(`@imported/${importFolder(id)}/model.gguf`)).toEqual({
      origin: 'imported',
      id,
      reference: id,
    });
  });

  it.each(['', '.hidden', '../up', 'a/../b', 'a//b', 'a/', 'hf:org/repo', 'https://x', 'o:r:f.gguf', 'a b'])(
    'is not %j',
    (id) => expect(isImportId(id)).toBe(false),
  );

  it('is not read off a folder that is none', () => {
    expect(storedId('@imported/%zz/model.gguf')).toBeUndefined();
    expect(storedId('@imported/..%2Fup/model.gguf')).toBeUndefined();
    expect(storedId('acme/model.gguf')).toBeUndefined();
  });
});
