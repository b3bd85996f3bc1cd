import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { FAKE_ENGINE_OPTIONS } from '../../../test/support/engine-options.js';
import type { ToEngine } from './messages.js';
import { Supervisor } from './supervisor.js';

const NODE = process.execPath;
/** An engine that is ready at once and ends with its first request. */
const ENTRY = `process.on('message', ({ kind }) => {
  if (kind === 'start') process.send({ kind: 'ready' });
  if (kind === 'stop') process.exit(0);
  if (kind === 'submit') process.exit(1);
});`;

describe('a process that cannot be started', () => {
  let folder: string;
  let supervisor: Supervisor;
  /** Whether each loss was to be followed by another process. */
  let lost: boolean[];
  let log: string[];
  /** How to talk to each process that was ready. */
  let ready: ((message: ToEngine) => void)[];

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'koine-supervisor-'));
    writeFileSync(join(folder, 'entry.mjs'), ENTRY);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  afterEach(async () => {
    process.execPath = NODE;
    await supervisor.stop();
  });

  const start = (): void => {
    lost = [];
    log = [];
    ready = [];
    supervisor = new Supervisor({
      options: FAKE_ENGINE_OPTIONS,
      entryPath: join(folder, 'entry.mjs'),
      onLog: ({ text }) => log.push(text),
      onMessage: () => undefined,
      onReady: (_, send) => ready.push(send),
      onLost: (_, willRestart) => lost.push(willRestart),
    });
    supervisor.start();
  };

  it('at the first start is given up', async () => {
    process.execPath = '/nowhere/node';
    start();
    await expect.poll(() => lost).toEqual([false]);
    expect(supervisor.state).toBe('stopped');
  });

  it('after a loss is tried again until it can be', async () => {
    start();
    await expect.poll(() => ready.length, { timeout: 10_000 }).toBe(1);
    process.execPath = '/nowhere/node';
    ready[0]?.({ kind: 'submit' } as ToEngine);
    await expect.poll(() => lost, { timeout: 10_000 }).toEqual([true, true]);
    process.execPath = NODE;
    await expect.poll(() => ready.length, { timeout: 10_000 }).toBe(2);
    expect(supervisor.state).toBe('ready');
    expect(log.at(-1)).toBe('the engine process of table is back');
  });
});
