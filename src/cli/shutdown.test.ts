import { describe, expect, it } from 'vitest';
import { shutdownHandler } from './shutdown.js';

function stage() {
  let time = 0;
  let finish: (() => void) | undefined;
  let fail: ((reason: Error) => void) | undefined;
  const drained: string[] = [];
  const exits: number[] = [];
  const reports: unknown[] = [];
  const handle = shutdownHandler({
    drain(signal) {
      drained.push(signal);
      return new Promise((resolve, reject) => {
        finish = resolve;
        fail = reject;
      });
    },
    report: (error) => reports.push(error),
    exit: (code) => exits.push(code),
    now: () => time,
  });
  return {
    handle,
    drained,
    exits,
    reports,
    pass: (ms: number) => (time += ms),
    finish: () => finish?.(),
    fail: () => fail?.(new Error('the sockets would not close')),
  };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('ending on request', () => {
  it('drains once and exits 0', async () => {
    const { handle, drained, exits, finish } = stage();
    handle('SIGTERM');
    await settled();
    expect([drained, exits]).toEqual([['SIGTERM'], []]);
    finish();
    await settled();
    expect(exits).toEqual([0]);
  });

  it('takes signals that come together for one', () => {
    const { handle, drained, exits, pass } = stage();
    handle('SIGINT');
    pass(499);
    handle('SIGINT');
    expect([drained, exits]).toEqual([['SIGINT'], []]);
  });

  it('ends at once when told again later', () => {
    const { handle, exits, pass } = stage();
    handle('SIGINT');
    pass(500);
    handle('SIGTERM');
    expect(exits).toEqual([143]);
  });

  it('exits 1 when the drain fails, and says why', async () => {
    const { handle, exits, reports, fail } = stage();
    handle('SIGTERM');
    fail();
    await settled();
    expect(exits).toEqual([1]);
    expect(reports).toEqual([new Error('the sockets would not close')]);
  });
});
