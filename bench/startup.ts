// From `npm start` to the first streamed token of the demo model, with everything built already; and the same with
// node started directly, to see what npm and the bootstrap cost.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { percent, waitForQuiet, withNoise } from './lib/noise.js';
import { type BenchResult, bench } from './lib/report.js';
import { freePort } from './lib/servers.js';
import { median } from './lib/stats.js';

const ROOT = join(import.meta.dirname, '..');
const ROUNDS = 7;
const GIVE_UP_MS = 30_000;

/** Resolves at the first piece of text of a streamed reply; rejects when nobody listens yet or no text comes. */
function firstToken(port: number): Promise<void> {
  const body = JSON.stringify({
    model: 'default',
    messages: [{ role: 'user', content: 'Hello' }],
    max_tokens: 4,
    stream: true,
  });
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port });
    let reply = '';
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`no text came: ${reply.slice(0, 300)}`)));
    socket.on('data', (bytes) => {
      reply += bytes.toString('utf8');
      if (!/"content": ?"[^"]/.test(reply)) return;
      resolve();
      socket.destroy();
    });
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n` +
        `Connection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  });
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  // npm starts a shell that starts node; only the group has them all.
  process.kill(-(child.pid ?? 0), 'SIGTERM');
  await ended;
  await sleep(200);
}

/** Milliseconds from the start of the command to the first token. */
async function timeToToken([command = '', ...args]: readonly string[]): Promise<number> {
  const port = await freePort();
  const started = performance.now();
  const child = spawn(command, [...args, '--port', String(port)], {
    cwd: ROOT,
    stdio: 'ignore',
    detached: true,
  });
  try {
    while (performance.now() - started < GIVE_UP_MS) {
      const isDone = await firstToken(port).then(
        () => true,
        () => false,
      );
      if (isDone) return performance.now() - started;
      await sleep(10);
    }
    throw new Error(`no token within ${GIVE_UP_MS} ms of: ${command} ${args.join(' ')}`);
  } finally {
    await stop(child);
  }
}

async function startup(): Promise<BenchResult> {
  const npm = ['npm', 'start', '--silent', '--'];
  const direct = [process.execPath, join(ROOT, 'bin', 'koine.mjs'), 'serve'];
  await timeToToken(npm);
  const rounds: { npm: number; direct: number; foreign: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await waitForQuiet();
    const { value, foreign } = await withNoise(async () => ({
      npm: await timeToToken(npm),
      direct: await timeToToken(direct),
    }));
    rounds.push({ ...value, foreign });
  }
  const viaNpm = median(rounds.map((round) => round.npm));
  const viaNode = median(rounds.map((round) => round.direct));
  return {
    tables: [
      {
        title: 'From the command to the first streamed token, demo model, milliseconds',
        columns: ['command', 'median', 'fastest', 'slowest', 'others used'],
        rows: [
          [
            'npm start',
            viaNpm,
            Math.min(...rounds.map((round) => round.npm)),
            Math.max(...rounds.map((round) => round.npm)),
            percent(median(rounds.map((round) => round.foreign))),
          ],
          [
            'node bin/koine.mjs serve',
            viaNode,
            Math.min(...rounds.map((round) => round.direct)),
            Math.max(...rounds.map((round) => round.direct)),
            '',
          ],
        ],
        notes: [`${ROUNDS} rounds; the port is tried every 10 ms with a streaming chat request`],
      },
    ],
    verdicts: [
      { goal: 'npm start to first token, ms', measured: viaNpm, limit: 1500, better: 'lower' },
      { goal: 'npm start over node directly, ms', measured: viaNpm - viaNode, limit: 300, better: 'lower' },
    ],
  };
}

await bench('startup', startup);
