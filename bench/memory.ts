// Memory of the server process, beside the engine's, after a thousand requests.

import { readFileSync } from 'node:fs';
import { DEMO_MODEL } from './lib/models.js';
import { completionBody, promptTokens } from './lib/prompts.js';
import { type BenchResult, bench, type Cell } from './lib/report.js';
import { startKoine } from './lib/servers.js';
import { figures, LoadGenerator } from './load/index.js';

const REQUESTS = 1000;
const CLIENTS = 16;

/** Resident memory in MB (millions of bytes); Linux only. */
function residentMb(pid: number): number {
  const line = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return (Number(line?.[1]) * 1024) / 1e6;
}

async function memory(): Promise<BenchResult> {
  await using server = await startKoine({ model: DEMO_MODEL, parallel: 16, contextPerSequence: 512 });
  using load = new LoadGenerator();
  const rows: Cell[][] = [['after start', residentMb(server.pid)]];
  const bodies = Array.from({ length: REQUESTS }, (_, i) =>
    completionBody({ prompt: promptTokens(64, i), newTokens: 64, seed: i }),
  );
  const { host, port } = server;
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, residentMb(server.pid));
  }, 200);
  const result = await load.run({
    host,
    port,
    path: '/v1/completions',
    bodies,
    clients: CLIENTS,
    eventTimes: false,
  });
  clearInterval(watch);
  const { errors } = figures(result);
  const after = residentMb(server.pid);
  rows.push(['highest meanwhile', peak], [`after ${REQUESTS} requests (${errors} failed)`, after]);
  return {
    tables: [
      {
        title: `Resident memory of the server process, MB`,
        columns: ['', 'MB'],
        rows,
        notes: [`${CLIENTS} clients, 64 + 64 tokens, streaming; the engine process is not part of it`],
      },
    ],
    verdicts: [
      { goal: 'server process after 1,000 requests, MB', measured: after, limit: 150, better: 'lower' },
      { goal: 'requests that failed', measured: errors, limit: 0, better: 'lower' },
    ],
  };
}

await bench('memory', memory);
