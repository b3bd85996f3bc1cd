// What the machine grants this process: cores and a container's CPU quota. Reads the system; decides nothing else.

import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/**
 * Threads worth using for compute, at least 1: physical cores (two hyperthreads of one core share its vector units)
 * that this process may run on, cut down to a container's CPU quota.
 */
export function grantedThreads(): number {
  const cores = Math.min(availableParallelism(), physicalCores() ?? Number.POSITIVE_INFINITY);
  return Math.max(1, Math.min(cores, Math.floor(cpuQuota() ?? Number.POSITIVE_INFINITY)));
}

/** CPUs' worth of time the control group grants (cgroup v2, then v1); undefined when unlimited or unknown. */
export function cpuQuota(root = '/sys/fs/cgroup'): number | undefined {
  const v2 = readText(`${root}/cpu.max`)?.split(' ');
  if (v2 !== undefined) return quotient(v2[0], v2[1]);
  return quotient(readText(`${root}/cpu/cpu.cfs_quota_us`), readText(`${root}/cpu/cpu.cfs_period_us`));
}

function quotient(quota: string | undefined, period: string | undefined): number | undefined {
  const value = Number(quota) / Number(period);
  return Number.isFinite(value) && value > 0 ? value : undefined;
}

/** Distinct groups of hyperthread siblings; undefined where the system does not tell. */
function physicalCores(): number | undefined {
  const groups = new Set<string>();
  for (let cpu = 0; ; cpu++) {
    const siblings = readText(`/sys/devices/system/cpu/cpu${cpu}/topology/thread_siblings_list`);
    if (siblings === undefined) break;
    groups.add(siblings);
  }
  return groups.size === 0 ? undefined : groups.size;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}
