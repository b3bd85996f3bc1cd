import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findLibrary, listCandidates, locateLibraries, packageNames } from './locate.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'koine-lib-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the folder of the libraries', () => {
  it('is the user’s own when it has them, and nothing else is looked at', () => {
    writeFileSync(join(folder, 'libllama.so'), '');
    expect(locateLibraries(folder)).toEqual({ source: 'KOINE_LLAMA_LIB_DIR', dir: folder });
    expect(listCandidates(folder)).toHaveLength(1);
  });

  it('is refused by name when the user’s own has none, or is not there', () => {
    expect(() => locateLibraries(folder)).toThrow(`KOINE_LLAMA_LIB_DIR: no llama.cpp library in ${folder}`);
    expect(() => locateLibraries(join(folder, 'missing'))).toThrow('KOINE_LLAMA_LIB_DIR');
    writeFileSync(join(folder, 'libllama-common.so'), '');
    expect(() => locateLibraries(folder)).toThrow('KOINE_LLAMA_LIB_DIR');
  });

  it('is a package of this machine otherwise', () => {
    const { source, dir } = locateLibraries(undefined);
    expect(packageNames()).toContain(source);
    expect(findLibrary(dir, 'llama')).toBeDefined();
    expect(findLibrary(dir, 'ggml-base')).toBeDefined();
  });
});

describe('packages', () => {
  it('are looked for best first, those with a GPU before the plain one', () => {
    expect(packageNames('linux', 'x64')).toEqual([
      '@node-llama-cpp/linux-x64-cuda',
      '@node-llama-cpp/linux-x64-vulkan',
      '@node-llama-cpp/linux-x64',
    ]);
    expect(packageNames('darwin', 'arm64')).toEqual(['@node-llama-cpp/mac-arm64-metal']);
    expect(packageNames('sunos', 'sparc')).toEqual([]);
  });
});

describe('names of library files', () => {
  it.each(['libllama.so', 'libllama.v0.5.0.so', 'libllama.dylib', 'llama.dll'])('%s is one', (name) => {
    writeFileSync(join(folder, name), '');
    expect(findLibrary(folder, 'llama')).toBe(join(folder, name));
  });

  it.each(['libllama-common.so', 'libllama.so.txt', 'llama.py', 'xlibllama.so'])('%s is none', (name) => {
    writeFileSync(join(folder, name), '');
    expect(findLibrary(folder, 'llama')).toBeUndefined();
  });
});
