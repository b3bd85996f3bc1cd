// What `koine serve` cannot do is said in one line that names the thing, with exit code 2 and no stack.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { koine, type Outcome } from '../support/koine.js';

const demo = readFileSync(fileURLToPath(new URL('../../models/demo/koine-demo-q8_0.gguf', import.meta.url)));
const folder = mkdtempSync(join(tmpdir(), 'koine-refusals-'));
afterAll(() => rmSync(folder, { recursive: true }));

const write = (name: string, content: Buffer | string): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};
/** The demo model with the value of a 32-bit metadata key replaced. */
const withNumber = (key: string, value: number): Buffer => {
  const copy = Buffer.from(demo);
  copy.writeUInt32LE(value, copy.indexOf(key) + key.length + 4);
  return copy;
};
const expectRefusal = (outcome: Outcome, ...parts: string[]): void => {
  for (const part of parts) expect(outcome.stderr).toContain(part);
  expect(outcome.stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(outcome.stderr).not.toMatch(/\n\s+at /);
  expect(outcome).toMatchObject({ code: 2, stdout: '' });
};

describe('a model file', () => {
  const architecture = (): Buffer => {
    const copy = Buffer.from(demo);
    copy.write('lxama', copy.indexOf('llama', copy.indexOf('general.architecture')));
    return copy;
  };
  it.each([
    ['that is missing', () => join(folder, 'gone.gguf'), 'no such file or folder'],
    ['that is cut off', () => write('cut.gguf', demo.subarray(0, demo.length / 2)), 'the file is cut off'],
    [
      'that is a folder with none',
      () => mkdtempSync(join(folder, 'empty-')),
      'the folder holds no GGUF model',
    ],
    ['that has the magic of one and no more', () => write('magic.gguf', 'GGUF'), 'cut off within its header'],
    ['that is something else', () => write('notes.gguf', 'not a model at all'), 'not a GGUF file'],
    ['of an unknown architecture', () => write('arch.gguf', architecture()), 'architecture "lxama"'],
    ['that llama.cpp cannot load', () => write('odd.gguf', withNumber('llama.block_count', 99)), 'odd.gguf'],
  ])('%s', async (_, make, reason) => {
    const path = make();
    expectRefusal(await koine(['serve', path, '--port', '0']), path, reason);
  });

  it('that is no adapter', async () => {
    const path = write('adapter.gguf', demo);
    expectRefusal(await koine(['serve', '--lora', `a=${path}`]), path, 'not a LoRA adapter');
  });
});

describe('a setting', () => {
  it.each([
    ['of no such name', ['--prot', '1'], {}, 2, "unknown option '--prot'"],
    ['with a wrong value', ['--kv-type', 'q3'], {}, 1, 'Setting kv-type: "q3" from --kv-type is not allowed'],
    ['given twice', ['--port', '1', '--port', '2'], {}, 1, 'Setting port: takes one value, --port gives 2'],
    [
      'of no such name in the environment',
      [],
      { KOINE_PROT: '1' },
      1,
      'KOINE_PROT in the environment is not a setting',
    ],
    [
      'for a dialect there is not',
      ['--listen', 'foo:1'],
      {},
      1,
      'there is no dialect "foo"; there are openai, tgi',
    ],
    [
      'naming a file there is not',
      ['--chat-template', 'gone.jinja'],
      {},
      1,
      'gone.jinja cannot be read (ENOENT)',
    ],
    [
      'naming a template that is none',
      ['--chat-template', write('broken.jinja', '{% if %}')],
      {},
      1,
      'broken.jinja is not valid Jinja',
    ],
  ])('%s', async (_, args, env, lines, message) => {
    const outcome = await koine(['serve', ...args], env);
    expect(outcome.stderr).toContain(message);
    expect(outcome.stderr.trimEnd().split('\n')).toHaveLength(lines);
    expect(outcome.code).toBe(2);
  });
});

describe('an address', () => {
  it('in use is named, and nothing is left running', async () => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
    const address = holder.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    try {
      const main = await koine(['serve', '--port', String(port), '--threads', '1']);
      expectRefusal(main, `127.0.0.1:${port}`, 'the port is in use');
      const further = await koine(['serve', '--port', '0', '--listen', `tgi:${port}`, '--threads', '1']);
      expect(further).toMatchObject({ code: 2, stdout: '' });
      expect(further.stderr).toContain(`127.0.0.1:${port}: the port is in use`);
    } finally {
      holder.close();
    }
  });
});
