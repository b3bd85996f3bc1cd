import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ImportWish, importModel } from './import-model.js';
import { findNamed, nameStored } from './names.js';
import { resolveFile } from './resolve.js';
import { listStored, removeModel } from './store.js';

const content = readFileSync(
  fileURLToPath(new URL('../../models/demo/koine-demo-q8_0.gguf', import.meta.url)),
);
let folder: string;
let modelsDir: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'koine-import-'));
  modelsDir = join(folder, 'models');
  // A name that would not be taken for a model's if it were found by chance.
  file = join(folder, 'My lora vocab.gguf');
  writeFileSync(file, content);
});
afterEach(() => rmSync(folder, { recursive: true }));

const take = (wish: Partial<ImportWish> = {}) =>
  importModel({ path: file, id: 'mine', how: 'link', ...wish }, { modelsDir, anyArchitecture: false });
const refusal = (wish: Partial<ImportWish>): Promise<unknown> =>
  take(wish).then(
    () => 'imported',
    (error: unknown) => error,
  );

describe('importing a model', () => {
  it.each([
    ['link', 0],
    ['copy', content.length],
  ] as const)('by a %s lists it, serves it, and leaves its file when it goes', async (how, freed) => {
    const stored = await take({ id: 'org/mine:1', name: 'My model (1)', how });
    expect(stored).toMatchObject({
      origin: 'imported',
      id: 'org/mine:1',
      reference: 'org/mine:1',
      name: 'My model (1)',
      sizeBytes: content.length,
      isComplete: true,
    });
    expect(lstatSync(stored.path).isSymbolicLink()).toBe(how === 'link');
    expect(listStored(modelsDir)).toEqual([stored]);
    expect(findNamed(modelsDir, 'My model (1)')).toEqual(stored);
    const options = { modelsDir, anyArchitecture: false };
    expect(resolveFile(stored.path, options)).toMatchObject({ id: 'My model (1)', storedId: 'org/mine:1' });
    expect(removeModel(modelsDir, stored)).toBe(freed + 'My model (1)\n'.length);
    expect([readdirSync(modelsDir), readFileSync(file).equals(content)]).toEqual([[], true]);
  });

  it('has no second model with the same id or name', async () => {
    const first = await take();
    nameStored(modelsDir, first.path, 'nice');
    expect(await refusal({})).toMatchObject({
      code: 'conflict',
      message: 'There is a model mine already: mine.',
    });
    expect(await refusal({ id: 'nice' })).toMatchObject({ code: 'conflict' });
    expect(await refusal({ id: 'other', name: 'mine' })).toMatchObject({ code: 'conflict' });
    expect(listStored(modelsDir)).toHaveLength(1);
  });

  it('takes the place of a link that leads nowhere any more', async () => {
    await take();
    const moved = join(folder, 'moved.gguf');
    renameSync(file, moved);
    expect(listStored(modelsDir)).toEqual([]);
    expect((await take({ path: moved })).id).toBe('mine');
    expect(listStored(modelsDir)).toHaveLength(1);
  });

  const looping = (): string => {
    symlinkSync('loop.gguf', join(folder, 'loop.gguf'));
    return join(folder, 'loop.gguf');
  };
  const magic = (): string => {
    writeFileSync(join(folder, 'magic.gguf'), 'GGUF');
    return join(folder, 'magic.gguf');
  };
  it.each([
    ['that is not there', () => ({ path: '/nowhere/at/all.gguf' }), 'no such file or folder.'],
    ['of four letters', () => ({ path: magic() }), 'cut off within its header (4 bytes)'],
    ['that cannot be read', () => ({ path: looping() }), 'cannot be read (ELOOP).'],
    ['with an id that is none', () => ({ id: '../up' }), '"../up" cannot be the id of a model'],
    ['with a name that is none', () => ({ name: 'a/b' }), '"a/b" cannot be a name'],
  ])('refuses one %s, and leaves nothing', async (_, wish, message) => {
    expect(await refusal(wish())).toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining(message),
    });
    expect(existsSync(modelsDir)).toBe(false);
  });
});
