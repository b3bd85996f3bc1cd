// The caller's trace, as W3C Trace Context names it in `traceparent`. Nothing is sent to a collector: the ids stand in
// every log record of the request, so that it is found from the caller's side.

import type { IncomingHttpHeaders } from 'node:http';

/** A place in somebody's trace; both ids in lower-case hex. */
export interface TraceContext {
  /** 32 digits. */
  readonly traceId: string;
  /** The caller's span, 16 digits. */
  readonly parentSpanId: string;
}

/** Version, trace, span and flags; only versions after 00 may have more behind them. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;
const ALL_ZERO = /^0+$/;

/** The trace a request belongs to; undefined when it names none, or one that is not valid (to be ignored then). */
export function traceOf({ traceparent }: IncomingHttpHeaders): TraceContext | undefined {
  const [, version, traceId, parentSpanId, more] =
    typeof traceparent === 'string' ? (TRACEPARENT.exec(traceparent) ?? []) : [];
  if (traceId === undefined || parentSpanId === undefined) return undefined;
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  return ALL_ZERO.test(traceId) || ALL_ZERO.test(parentSpanId) ? undefined : { traceId, parentSpanId };
}
