// The real command `koine serve` on a free port of this machine, for tests that speak HTTP to the whole of it: server
// process, engine process, a model. Needs a build; `test/support/build.ts` sees to it before the tests.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const BINARY = fileURLToPath(new URL('../../bin/koine.mjs', import.meta.url));
/**
 * Settings that flags of a test replace. One thread: threads of ggml wait by spinning, and tests share the machine with
 * each other.
 */
const SMALL = {
  KOINE_PORT: '0',
  KOINE_THREADS: '1',
  KOINE_CTX_SIZE: '512',
  KOINE_PARALLEL: '4',
  KOINE_LOG_LEVEL: 'warn',
};
const READY_WITHIN_MS = 30_000;
const STOP_WITHIN_MS = 10_000;

/** What to start. Everything has a default that suits a test. */
export interface TestServerOptions {
  /** A GGUF file; absent = the demo model. */
  readonly model?: string;
  /** Further flags of `koine serve`; they win over the small defaults (1 thread, 4 sequences of 512 tokens). */
  readonly args?: readonly string[];
  /** Added to the environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A server process that has told its address. */
export interface TestServer {
  /** First address, `http://127.0.0.1:PORT`, without a closing slash. */
  readonly url: string;
  /** Every address printed at the start, with what is spoken there. */
  readonly addresses: readonly { readonly url: string; readonly speaks: string }[];
  readonly pid: number;
  /** Process id of the (first) engine process; undefined while there is none. */
  enginePid(): number | undefined;
  /** What it printed so far. */
  stdout(): string;
  stderr(): string;
  /** SIGTERM, and SIGKILL if that takes long; resolves to the exit code (null when it was killed). */
  stop(): Promise<number | null>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a server and waits until its model is loaded. Rejects with what it printed when it ends instead. */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const model = options.model === undefined ? [] : [options.model];
  const child = spawn(process.execPath, [BINARY, 'serve', ...(options.args ?? []), ...model], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...SMALL, ...options.env },
  });
  const printed = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    printed.stderr += text;
  });
  const stop = (): Promise<number | null> => end(child);
  try {
    await told(child, () => printed.stdout.includes('\nListening:\n') && printed.stdout.endsWith('\n'));
  } catch (cause) {
    await stop();
    throw new Error(`koine serve did not start:\n${printed.stdout}${printed.stderr}`, { cause });
  }
  const addresses = [...printed.stdout.matchAll(/^ {2}(http:\S+) {2,}(.+)$/gm)].map(
    ([, url = '', speaks = '']) => ({ url, speaks }),
  );
  return {
    url: addresses[0]?.url ?? '',
    addresses,
    pid: child.pid ?? 0,
    enginePid: () => childrenOf(child.pid ?? 0)[0],
    stdout: () => printed.stdout,
    stderr: () => printed.stderr,
    stop,
    async [Symbol.asyncDispose]() {
      await stop();
    },
  };
}

/** Resolves when `isTold` after something was printed; rejects when the process ends or takes too long. */
function told(child: ChildProcess, isTold: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => done(new Error('it told no address in time')), READY_WITHIN_MS);
    const look = (): void => {
      if (isTold()) done();
    };
    const gone = (): void => done(new Error('it ended'));
    const done = (error?: Error): void => {
      clearTimeout(timer);
      child.stdout?.off('data', look);
      child.off('close', gone);
      if (error === undefined) resolve();
      else reject(error);
    };
    child.stdout?.on('data', look);
    child.once('close', gone);
  });
}

function end(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((resolve) => {
    const kill = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
    child.once('exit', (code) => {
      clearTimeout(kill);
      resolve(code);
    });
    child.kill('SIGTERM');
  });
}

/** Processes that have this one as parent, oldest first. */
function childrenOf(pid: number): number[] {
  const listed = `/proc/${pid}/task/${pid}/children`;
  if (existsSync(listed)) {
    return readFileSync(listed, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  }
  const lines = execFileSync('ps', ['-A', '-o', 'ppid=,pid='], { encoding: 'utf8' }).trim().split('\n');
  const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.flatMap(([parent, child]) => (parent === pid && child !== undefined ? [child] : []));
}
