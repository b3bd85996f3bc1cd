// Makes a clone ready to run: packages installed from the lockfile, sources compiled. Uses nothing that is not part of
// Node, because it runs before anything is installed. Costs a few milliseconds when there is nothing to do.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const OLDEST_NODE = [20, 19];
/** npm writes its two lock files one after the other. */
const SAME_RUN_MS = 5000;

/** A failure to be shown as it is, without a stack. */
export class NotReady extends Error {}

/** Installs and builds if needed. Throws `NotReady` with what to do. */
export function makeReady() {
  ensureNode();
  ensureInstalled();
  ensureBuilt();
}

/** Runs `work` and ends the process with its message, not its stack, when the clone cannot be made ready. */
export async function orExplain(work) {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof NotReady)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}

export function ensureNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return;
  throw new NotReady(`Koine needs Node ${OLDEST_NODE.join('.')} or newer; this is ${process.versions.node}.`);
}

/** Installs the packages the lockfile names, unless exactly these are installed. */
export function ensureInstalled() {
  const stampFile = join(root, 'node_modules', '.koine-lock');
  const stamp = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (readIfThere(stampFile) === stamp) return;
  if (!isInstalledByHand()) {
    console.error('Installing packages (once) ...');
    runQuietly(npmCommand(['ci', '--ignore-scripts', '--no-audit', '--no-fund']), 'npm ci');
  }
  writeFileSync(stampFile, stamp);
}

/** True when somebody ran npm themselves after the lockfile last changed. */
function isInstalledByHand() {
  const installed = statSync(join(root, 'node_modules', '.package-lock.json'), { throwIfNoEntry: false });
  return (
    installed !== undefined &&
    installed.mtimeMs + SAME_RUN_MS >= statSync(join(root, 'package-lock.json')).mtimeMs
  );
}

/** Compiles src to dist when a source is newer or different. The old dist stays in use until the new one is whole. */
export function ensureBuilt() {
  const dist = join(root, 'dist');
  const stamp = sourceStamp();
  if (readIfThere(join(dist, '.stamp')) === stamp) return;
  console.error('Building ...');
  const fresh = `${dist}.new-${process.pid}`;
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  try {
    runQuietly(
      [process.execPath, tsc, '-p', join(root, 'tsconfig.build.json'), '--outDir', fresh],
      'The build',
    );
    writeFileSync(join(fresh, '.stamp'), stamp);
    swapIn(fresh, dist);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Puts the new build in the place of the old one. Of two builds at the same time the later one stays. */
function swapIn(fresh, dist) {
  const old = `${dist}.old-${process.pid}`;
  for (let tries = 3; ; tries -= 1) {
    try {
      if (existsSync(dist)) renameSync(dist, old);
      renameSync(fresh, dist);
      return;
    } catch (error) {
      if (tries === 1) throw error;
    } finally {
      rmSync(old, { recursive: true, force: true });
    }
  }
}

/** Changes whenever a source file appears, goes, or is written to. */
function sourceStamp() {
  const hash = createHash('sha256');
  const visit = (path) => {
    for (const entry of readdirSync(join(root, path), { withFileTypes: true })) {
      const inner = `${path}/${entry.name}`;
      if (entry.isDirectory()) visit(inner);
      else if (!entry.name.endsWith('.test.ts')) add(inner);
    }
  };
  const add = (path) => {
    const { mtimeMs, size } = statSync(join(root, path));
    hash.update(`${path} ${mtimeMs} ${size}\n`);
  };
  visit('src');
  for (const file of ['tsconfig.json', 'tsconfig.build.json', 'package.json']) add(file);
  return hash.digest('hex');
}

/** npm as the same Node would run it: the one that started us, or the one on the path. */
export function npmCommand(args) {
  const npm = process.env.npm_execpath;
  return npm?.endsWith('.js') ? [process.execPath, npm, ...args] : ['npm', ...args];
}

/** Runs a command without showing what it prints, unless it fails. */
function runQuietly([command, ...args], what) {
  const result = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    shell: process.platform === 'win32' && command === 'npm',
  });
  if (result.status === 0) return;
  const output = result.error?.message ?? `${result.stdout}${result.stderr}`.trim();
  throw new NotReady(`${output}\n${what} failed; what it printed is above.`);
}

function readIfThere(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}
