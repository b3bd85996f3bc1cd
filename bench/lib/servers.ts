// Starts the servers under test as processes of their own, on free ports of 127.0.0.1, and ends them.

import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const ROOT = join(import.meta.dirname, '..', '..');
const HOST = '127.0.0.1';
const START_MS = 60_000;

/** A server that answers. */
export interface RunningServer extends AsyncDisposable {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly pid: number;
  /** Milliseconds from its start until it was ready. */
  readonly startMs: number;
}

/** How a model is to be served; both servers get the same. */
export interface Serving {
  readonly model: string;
  /** Sequences that run at once. */
  readonly parallel: number;
  /** Tokens of the longest sequence. */
  readonly contextPerSequence: number;
  readonly threads?: number;
  /** More arguments, in the server's own words. */
  readonly extra?: readonly string[];
}

/** A port nobody listens on at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no free port was found');
  return address.port;
}

/** Starts `koine serve` as built by `npm run build`. */
export async function startKoine(serving: Serving): Promise<RunningServer> {
  const port = await freePort();
  const { model, parallel, contextPerSequence, threads, extra = [] } = serving;
  const args = ['serve', model, '--port', String(port), '--parallel', String(parallel)];
  args.push('--ctx-size', String(contextPerSequence), '--log-level', 'warn');
  if (threads !== undefined) args.push('--threads', String(threads));
  return start('koine', port, [process.execPath, join(ROOT, 'bin', 'koine.mjs'), ...args, ...extra]);
}

/** Starts llama.cpp's server from this file. */
export async function startLlamaServer(binary: string, serving: Serving): Promise<RunningServer> {
  if (!existsSync(binary)) throw new Error(`there is no llama-server at ${binary}`);
  const port = await freePort();
  const { model, parallel, contextPerSequence, threads, extra = [] } = serving;
  const args = ['-m', model, '--host', HOST, '--port', String(port), '-np', String(parallel)];
  args.push('-c', String(parallel * contextPerSequence), '--offline');
  if (threads !== undefined) args.push('-t', String(threads));
  return start('llama-server', port, [binary, ...args, ...extra]);
}

async function start(
  name: string,
  port: number,
  [command = '', ...args]: readonly string[],
): Promise<RunningServer> {
  const folder = join(ROOT, '.koine', 'bench');
  mkdirSync(folder, { recursive: true });
  const logPath = join(folder, `${name}.log`);
  const log = createWriteStream(logPath);
  const started = performance.now();
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], cwd: ROOT });
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  const server: RunningServer = {
    name,
    host: HOST,
    port,
    pid: child.pid ?? 0,
    get startMs() {
      return readyMs;
    },
    [Symbol.asyncDispose]: () => stop(child),
  };
  let readyMs = Number.NaN;
  try {
    await waitForHealth(child, port, logPath);
  } catch (error) {
    await stop(child);
    throw error;
  }
  readyMs = performance.now() - started;
  return server;
}

async function waitForHealth(child: ChildProcess, port: number, logPath: string): Promise<void> {
  const deadline = performance.now() + START_MS;
  while (performance.now() < deadline) {
    if (child.exitCode !== null) break;
    const isUp = await fetch(`http://${HOST}:${port}/health`).then(
      (response) => response.ok,
      () => false,
    );
    if (isUp) return;
    await sleep(20);
  }
  throw new Error(`the server did not become ready:\n${readFileSync(logPath, 'utf8').slice(-2000)}`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const patience = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await ended;
  clearTimeout(patience);
}
