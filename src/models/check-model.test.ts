import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { checkModel } from './check-model.js';
import { locateModel } from './locate.js';

const demo = fileURLToPath(new URL('../../models/demo/koine-demo-q8_0.gguf', import.meta.url));
const content = readFileSync(demo);
const folder = mkdtempSync(join(tmpdir(), 'koine-models-'));
afterAll(() => rmSync(folder, { recursive: true }));

const write = (name: string, bytes: Buffer): string => {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
};
const patched = (name: string, at: number, bytes: number[]): string => {
  const copy = Buffer.from(content);
  copy.set(bytes, at);
  return write(name, copy);
};

describe('a model file', () => {
  it('tells what it is', () => {
    const { header, parameters, sizeBytes } = checkModel(demo);
    expect(header).toMatchObject({ architecture: 'llama', quantization: 'Q8_0', parts: 1 });
    expect(header.trainedContextTokens).toBeGreaterThan(0);
    expect(parameters).toBeGreaterThan(1e6);
    expect(sizeBytes).toBe(content.length);
    expect(header.neededBytes).toBe(content.length);
  });

  it.each([
    ['missing', () => join(folder, 'gone.gguf'), 'no such file.'],
    ['empty', () => write('empty.gguf', Buffer.alloc(0)), 'the file is empty.'],
    ['something else', () => write('text.gguf', Buffer.from('hello there')), 'not a GGUF file'],
    [
      'of another version',
      () => patched('v9.gguf', 4, [9]),
      'GGUF version 9; versions 2 and 3 are supported.',
    ],
    ['big-endian', () => patched('be.gguf', 4, [0, 0, 0, 3]), 'a big-endian GGUF file'],
    [
      'cut off in the header',
      () => write('head.gguf', content.subarray(0, 5000)),
      'cut off within its header (5000 bytes)',
    ],
    [
      'cut off in the weights',
      () => write('cut.gguf', content.subarray(0, -1)),
      `the file is cut off: ${content.length - 1} of`,
    ],
    [
      'full of nonsense',
      () => patched('nonsense.gguf', 8, [255, 255, 255, 255, 255]),
      'tensors; the file is damaged',
    ],
    ['a folder', () => folder, 'is not a file'],
  ])('that is %s is refused by name and reason', (_, make, reason) => {
    const path = make();
    expect(() => checkModel(path)).toThrow(reason);
    expect(() => checkModel(path)).toThrow(path);
  });

  it('of an unknown architecture is refused, unless other libraries are in use', () => {
    const at = content.indexOf('llama', content.indexOf('general.architecture'));
    const path = patched('arch.gguf', at, [...Buffer.from('lxama')]);
    expect(() => checkModel(path)).toThrow('the architecture "lxama" is not one that llama.cpp knows.');
    expect(checkModel(path, true).header.architecture).toBe('lxama');
  });

  it('that is a projector is refused', () => {
    const copy = Buffer.from(content);
    const at = copy.indexOf('llama', copy.indexOf('general.architecture'));
    copy.writeBigUInt64LE(4n, at - 8);
    const path = write(
      'clip.gguf',
      Buffer.concat([copy.subarray(0, at), Buffer.from('clip'), copy.subarray(at + 5)]),
    );
    expect(() => checkModel(path)).toThrow('a projector for images or audio');
  });
});

describe('a folder', () => {
  const inFolder = (name: string, files: string[]): string => {
    const place = mkdtempSync(join(folder, name));
    for (const file of files) writeFileSync(join(place, file), 'x');
    return place;
  };

  it('stands for its only model, projectors aside', () => {
    const place = inFolder('one', ['a.gguf', 'mmproj-a.gguf', 'notes.txt']);
    expect(locateModel(place)).toBe(join(place, 'a.gguf'));
  });

  it('counts a split model as one', () => {
    const place = inFolder('split', ['a-00001-of-00002.gguf', 'a-00002-of-00002.gguf']);
    expect(locateModel(place)).toBe(join(place, 'a-00001-of-00002.gguf'));
    expect(locateModel(join(place, 'a-00002-of-00002.gguf'))).toBe(join(place, 'a-00001-of-00002.gguf'));
  });

  it('is refused with the candidates when it holds several, and when it holds none', () => {
    expect(() => locateModel(inFolder('two', ['a.gguf', 'b.gguf']))).toThrow(
      'name one of them: a.gguf (1 B), b.gguf (1 B).',
    );
    expect(() => locateModel(inFolder('none', ['a.txt']))).toThrow('holds no GGUF model');
    expect(() => locateModel(join(folder, 'gone'))).toThrow('no such file or folder');
  });
});
