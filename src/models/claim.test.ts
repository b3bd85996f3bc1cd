import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claim } from './claim.js';

describe('a claim', () => {
  let folder: string;
  let target: string;
  let other: ChildProcess;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'koine-claim-'));
    target = join(folder, 'deep', 'model.gguf');
    other = spawn(process.execPath, ['-e', 'process.stdin.resume()']);
  });
  afterEach(() => {
    other.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  const path = (): string => `${target}.part.pid`;

  it('lasts until it is released, and leaves nothing behind', () => {
    const release = claim(target, 'hf:a/b');
    expect(existsSync(path())).toBe(true);
    release();
    expect(readdirSync(join(folder, 'deep'))).toEqual([]);
  });

  it('is refused while another process has it, with what to do', () => {
    claim(target, 'hf:a/b')();
    writeFileSync(path(), `${other.pid}\n`);
    expect(() => claim(target, 'hf:a/b')).toThrow(
      `hf:a/b is being fetched by process ${other.pid} already; try again when that is done. (If it is not so, delete ${path()}.)`,
    );
    expect(existsSync(path())).toBe(true);
  });

  it('is taken over from a process that is gone', async () => {
    claim(target, 'hf:a/b')();
    const ended = new Promise((resolve) => other.once('exit', resolve));
    other.kill('SIGKILL');
    await ended;
    writeFileSync(path(), `${other.pid}\n`);
    claim(target, 'hf:a/b');
    expect(readFileSync(path(), 'utf8')).toBe(`${process.pid}\n`);
  });

  it.each(['', 'nonsense', '-1', `${process.pid}`])('is taken over from a file that says "%s"', (text) => {
    claim(target, 'hf:a/b')();
    writeFileSync(path(), text);
    claim(target, 'hf:a/b');
    expect(readFileSync(path(), 'utf8')).toBe(`${process.pid}\n`);
  });
});
