// Starts the load process and hands it jobs.

import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { ask } from '../lib/ask.js';
import { median, quantile } from '../lib/stats.js';
import type { LoadJob, LoadResult } from './job.js';

export type { LoadJob, LoadResult, RequestRecord } from './job.js';

/** A running load process; one job at a time. */
export class LoadGenerator implements Disposable {
  readonly #child: ChildProcess;

  constructor() {
    this.#child = fork(join(import.meta.dirname, 'process.ts'), { execArgv: ['--import', 'tsx'] });
  }

  /** Runs a job to its end. Rejects when the process ends instead. */
  async run(job: LoadJob): Promise<LoadResult> {
    return (await ask(this.#child, job)) as LoadResult;
  }

  [Symbol.dispose](): void {
    this.#child.kill();
  }
}

/** The figures of a finished job. */
export interface LoadFigures {
  /** New tokens per second from the first request sent to the last reply ended. */
  readonly tokensPerSecond: number;
  readonly seconds: number;
  readonly newTokens: number;
  /** Time to first token, milliseconds. */
  readonly ttftMedianMs: number;
  readonly ttftP95Ms: number;
  readonly errors: number;
  /** Requests sent again because the server had closed a kept connection without notice. */
  readonly resends: number;
  /** One message per kind of error. */
  readonly errorKinds: readonly string[];
  readonly cpuSeconds: number;
}

/** Sums a job up. Requests that failed count as errors; their tokens, as far as reported, count. */
export function figures({ records, cpuSeconds }: LoadResult): LoadFigures {
  const good = records.filter((record) => record.error === undefined);
  const newTokens = records.reduce((sum, record) => sum + record.newTokens, 0);
  const seconds =
    (Math.max(...records.map((record) => record.endMs)) -
      Math.min(...records.map((record) => record.sentMs))) /
    1000;
  const ttft = good.map((record) => record.firstMs - record.sentMs).filter(Number.isFinite);
  const kinds = new Set(
    records.flatMap((record) => (record.error === undefined ? [] : [record.error.slice(0, 80)])),
  );
  return {
    tokensPerSecond: newTokens / seconds,
    seconds,
    newTokens,
    ttftMedianMs: median(ttft),
    ttftP95Ms: quantile(ttft, 0.95),
    errors: records.length - good.length,
    resends: records.reduce((sum, record) => sum + record.resends, 0),
    errorKinds: [...kinds].slice(0, 5),
    cpuSeconds,
  };
}
