// How much of the machine others used during a measurement, and waiting for it to be quiet. Linux only; elsewhere
// nothing is known and nothing is waited for.

import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

const TICKS_PER_SECOND = 100;
const SETTLE_MS = 400;

interface Usage {
  readonly at: number;
  /** Busy ticks of all cores. */
  readonly busy: number;
  /** Ticks of this process and all below it, ended children included. */
  readonly own: number;
}

const read = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};

function ownTicks(): number {
  const processes = new Map<number, { parent: number; ticks: number }>();
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? read(`/proc/${name}/stat`) : undefined;
    if (stat === undefined) continue;
    // The second field may hold spaces; fields are counted from behind its closing bracket.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const ticks = (fields[11] ?? 0) + (fields[12] ?? 0) + (fields[13] ?? 0) + (fields[14] ?? 0);
    processes.set(Number(name), { parent: fields[1] ?? 0, ticks });
  }
  const isOwn = (pid: number): boolean => {
    for (let at = pid; at > 1; at = processes.get(at)?.parent ?? 0) if (at === process.pid) return true;
    return false;
  };
  let own = 0;
  for (const [pid, { ticks }] of processes) if (isOwn(pid)) own += ticks;
  return own;
}

function usage(): Usage | undefined {
  const line = read('/proc/stat')?.split('\n', 1)[0];
  if (line === undefined) return undefined;
  const fields = line.trim().split(/\s+/).slice(1).map(Number);
  const [user = 0, nice = 0, system = 0, , , interrupts = 0, soft = 0, steal = 0] = fields;
  return { at: performance.now(), busy: user + nice + system + interrupts + soft + steal, own: ownTicks() };
}

const share = (ticks: number, from: Usage, to: Usage): number =>
  Math.max(0, ticks / TICKS_PER_SECOND / ((to.at - from.at) / 1000) / cpus().length);

/** Runs a measurement and tells what share of all cores (0 .. 1) others used meanwhile; NaN where unknown. */
export async function withNoise<T>(measure: () => Promise<T>): Promise<{ value: T; foreign: number }> {
  const before = usage();
  const value = await measure();
  const after = usage();
  if (before === undefined || after === undefined) return { value, foreign: Number.NaN };
  return { value, foreign: share(after.busy - before.busy - (after.own - before.own), before, after) };
}

/** Waits until others leave 90 % of the cores idle for half a second, but no longer than `patienceMs`. */
export async function waitForQuiet(patienceMs = 6000): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (performance.now() < deadline) {
    const { foreign } = await withNoise(() => sleep(500));
    if (!(foreign > 0.1)) return;
  }
}

/** Waits until the threads of a side that has just been measured are asleep: ggml's spin for a while after a step. */
export async function settle(): Promise<void> {
  await sleep(SETTLE_MS);
}

/** A share as tables show it. */
export const percent = (part: number): string => (Number.isNaN(part) ? '?' : `${Math.round(part * 100)} %`);

/** Rounds that others disturbed little; all of them when those are fewer than three. */
export function quietest<T extends { readonly foreign: number }>(rounds: readonly T[]): readonly T[] {
  const quiet = rounds.filter((round) => !(round.foreign > 0.1));
  return quiet.length >= 3 ? quiet : rounds;
}
