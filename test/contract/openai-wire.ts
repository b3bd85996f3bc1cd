// The wire of OpenAI's API for the suite of all dialects: those that share it describe only what differs.

import type { Endpoint, StreamReading } from './dialects.js';

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

/** Chats, as every client of OpenAI's asks for them. */
export const chat: Endpoint = {
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

/** Completions, the same. */
export const completion: Endpoint = {
  name: 'completions',
  path: '/v1/completions',
  body: ({ prompt, stream, maxTokens }) => ({ prompt, stream, max_tokens: maxTokens ?? 100 }),
  read,
  readStream,
  reasons,
  wrongType: { prompt: 'x', temperature: 'hot' },
};
