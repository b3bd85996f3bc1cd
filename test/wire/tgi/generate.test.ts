// Recorded exchanges of 3.3.6's generate routes, byte for byte.

import { afterEach, describe, expect, it } from 'vitest';
import { startTgi, type TgiUnderTest } from './start.js';

let server: TgiUnderTest;
afterEach(() => server.close());

const token = (id: number, text: string, logprob: string, special = false) =>
  `{"id":${id},"text":${JSON.stringify(text)},"logprob":${logprob},"special":${special}}`;

describe('/generate', () => {
  it('answers with the text alone', async () => {
    server = await startTgi({ reply: { tokens: [' blue'] } });
    const answer = await server.post('/generate', '{"inputs":"The sky is","parameters":{}}');
    expect(answer.text).toBe('{"generated_text":" blue"}');
    expect(answer.headers.get('content-type')).toBe('application/json');
  });

  it('answers with details', async () => {
    server = await startTgi({ reply: { tokens: [' blue', '.'], reason: 'length' } });
    const answer = await server.post(
      '/generate',
      '{"inputs":"The sky is","parameters":{"details":true,"max_new_tokens":2}}',
    );
    expect(answer.text).toBe(
      `{"generated_text":" blue.","details":{"finish_reason":"length","generated_tokens":2,"seed":null,"prefill":[],"tokens":[${token(103, ' blue', '-0.25')},${token(104, '.', '-0.5')}]}}`,
    );
  });
});

describe('/generate_stream', () => {
  it('sends one event per token, the last with text and details', async () => {
    server = await startTgi({ reply: { tokens: [' blue'] } });
    const answer = await server.post(
      '/generate_stream',
      '{"inputs":"The sky is","parameters":{"details":true}}',
    );
    expect(answer.text).toBe(
      `data: {"index":1,"token":${token(103, ' blue', '-0.25')},"generated_text":null,"details":null}\n\n` +
        `data: {"index":2,"token":${token(2, '</s>', '-0.125', true)},"generated_text":" blue","details":{"finish_reason":"eos_token","generated_tokens":2,"seed":null,"input_length":4}}\n\n`,
    );
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    expect(answer.headers.get('x-accel-buffering')).toBe('no');
    expect(answer.headers.get('x-compute-characters')).toBe('10');
    expect(answer.headers.get('x-total-time')).toBeNull();
  });
});
