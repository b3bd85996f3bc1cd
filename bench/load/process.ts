// The load process: takes jobs from its parent, runs them, answers. A process of its own, so that its work neither
// delays the benchmark's clock nor is counted as the server's.

import { setTimeout as sleep } from 'node:timers/promises';
import { LoadClient } from './client.js';
import type { LoadJob, LoadResult, RequestRecord } from './job.js';

async function runJob(job: LoadJob): Promise<LoadResult> {
  const cpu = process.cpuUsage();
  const started = performance.now();
  const now = (): number => performance.now() - started;
  const records: RequestRecord[] = [];
  let next = 0;
  const client = async (): Promise<void> => {
    const connection = new LoadClient(job, now);
    while (next < job.bodies.length) {
      const index = next++;
      const wait = (job.notBeforeMs?.[index] ?? 0) - now();
      if (wait > 0) await sleep(wait);
      records.push(await connection.send(index));
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: job.clients }, client));
  const { user, system } = process.cpuUsage(cpu);
  return { records, cpuSeconds: (user + system) / 1e6 };
}

process.on('message', (job: LoadJob) => {
  void runJob(job).then((result) => process.send?.(result));
});
