// LangChain's client from npm, unmodified, against the Jan dialect on a real port.

import type { AIMessageChunk } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI, OpenAI, OpenAIEmbeddings } from '@langchain/openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/index.js';
import { janDialect } from '../../src/dialects/jan/index.js';
import { Metrics } from '../../src/telemetry/index.js';
import { FakeEngine, fakeRouter } from '../support/fake-engine.js';
import { type Served, serveDialect } from '../support/serve.js';

const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
} as const;
const CALL = {
  tokens: ['a', 'b', 'c'],
  reason: 'tool_calls' as const,
  parts: [
    [{ kind: 'tool-call' as const, index: 0, id: 'c1', name: 'get_time' }],
    [{ kind: 'tool-arguments' as const, index: 0, text: '{"city":' }],
    [{ kind: 'tool-arguments' as const, index: 0, text: '"Oslo"}' }],
  ],
};
const time = tool(() => 'noon', { name: 'get_time', description: 'Tells the time.', schema: SCHEMA });
/** The call as LangChain hands it to its user: name and id once, whole arguments. */
const called = [
  expect.objectContaining({
    name: 'get_time',
    args: { city: 'Oslo' },
    id: expect.stringMatching(/^call__0_get_time_cmpl-[0-9a-f-]{36}$/),
  }),
];

/** LangChain's types lose the usage under strict options. */
function totalOf(message: object): number | undefined {
  return (message as { usage_metadata?: { total_tokens: number } }).usage_metadata?.total_tokens;
}

describe('LangChain', () => {
  let engine: FakeEngine;
  let served: Served;
  let chat: ChatOpenAI;
  let shared: { apiKey: string; maxRetries: number; configuration: { baseURL: string } };

  beforeEach(async () => {
    engine = new FakeEngine();
    const dialect = janDialect({ router: fakeRouter(engine), metrics: new Metrics(), clock: systemClock });
    served = await serveDialect(dialect, { apiKeys: ['secret'], prefix: '/jan' });
    shared = { apiKey: 'secret', maxRetries: 0, configuration: { baseURL: `${served.url}/jan/v1` } };
    chat = new ChatOpenAI({ ...shared, model: 'fake-model', maxTokens: 60 });
  });
  afterEach(() => served.close());

  it('chats, whole and streamed, with usage', async () => {
    const reply = await chat.invoke('Say hello');
    expect([reply.content, totalOf(reply)]).toEqual(['Hello world', 6]);
    let text = '';
    let total = 0;
    for await (const chunk of await chat.stream('Say hello')) {
      text += chunk.text;
      total += totalOf(chunk) ?? 0;
    }
    expect([text, total]).toEqual(['Hello world', 6]);
    expect(engine.requests.map(({ stop }) => stop.maxNewTokens)).toEqual([60, 60]);
  });

  it('calls tools, chosen or forced, whole and streamed', async () => {
    engine.reply = CALL;
    for (const tool_choice of ['auto', 'get_time', 'required']) {
      const bound = chat.bindTools([time], { tool_choice });
      expect((await bound.invoke('What time is it?')).tool_calls).toEqual(called);
      let joined: AIMessageChunk | undefined;
      for await (const chunk of await bound.stream('What time is it?')) {
        joined = joined === undefined ? chunk : joined.concat(chunk);
      }
      expect(joined?.tool_calls).toEqual(called);
    }
    const modes = engine.requests.map(({ constraint }) =>
      constraint?.kind === 'tool-call' ? constraint.mode : constraint?.kind,
    );
    expect(modes).toEqual(['auto', 'auto', ...Array(4).fill('call')]);
  });

  it('sends calls and results back', async () => {
    engine.reply = CALL;
    const question = { role: 'user', content: 'What time is it?' };
    const reply = await chat.bindTools([time]).invoke([question]);
    const results = await Promise.all((reply.tool_calls ?? []).map((call) => time.invoke(call)));
    engine.reply = { tokens: ['Noon.'] };
    expect((await chat.invoke([question, reply, ...results] as never)).content).toBe('Noon.');
    const input = engine.requests.at(-1)?.input;
    expect(input?.kind === 'chat' ? input.messages : []).toMatchObject([
      { role: 'user' },
      { role: 'assistant', toolCalls: [{ name: 'get_time', arguments: '{"city":"Oslo"}' }] },
      {
        role: 'tool',
        content: [{ kind: 'text', text: 'noon' }],
        toolCallId: expect.stringMatching(/^call__0_/),
      },
    ]);
  });

  it('gets structured output', async () => {
    engine.reply = { tokens: ['{"city":', '"Oslo"}'] };
    const structured = chat.withStructuredOutput(SCHEMA, { name: 'trip', method: 'jsonSchema' });
    expect(await structured.invoke('Plan a trip')).toEqual({ city: 'Oslo' });
    expect(engine.requests[0]?.constraint).toMatchObject({ kind: 'json-schema', schema: SCHEMA });
  });

  it('completes and embeds', async () => {
    const completion = new OpenAI({ ...shared, model: 'fake-model' });
    expect(await completion.invoke('Say hello')).toBe('Hello world');
    const embeddings = new OpenAIEmbeddings({ ...shared, model: 'fake-model' });
    const vectors = await embeddings.embedDocuments(['a', 'b c']);
    expect(vectors.map((vector) => [vector.length, Math.hypot(...vector)])).toEqual([
      [8, expect.closeTo(1, 5)],
      [8, expect.closeTo(1, 5)],
    ]);
  });
});
