// What the native room refuses to load, by name and in one line; and the user's own libraries.

import {
  copyFileSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { locateLibraries } from '../../src/native/index.js';
import { DEMO, openModel } from './demo.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'koine-load-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function refusal(open: () => unknown): string {
  try {
    open();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  throw new Error('it was loaded');
}

/** A copy of the demo model after `change`. */
function broken(name: string, change: (path: string) => void): string {
  const path = join(folder, name);
  copyFileSync(DEMO, path);
  change(path);
  return path;
}

function edit(path: string, find: string, replace: string): void {
  const bytes = readFileSync(path);
  const at = bytes.indexOf(find, 0, 'latin1');
  expect(at).toBeGreaterThan(0);
  bytes.write(replace, at, 'latin1');
  writeFileSync(path, bytes);
}

describe('a model file', () => {
  it.each([
    ['cut in the middle of its weights', 'half.gguf', (path: string) => truncateSync(path, 3_000_000)],
    ['cut by a few bytes', 'few.gguf', (path: string) => truncateSync(path, readFileSync(path).length - 64)],
    ['cut within its header', 'header.gguf', (path: string) => truncateSync(path, 1000)],
    ['of another kind', 'other.gguf', (path: string) => writeFileSync(path, 'PK\x03\x04 not a model at all')],
    ['of an unknown architecture', 'arch.gguf', (path: string) => edit(path, 'llama', 'lorem')],
    [
      'without a tensor it needs',
      'tensor.gguf',
      (path: string) => edit(path, 'blk.0.attn_q.weight', 'blk.0.attn_Q.weight'),
    ],
  ])('%s is refused with its name and a reason', (_what, name, change) => {
    const path = broken(name, change);
    const message = refusal(() => openModel({ modelPath: path }));
    expect(message.startsWith(`cannot load ${path}: `)).toBe(true);
    expect(message.length).toBeGreaterThan(`cannot load ${path}: `.length + 5);
    expect(message).not.toContain('\n');
  });

  it('is fine after all that', () => {
    const runner = openModel();
    expect(runner.info.vocabSize).toBe(4608);
    runner.dispose();
  });
});

describe('the user’s own libraries', () => {
  it('are used when they are the pinned release, and named as such', () => {
    const own = join(folder, 'own');
    cpSync(locateLibraries(undefined).dir, own, {
      recursive: true,
      filter: (path) => !basename(path).endsWith('.node'),
    });
    const runner = openModel({ libraryDir: own });
    expect(runner.librarySource).toBe('KOINE_LLAMA_LIB_DIR');
    runner.dispose();
  });

  it('are refused by name when a file of theirs is missing', () => {
    const half = join(folder, 'half');
    cpSync(locateLibraries(undefined).dir, half, {
      recursive: true,
      filter: (path) => !basename(path).includes('ggml-base') && !basename(path).endsWith('.node'),
    });
    expect(refusal(() => openModel({ libraryDir: half }))).toContain(`no libggml-base in ${half}`);
  });

  it('are refused when they are no libraries', () => {
    const fake = mkdtempSync(join(folder, 'fake-'));
    for (const name of ['libggml-base.so', 'libggml.so', 'libllama.so'])
      writeFileSync(join(fake, name), 'text');
    const message = refusal(() => openModel({ libraryDir: fake }));
    expect(message).toContain(fake);
    expect(message).not.toContain('\n');
  });
});
