// Chats with tools the demo model does not use: what it says is what it says without anything to hold.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ManagedEngine } from '../../src/engine/index.js';
import type { ChatInput, Constraint, GenerateEvent } from '../../src/protocol/index.js';
import { type EngineRequest, runRequest, startTestEngine } from '../support/engine.js';

let engine: ManagedEngine;
beforeAll(async () => {
  ({ engine } = startTestEngine({ promptLookup: 8 }));
  await engine.ready;
});
afterAll(() => engine.close());

const TOOLS = [
  {
    name: 'get_weather',
    description: 'Get the weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
];
const HOLD: Constraint = { kind: 'tool-call', tools: TOOLS, mode: 'auto', parallel: true };

function chat(text: string, variables: ChatInput['variables'] = {}): ChatInput {
  return {
    kind: 'chat',
    messages: [{ role: 'user', content: [{ kind: 'text', text }] }],
    tools: TOOLS,
    toolChoice: { kind: 'auto' },
    parallelToolCalls: true,
    continueFinal: false,
    variables,
    parseReply: true,
  };
}

/** Everything that is said of a reply, but what depends on time. */
async function said(request: EngineRequest): Promise<unknown> {
  const stop = { ignoreEos: false, maxNewTokens: 60 };
  const { events } = await runRequest(engine, { usePrefixCache: false, ...request, stop });
  const tokens = events.flatMap((event) => (event.kind === 'delta' ? [...(event.tokens ?? [])] : []));
  const parts = events.flatMap((event) => (event.kind === 'delta' ? [...(event.parts ?? [])] : []));
  const ends = events.flatMap((event: GenerateEvent) => (event.kind === 'choice' ? [event.reason] : []));
  expect(tokens.length).toBeGreaterThan(4);
  expect(parts.some(({ kind }) => kind === 'tool-call')).toBe(false);
  return { tokens, ends, text: parts.map((part) => ('text' in part ? part.text : '')).join('') };
}

describe('a reply without a call', () => {
  it.each([
    ['Hello!', {}, { temperature: 0 }],
    ['Tell me a story about a dog.', {}, { temperature: 0 }],
    ['Tell me a story about a dog.', {}, { temperature: 1.2, seed: 5n }],
  ] as const)('has the same tokens and scores: %s %j', async (text, variables, sampling) => {
    const request = { input: chat(text, variables), sampling, output: { tokens: true, logprobs: 2 } };
    expect(await said({ ...request, constraint: HOLD })).toEqual(await said(request));
  });
});
