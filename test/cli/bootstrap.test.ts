// `npm start` in a clone of its own: a copy of the scripts with a command of three lines to build and run.

import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const MAIN = `export async function main(args: readonly string[]): Promise<void> {
  console.log(args.join(' '), process.pid);
}
`;
let clone: string;

beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), 'koine-clone-'));
  for (const file of [
    'scripts',
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'tsconfig.build.json',
  ]) {
    cpSync(file, join(clone, file), { recursive: true });
  }
  mkdirSync(join(clone, 'node_modules'));
  for (const name of ['typescript', '@typescript', '@types', 'undici-types']) {
    symlinkSync(join(process.cwd(), 'node_modules', name), join(clone, 'node_modules', name));
  }
  const lock = readFileSync('package-lock.json');
  writeFileSync(join(clone, 'node_modules', '.koine-lock'), createHash('sha256').update(lock).digest('hex'));
  mkdirSync(join(clone, 'src', 'cli'), { recursive: true });
  writeFileSync(join(clone, 'src', 'cli', 'main.ts'), MAIN);
});
afterEach(() => rmSync(clone, { recursive: true }));

const start = (args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) => {
  const run = spawnSync(process.execPath, [join(clone, 'scripts', 'start.mjs'), ...args], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  return { code: run.status, stdout: run.stdout, stderr: run.stderr, pid: run.pid };
};

describe('npm start', () => {
  it('builds once, and runs in the process it was started in', () => {
    const first = start(['--port', '9000', 'a.gguf']);
    expect(first).toMatchObject({ code: 0, stderr: 'Building ...\n' });
    expect(first.stdout).toBe(`serve --port 9000 a.gguf ${first.pid}\n`);
    expect(start()).toMatchObject({ code: 0, stderr: '' });
  });

  it('stops with the shell that npm started it in', async () => {
    start();
    writeFileSync(
      join(clone, 'src', 'cli', 'main.ts'),
      `export async function main(): Promise<void> {
  const alive = setInterval(() => undefined, 1000);
  process.on('SIGTERM', () => {
    clearInterval(alive);
    console.log('drained');
  });
  console.log('ready');
}
`,
    );
    // What comes behind keeps the shell from becoming the process itself, as npm's shell does not.
    const command = `"${process.execPath}" scripts/start.mjs; true`;
    const shell = spawn('/bin/sh', ['-c', command], {
      cwd: clone,
      env: { ...process.env, npm_lifecycle_event: 'start' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let output = '';
    shell.stdout.on('data', (bytes: Buffer) => {
      output += bytes.toString();
      if (output === 'ready\n') shell.kill('SIGTERM');
    });
    await new Promise((resolve) => shell.stdout.once('close', resolve));
    expect(output).toBe('ready\ndrained\n');
  });

  it('builds again when a source is new, changed or gone, but not for tests', () => {
    start();
    const main = join(clone, 'src', 'cli', 'main.ts');
    utimesSync(main, new Date(), new Date(0));
    expect(start().stderr).toBe('Building ...\n');
    writeFileSync(join(clone, 'src', 'other.ts'), 'export const one = 1;\n');
    expect(start().stderr).toBe('Building ...\n');
    rmSync(join(clone, 'src', 'other.ts'));
    expect(start().stderr).toBe('Building ...\n');
    writeFileSync(join(clone, 'src', 'cli', 'main.test.ts'), 'not even TypeScript');
    expect(start().stderr).toBe('');
  });

  it('shows what the compiler says when it cannot build, and leaves nothing half built', () => {
    start();
    writeFileSync(join(clone, 'src', 'wrong.ts'), 'export const one: string = 1;\n');
    const { code, stdout, stderr } = start();
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(
      "src/wrong.ts(1,14): error TS2322: Type 'number' is not assignable to type 'string'.",
    );
    expect(stderr).toMatch(/The build failed; what it printed is above\.\n$/);
    expect(readdirSync(clone).filter((name) => name.startsWith('dist'))).toEqual(['dist']);
  });

  it('installs from the lockfile when it has changed, and shows what npm says only if that fails', () => {
    const npm = join(clone, 'npm.js');
    writeFileSync(
      npm,
      `import { writeFileSync } from 'node:fs'; writeFileSync('called', process.argv.slice(2).join(' ')); console.log('hidden');`,
    );
    writeFileSync(join(clone, 'package-lock.json'), '{}');
    const fine = start([], { npm_execpath: npm });
    expect(fine.stderr).toBe('Installing packages (once) ...\nBuilding ...\n');
    expect(readFileSync(join(clone, 'called'), 'utf8')).toBe('ci --ignore-scripts --no-audit --no-fund');
    expect(start([], { npm_execpath: npm }).stderr).toBe('');
    writeFileSync(npm, `console.log('no such package'); process.exit(1);`);
    writeFileSync(join(clone, 'package-lock.json'), '{ }');
    const failed = start([], { npm_execpath: npm });
    expect(failed.code).toBe(1);
    expect(failed.stderr).toBe(
      'Installing packages (once) ...\nno such package\nnpm ci failed; what it printed is above.\n',
    );
  });
});
