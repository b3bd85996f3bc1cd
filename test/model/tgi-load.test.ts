// Load as TGI's own load tests make it, against the real server and the demo model: nobody is refused or forgotten.

import { beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../support/server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ args: ['--parallel', '16', '--ctx-size', '1024'] });
  return () => server.stop();
});

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}
const post = async (path: string, body: unknown): Promise<Answer> => {
  const response = await fetch(`${server.url}/tgi${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
};
const QUESTIONS = [
  'What is the capital of France?',
  'Tell me about cats.',
  'What is 3 plus 4?',
  'Who are you?',
  'Write a short story about a fox.',
];
const chat = async (content: string): Promise<Answer & { readonly content: string }> => {
  const messages = [{ role: 'user', content }];
  const answer = await post('/v1/chat/completions', { messages, temperature: 0, max_tokens: 50 });
  const { choices } = JSON.parse(answer.text) as { choices: readonly { message: { content: string } }[] };
  return { ...answer, content: choices[0]?.message.content ?? '' };
};

// Hundreds of texts on a machine that may be busy with others.
describe('load', { timeout: 120_000 }, () => {
  it('of 200 chats by 100 users at once leaves none unanswered', async () => {
    const user = async (i: number): Promise<readonly Answer[]> => {
      const first = await chat(QUESTIONS[i % QUESTIONS.length] ?? '');
      const second = await chat(QUESTIONS[(i + 1) % QUESTIONS.length] ?? '');
      return [first, second];
    };
    const answers = (await Promise.all(Array.from({ length: 100 }, (_, i) => user(i)))).flat();
    expect(answers.map(({ status }) => status)).toEqual(Array(200).fill(200));
    for (const { text, headers } of answers) {
      const { usage, choices } = JSON.parse(text) as {
        usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
        choices: readonly { message: { content: string }; finish_reason: string }[];
      };
      expect(choices[0]?.message.content).not.toBe('');
      expect(['stop', 'length']).toContain(choices[0]?.finish_reason);
      expect(usage.completion_tokens).toBeLessThanOrEqual(50);
      expect(usage.total_tokens).toBe(usage.prompt_tokens + usage.completion_tokens);
      expect(headers.get('x-generated-tokens')).toBe(String(usage.completion_tokens));
    }
  });

  it('of ten prompts far beyond the context is refused with their length, or cut where that is asked for', async () => {
    const prompts = Array.from(
      { length: 10 },
      (_, i) => `${i}: ${'the sky is blue. '.repeat(8_000 + 500 * i)}`,
    );
    const [small, ...answers] = await Promise.all([
      chat('What is the capital of France?'),
      ...prompts.map((inputs, i) =>
        post('/generate', {
          inputs,
          parameters: { max_new_tokens: 8, ...(i < 5 ? {} : { truncate: 1000 }) },
        }),
      ),
    ]);
    expect(small?.status).toBe(200);
    for (const [i, { status, text, headers }] of answers.entries()) {
      if (i < 5) {
        expect([status, text]).toEqual([
          422,
          expect.stringMatching(/must be <= 1024. Given: \d{5} `inputs` tokens/),
        ]);
      } else {
        expect([status, headers.get('x-prompt-tokens')]).toEqual([200, '1000']);
        expect(headers.get('x-compute-characters')).toBe(String(prompts[i]?.length));
      }
    }
  });

  it('of ten requests a second tells times that add up', async () => {
    const answers: Promise<Answer>[] = [];
    for (let i = 0; i < 20; i++) {
      const parameters = { max_new_tokens: 20, details: true };
      answers.push(post('/generate', { inputs: `Once upon a time, number ${i},`, parameters }));
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    for (const { status, headers, text } of await Promise.all(answers)) {
      expect(status).toBe(200);
      const { details } = JSON.parse(text) as { details: { tokens: readonly unknown[] } };
      const [total = 0, validation = 0, queue = 0, inference = 0, perToken = 0] = [
        'X-Total-Time',
        'X-Validation-Time',
        'X-Queue-Time',
        'X-Inference-Time',
        'X-Time-Per-Token',
      ].map((name) => Number(headers.get(name)));
      expect(headers.get('x-generated-tokens')).toBe(String(details.tokens.length));
      // Each is cut to whole milliseconds.
      expect(validation + queue + inference).toBeLessThanOrEqual(total + 1);
      expect(Math.floor(inference / details.tokens.length)).toBeGreaterThanOrEqual(perToken - 1);
      expect(Math.floor(inference / details.tokens.length)).toBeLessThanOrEqual(perToken);
      expect(Number(headers.get('x-compute-time')) * 1000).toBeLessThan(total + 1);
    }
  });
});
