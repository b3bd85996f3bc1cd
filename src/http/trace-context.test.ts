import { describe, expect, it } from 'vitest';
import { createLogger } from '../telemetry/index.js';
import type { Dialect } from './dialect.js';
import { Listener } from './listener.js';
import { DEFAULT_HTTP } from './options.js';
import { traceOf } from './trace-context.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

describe('traceOf', () => {
  it('reads what the header names, of later versions too', () => {
    const expected = { traceId: TRACE, parentSpanId: SPAN };
    expect(traceOf({ traceparent: `00-${TRACE}-${SPAN}-01` })).toEqual(expected);
    expect(traceOf({ traceparent: `01-${TRACE}-${SPAN}-00-more` })).toEqual(expected);
  });

  it.each([
    ['nothing', undefined],
    ['something else', 'hello'],
    ['upper case', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ['a trace of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['a span of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['the version that cannot be', `ff-${TRACE}-${SPAN}-01`],
    ['more than version 00 has', `00-${TRACE}-${SPAN}-01-more`],
    ['too few digits', `00-${TRACE.slice(1)}-${SPAN}-01`],
  ])('ignores %s', (_what, traceparent) => {
    expect(traceOf(traceparent === undefined ? {} : { traceparent })).toBeUndefined();
  });
});

it('stands in the records of its request, and changes nothing of the answer', async () => {
  const records: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => records.push(JSON.parse(line) as Record<string, unknown>) };
  const dialect: Dialect = {
    name: 'a',
    routes: [
      {
        method: 'GET',
        path: '/',
        handle: (exchange) => {
          exchange.log.info('working');
          exchange.sendJson(200, 1);
        },
      },
    ],
    refuse: (_problem, exchange) => exchange.sendEmpty(400),
  };
  const listener = new Listener({
    options: { ...DEFAULT_HTTP, host: '127.0.0.1', port: 0 },
    mounts: [{ dialect, prefix: '' }],
    log: createLogger({ level: 'info', destination }),
  });
  const { port } = await listener.listen();
  const ask = async (headers: Record<string, string>): Promise<string[]> => {
    const response = await fetch(`http://127.0.0.1:${port}/`, { headers });
    await response.text();
    return [...response.headers.keys()];
  };
  const traced = await ask({ traceparent: `00-${TRACE}-${SPAN}-01` });
  expect(await ask({})).toEqual(traced);
  await listener.drain(1_000);
  expect(records.map(({ msg, traceId, parentSpanId }) => [msg, traceId, parentSpanId])).toEqual([
    ['working', TRACE, SPAN],
    ['request', TRACE, SPAN],
    ['working', undefined, undefined],
    ['request', undefined, undefined],
  ]);
});
