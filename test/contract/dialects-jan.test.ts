// The Jan dialect's entry in the suite of all dialects.

import { systemClock } from '../../src/base/index.js';
import { janDialect } from '../../src/dialects/jan/index.js';
import { Metrics } from '../../src/telemetry/index.js';
import { describeDialect } from './dialects.js';
import { chat, completion } from './openai-wire.js';

/** One of the three shapes errors have here. */
function isRefusal(text: string): boolean {
  const { detail, error } = JSON.parse(text) as { detail?: unknown; error?: Record<string, unknown> };
  if (typeof detail === 'string') return detail !== '';
  if (Array.isArray(detail)) {
    return detail.length > 0 && detail.every((fault) => ['loc', 'msg', 'type'].every((key) => key in fault));
  }
  return (
    Object.keys(error ?? {}).join() === 'message,type,param,code' && typeof error?.['message'] === 'string'
  );
}

describeDialect({
  name: 'jan',
  create: (router) => janDialect({ router, metrics: new Metrics(), clock: systemClock }),
  endpoints: [chat, completion],
  isRefusal,
  status: {
    tooLong: 400,
    overloaded: 429,
    badJson: 422,
    wrongType: 422,
    notUtf8: 422,
    tooLarge: 413,
    engineLost: 500,
    notFound: 404,
    methodNotAllowed: 405,
    unauthorized: 401,
  },
  refusesStreamsBy: 'status',
});
