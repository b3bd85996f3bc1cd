// The Jan dialect's entry in the suite of all dialects.

import { systemClock } from '../../src/base/index.js';
import { janDialect } from '../../src/dialects/jan/index.js';
import { Metrics } from '../../src/telemetry/index.js';
import { describeDialect, type Endpoint, type StreamReading } from './dialects.js';

interface WireChoice {
  readonly text?: string;
  readonly delta?: { readonly content?: string };
  readonly message?: { readonly content: string };
  readonly finish_reason: string | null;
}

function readStream(payloads: readonly string[]): StreamReading {
  const ends = payloads.filter((payload) => payload === '[DONE]').length;
  const chunks = payloads
    .filter((payload) => payload !== '[DONE]')
    .map((payload) => JSON.parse(payload) as { error?: unknown; choices?: readonly WireChoice[] });
  const choices = chunks.flatMap((chunk) => chunk.choices ?? []);
  const reason = choices.find(({ finish_reason }) => finish_reason !== null)?.finish_reason;
  return {
    text: choices.map(({ text, delta }) => text ?? delta?.content ?? '').join(''),
    ...(typeof reason === 'string' && { reason }),
    ends,
    errors: chunks.filter(({ error }) => error !== undefined).length,
  };
}

function read(body: unknown): { text: string; reason: string } {
  const [choice] = (body as { choices: readonly WireChoice[] }).choices;
  return { text: choice?.text ?? choice?.message?.content ?? '', reason: choice?.finish_reason ?? '' };
}

const reasons = { eos: 'stop', stop_sequence: 'stop', length: 'length' } as const;

const chat: Endpoint = {
  name: 'chat',
  path: '/v1/chat/completions',
  body: ({ prompt, stream, maxTokens }) => ({
    messages: [{ role: 'user', content: prompt }],
    stream,
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
  }),
  read,
  readStream,
  reasons,
  wrongType: { messages: 'hello' },
};

const completion: Endpoint = {
  name: 'completions',
  path: '/v1/completions',
  body: ({ prompt, stream, maxTokens }) => ({ prompt, stream, max_tokens: maxTokens ?? 100 }),
  read,
  readStream,
  reasons,
  wrongType: { prompt: 'x', temperature: 'hot' },
};

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
