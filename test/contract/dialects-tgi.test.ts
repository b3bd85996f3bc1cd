// Both TGI dialects' entries in the suite of all dialects.

import { DEFAULT_TGI_OPTIONS, tgi, tgi14 } from '../../src/dialects/tgi/index.js';
import { type DialectUnderTest, describeDialect, type Endpoint, type StreamReading } from './dialects.js';

interface WireEvent {
  readonly token?: { readonly text: string; readonly special: boolean };
  readonly generated_text?: string | null;
  readonly details?: { readonly finish_reason: string } | null;
  readonly error?: unknown;
}

interface WireChoice {
  readonly text?: string;
  readonly delta?: { readonly content: string };
  readonly message?: { readonly content: string };
  readonly finish_reason: string | null;
}

function readEvents(payloads: readonly string[]): StreamReading {
  const events = payloads.map((payload) => JSON.parse(payload) as WireEvent);
  const reason = events.at(-1)?.details?.finish_reason;
  return {
    text: events.map(({ token }) => (token === undefined || token.special ? '' : token.text)).join(''),
    ...(reason !== undefined && { reason }),
    ends: events.filter(({ generated_text: text }) => typeof text === 'string').length,
    errors: events.filter(({ error }) => error !== undefined).length,
  };
}

/** Chunks; 3.3.6 sends `[DONE]` after errors too, so an end that counts is one with a finish reason. */
function readChunks(payloads: readonly string[]): StreamReading {
  const chunks = payloads
    .filter((payload) => payload !== '[DONE]')
    .map((payload) => JSON.parse(payload) as { error?: unknown; choices?: readonly WireChoice[] });
  const choices = chunks.flatMap((chunk) => chunk.choices ?? []);
  const reasons = choices
    .map((choice) => choice.finish_reason)
    .filter((reason) => reason !== null && reason !== '');
  return {
    text: choices.map(({ text, delta }) => text ?? delta?.content ?? '').join(''),
    ...(typeof reasons[0] === 'string' && { reason: reasons[0] }),
    ends: reasons.length,
    errors: chunks.filter(({ error }) => error !== undefined).length,
  };
}

const generate: Endpoint = {
  name: 'generate',
  path: '/generate',
  streamPath: '/generate_stream',
  body: ({ prompt, maxTokens }) => ({
    inputs: prompt,
    parameters: { details: true, stop: [' b'], max_new_tokens: maxTokens ?? null },
  }),
  read: (body) => {
    const { generated_text, details } = body as {
      generated_text: string;
      details: { finish_reason: string };
    };
    return { text: generated_text, reason: details.finish_reason };
  },
  readStream: readEvents,
  reasons: { eos: 'eos_token', stop_sequence: 'stop_sequence', length: 'length' },
  wrongType: { inputs: 5 },
};

const compat: Endpoint = {
  ...generate,
  name: 'root',
  path: '/',
  streamPath: '/',
  body: ({ prompt, stream, maxTokens }) => ({
    inputs: prompt,
    stream,
    parameters: { details: true, return_full_text: false, stop: [' b'], max_new_tokens: maxTokens ?? null },
  }),
  read: (body) => {
    const [first] = body as readonly { generated_text: string; details: { finish_reason: string } }[];
    return { text: first?.generated_text ?? '', reason: first?.details.finish_reason ?? '' };
  },
};

const chat = (reasons: NonNullable<Endpoint['reasons']>): Endpoint => ({
  name: 'chat',
  path: '/v1/chat/completions',
  body: ({ prompt, stream, maxTokens }) => ({
    model: 'tgi',
    messages: [{ role: 'user', content: prompt }],
    stream,
    max_tokens: maxTokens ?? 100,
  }),
  read: (body) => {
    const [choice] = (body as { choices: readonly WireChoice[] }).choices;
    return { text: choice?.message?.content ?? choice?.text ?? '', reason: choice?.finish_reason ?? '' };
  },
  readStream: readChunks,
  reasons,
  wrongType: { model: 'tgi', messages: 'hello' },
});

const { reasons: _differ, ...chatLike } = chat({
  eos: 'stop',
  stop_sequence: 'stop_sequence',
  length: 'length',
});

// A stream's last chunk says eos_token where the whole answer says stop: no common words for the suite.
const completion: Endpoint = {
  ...chatLike,
  name: 'completions',
  path: '/v1/completions',
  body: ({ prompt, stream, maxTokens }) => ({ prompt, stream, max_tokens: maxTokens ?? 100 }),
  read: (body) => ({ text: (body as { choices: readonly WireChoice[] }).choices[0]?.text ?? '' }),
  wrongType: { prompt: 5 },
};

const status: DialectUnderTest['status'] = {
  tooLong: 422,
  overloaded: 429,
  badJson: 400,
  wrongType: 422,
  notUtf8: 400,
  tooLarge: 413,
  engineLost: 500,
  notFound: 404,
  methodNotAllowed: 405,
  unauthorized: 401,
};

function isRefusal(text: string, code: number): boolean {
  if (code === 401 || code === 404 || code === 405) return text === '';
  if (text.startsWith('Failed to ')) return code === 400 || code === 413 || code === 422;
  return Object.keys(JSON.parse(text) as object).join() === 'error,error_type';
}

const options = { ...DEFAULT_TGI_OPTIONS, payloadLimit: 64 * 1024 };

describeDialect({
  name: 'tgi',
  create: (router) => tgi({ router, options }),
  endpoints: [
    generate,
    compat,
    chat({ eos: 'stop', stop_sequence: 'stop_sequence', length: 'length' }),
    completion,
  ],
  isRefusal,
  status,
  refusesStreamsBy: 'event',
});

describeDialect({
  name: 'tgi-1.4',
  create: (router) => tgi14({ router, options }),
  endpoints: [generate, compat, chat({ eos: 'eos_token', stop_sequence: 'stop_sequence', length: 'length' })],
  isRefusal,
  status,
  refusesStreamsBy: 'event',
});
