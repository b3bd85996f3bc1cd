// Reads how busy the machine is, for thread-control.ts. Engine process.

import { cpus } from 'node:os';
import type { MachineLoad } from './thread-control.js';

/** Returns a function that gives the load since its last call; undefined when no time has passed. */
export function createLoadReader(): () => MachineLoad | undefined {
  let last = read();
  return () => {
    const now = read();
    const ms = now.atMs - last.atMs;
    if (ms < 20) return undefined;
    const load = { idle: (now.idleMs - last.idleMs) / ms, own: (now.ownMs - last.ownMs) / ms };
    last = now;
    return load;
  };
}

function read(): { atMs: number; idleMs: number; ownMs: number } {
  const { user, system } = process.cpuUsage();
  return {
    atMs: performance.now(),
    // What runs niced gives way, so its cores are ours to take.
    idleMs: cpus().reduce((sum, cpu) => sum + cpu.times.idle + cpu.times.nice, 0),
    ownMs: (user + system) / 1000,
  };
}
