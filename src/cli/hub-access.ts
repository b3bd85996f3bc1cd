// What the models room needs to reach a hub: network, proxies, and somebody to tell how a download goes. Loaded when
// there is something to fetch, and not before.

import { setTimeout as sleep } from 'node:timers/promises';
import type { DownloadProgress, Network } from '../models/index.js';
import { showBytes } from '../models/index.js';

const STALL_MS = 30_000;
/** Without a terminal a line is written after each tenth, so that a log stays short. */
const LINES = 10;

/** The network, by way of the proxy the environment names, if any. */
export async function networkAccess(): Promise<Network> {
  return {
    fetch: await fetchByProxy(),
    wait: (ms, signal) => sleep(ms, undefined, { signal }),
    stallMs: STALL_MS,
  };
}

/** The proxies are the ones HTTP_PROXY, HTTPS_PROXY and NO_PROXY name, which Node's own fetch does not look at. */
async function fetchByProxy(): Promise<typeof fetch> {
  const { EnvHttpProxyAgent, fetch: proxied } = await import('undici');
  const dispatcher = new EnvHttpProxyAgent();
  const bound = (input: string, init?: object) => proxied(input, { ...init, dispatcher });
  // The same standard, typed twice: by this package and by Node's types.
  return bound as unknown as typeof fetch;
}

/** A bar on a terminal, plain lines elsewhere. Both go to standard error. */
export async function progressDisplay(): Promise<DownloadProgress> {
  return process.stderr.isTTY
    ? await progressBar()
    : progressLines((line) => process.stderr.write(`${line}\n`));
}

async function progressBar(): Promise<DownloadProgress> {
  const { default: cliProgress } = await import('cli-progress');
  const bar = new cliProgress.SingleBar({
    format: '{name} {bar} {percentage}% of {total} {speed}/s, {left} left {note}',
    formatValue: (value, _options, type) => (type === 'total' ? showBytes(value) : String(value)),
    barsize: 30,
    hideCursor: true,
  });
  let startedAt = 0;
  let fetched = 0;
  let done = 0;
  let total = 0;
  const show = (note = ''): void => {
    const seconds = Math.max(0.001, (performance.now() - startedAt) / 1000);
    const speed = fetched / seconds;
    const left = speed > 0 ? `${Math.ceil((total - done) / speed)} s` : '?';
    bar.update(done, { speed: showBytes(Math.round(speed)), left, note });
  };
  return {
    begin(name, totalBytes, haveBytes) {
      startedAt = performance.now();
      fetched = 0;
      done = haveBytes;
      total = totalBytes;
      bar.start(totalBytes, haveBytes, { name, speed: '?', left: '?', note: '' });
    },
    advance(bytes) {
      done += bytes;
      fetched += Math.max(0, bytes);
      show();
    },
    retry: (reason, waitMs) => show(`(${reason}; again in ${Math.round(waitMs / 1000)} s)`),
    verify: () => show('checking'),
    end: () => bar.stop(),
  };
}

/** Progress as plain lines: at the start, at each tenth, and whenever something happens. */
export function progressLines(write: (line: string) => void): DownloadProgress {
  let name = '';
  let done = 0;
  let total = 0;
  let told = 0;
  return {
    begin(file, totalBytes, haveBytes) {
      name = file;
      done = haveBytes;
      total = totalBytes;
      told = Math.floor((done / total) * LINES);
      const rest = haveBytes > 0 ? `, continuing after ${showBytes(haveBytes)}` : '';
      write(`downloading ${name} (${showBytes(totalBytes)}${rest})`);
    },
    advance(bytes) {
      done += bytes;
      const tenths = Math.floor((done / total) * LINES);
      if (tenths > told)
        write(`${name}: ${showBytes(done)} of ${showBytes(total)} (${tenths * (100 / LINES)}%)`);
      told = tenths;
    },
    retry: (reason, waitMs) => write(`${name}: ${reason}; trying again in ${Math.round(waitMs / 1000)} s`),
    verify: () => write(`${name}: checking`),
    end: () => undefined,
  };
}
