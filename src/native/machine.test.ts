import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cpuQuota, grantedThreads } from './machine.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'koine-cgroup-'));
});
afterEach(() => rmSync(root, { recursive: true }));

describe('a container’s quota of CPU time', () => {
  it('is read from control groups of version 2', () => {
    writeFileSync(join(root, 'cpu.max'), '150000 100000\n');
    expect(cpuQuota(root)).toBe(1.5);
    writeFileSync(join(root, 'cpu.max'), 'max 100000\n');
    expect(cpuQuota(root)).toBeUndefined();
  });

  it('is read from control groups of version 1', () => {
    mkdirSync(join(root, 'cpu'));
    writeFileSync(join(root, 'cpu', 'cpu.cfs_period_us'), '100000\n');
    writeFileSync(join(root, 'cpu', 'cpu.cfs_quota_us'), '300000\n');
    expect(cpuQuota(root)).toBe(3);
    writeFileSync(join(root, 'cpu', 'cpu.cfs_quota_us'), '-1\n');
    expect(cpuQuota(root)).toBeUndefined();
  });

  it('is unknown where there are none', () => {
    expect(cpuQuota(root)).toBeUndefined();
  });
});

describe('granted threads', () => {
  it('are at least one and no more than the machine runs at once', () => {
    expect(grantedThreads()).toBeGreaterThanOrEqual(1);
    expect(grantedThreads()).toBeLessThanOrEqual(availableParallelism());
    expect(Number.isInteger(grantedThreads())).toBe(true);
  });
});
