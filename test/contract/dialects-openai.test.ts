// The OpenAI dialect's entry in the suite of all dialects.

import { systemClock } from '../../src/base/index.js';
import { openAiDialect } from '../../src/dialects/openai/index.js';
import { Metrics } from '../../src/telemetry/index.js';
import { describeDialect } from './dialects.js';
import { chat, completion } from './openai-wire.js';

describeDialect({
  name: 'openai',
  create: (router) => openAiDialect({ router, metrics: new Metrics(), clock: systemClock }),
  endpoints: [chat, completion],
  isRefusal: (text) => {
    const { error } = JSON.parse(text) as { error?: Record<string, unknown> };
    return (
      Object.keys(error ?? {}).join() === 'message,type,param,code' && typeof error?.['message'] === 'string'
    );
  },
  status: {
    tooLong: 400,
    overloaded: 429,
    badJson: 400,
    wrongType: 400,
    notUtf8: 400,
    tooLarge: 413,
    engineLost: 500,
    notFound: 404,
    methodNotAllowed: 405,
    unauthorized: 401,
  },
  refusesStreamsBy: 'status',
});
