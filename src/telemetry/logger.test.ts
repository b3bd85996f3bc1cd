import { describe, expect, it } from 'vitest';
import { createLogger, prettyLine } from './logger.js';

describe('the log', () => {
  it('writes one JSON object per record, with level, time and fields', () => {
    const lines: string[] = [];
    const log = createLogger({ level: 'info', destination: { write: (line) => void lines.push(line) } });
    log.debug('not shown');
    log.child({ requestId: 'r1' }).info({ status: 200 }, 'request');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      requestId: 'r1',
      status: 200,
      msg: 'request',
    });
  });

  it('can be read on a terminal', () => {
    const line = '{"level":"warn","time":"2026-01-02T03:04:05.678Z","path":"/a b","n":1,"msg":"careful"}\n';
    expect(prettyLine(line)).toBe('03:04:05.678 WARN  careful  path="/a b" n=1\n');
    expect(prettyLine('no json')).toBe('no json');
  });
});
