// What TGI's clients do and rely on, played against a scripted engine: several requests, limits, clients that
// leave, figures. Chats are in chat-scenarios.test.ts; what a single request looks like on the wire is in exchanges/.

import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { detectWatermark } from '../../../src/engine/index.js';
import type { GenerateRequest } from '../../../src/protocol/index.js';
import { type Answer, eventsOf, metricOf, startTgi, type TgiSetup, type TgiUnderTest } from './start.js';

let server: TgiUnderTest;
afterEach(() => server.close());
const start = async (setup: TgiSetup = {}): Promise<TgiUnderTest> => {
  server = await startTgi(setup);
  return server;
};
const post = (path: string, body: unknown): Promise<Answer> => server.post(path, JSON.stringify(body));
const only = (): GenerateRequest => {
  const [request, ...others] = server.engine.requests;
  if (request === undefined || others.length > 0) throw new Error('not one request');
  return request;
};
const metric = (line: string): Promise<number> => metricOf(server, line);

describe('generate', () => {
  it('samples without parameters and is greedy with empty ones', async () => {
    await start();
    await post('/generate', { inputs: 'a' });
    await post('/generate', { inputs: 'a', parameters: {} });
    expect(server.engine.requests.map(({ sampling }) => sampling.temperature)).toEqual([1, 0]);
  });

  it('gives 1.4.2 a hundred new tokens, and the rest of the context where null is given', async () => {
    await start({ version: '1.4.2' });
    await post('/generate', { inputs: 'a' });
    await post('/generate', { inputs: 'a', parameters: {} });
    await post('/generate', { inputs: 'a', parameters: { max_new_tokens: null } });
    expect(server.engine.requests.map(({ stop }) => stop.maxNewTokens)).toEqual([100, 100, undefined]);
  });

  it('keeps the right end of a prompt that is cut, and shows it whole', async () => {
    await start({ reply: { tokens: [' d'] } });
    const answer = await post('/generate', {
      inputs: 'a b c',
      parameters: { truncate: 2, return_full_text: true, decoder_input_details: true },
    });
    const { generated_text: text, details } = JSON.parse(answer.text) as {
      generated_text: string;
      details: { prefill: readonly { text: string }[] };
    };
    expect(text).toBe('a b c d');
    expect(details.prefill.map((token) => token.text)).toEqual([' b', ' c']);
    expect(answer.headers.get('x-prompt-tokens')).toBe('2');
  });

  it('tells the token budget it refused', async () => {
    await start({ options: { maxInputTokens: 5, maxTotalTokens: 6 } });
    const answer = await post('/generate', { inputs: 'a', parameters: { max_new_tokens: 10 } });
    expect([answer.status, answer.text]).toEqual([
      422,
      '{"error":"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 6. Given: 2 `inputs` tokens and 10 `max_new_tokens`","error_type":"validation"}',
    ]);
  });

  it('accepts more new tokens than the context has, and asks for what fits', async () => {
    await start();
    const answer = await post('/generate', { inputs: 'a', parameters: { max_new_tokens: 100_000 } });
    expect([answer.status, only().stop.maxNewTokens]).toEqual([200, 2046]);
  });

  it('gives as many alternatives as asked for, up to the limit', async () => {
    await start({ reply: { tokens: [' x'], reason: 'length' } });
    const ask = (top_n_tokens: number) =>
      post('/generate', { inputs: 'a', parameters: { details: true, top_n_tokens } });
    const details = async (n: number) =>
      (JSON.parse((await ask(n)).text) as { details: { top_tokens?: readonly (readonly unknown[])[] } })
        .details;
    expect(await details(0)).not.toHaveProperty('top_tokens');
    expect((await details(4)).top_tokens?.map((each) => each.length)).toEqual([4]);
    expect((await details(5)).top_tokens?.map((each) => each.length)).toEqual([5]);
    expect((await ask(6)).status).toBe(422);
  });

  it('refuses best_of where it cannot be', async () => {
    await start();
    const ask = async (parameters: object) => (await post('/generate', { inputs: 'a', parameters })).status;
    expect(await ask({ best_of: 2 })).toBe(422);
    expect(await ask({ best_of: 2, do_sample: true, seed: 1 })).toBe(422);
    expect(await ask({ best_of: 3, do_sample: true })).toBe(422);
    expect(await ask({ best_of: 2, do_sample: true })).toBe(200);
  });

  it('calls a full length by that name, also where the last token is EOS', async () => {
    await start({ reply: { tokens: ['a'], reason: 'eos' } });
    const ask = async (max_new_tokens: number) => {
      const parameters = { details: true, max_new_tokens };
      const whole = await post('/generate', { inputs: 'a', parameters });
      const stream = await post('/generate_stream', { inputs: 'a', parameters });
      return [whole.text, eventsOf(stream).at(-1)].map(
        (each) => /"finish_reason":"(\w+)"/.exec(each ?? '')?.[1],
      );
    };
    expect([await ask(2), await ask(3)]).toEqual([
      ['length', 'length'],
      ['eos_token', 'eos_token'],
    ]);
  });

  it('leaves images written as markdown in the prompt', async () => {
    await start();
    const inputs = 'What is on ![](http://a.example/cat.png) and ![](data:image/png;base64,AAAA)?';
    await post('/generate', { inputs });
    await post('/v1/chat/completions', { messages: [{ role: 'user', content: inputs }] });
    const [first, second] = server.engine.requests.map(({ input }) =>
      input.kind === 'text' ? input.text : '',
    );
    expect(first).toBe(inputs);
    expect(second).toContain(inputs);
  });

  it('uses an adapter by its name and the base model for any other', async () => {
    await start();
    for (const adapter_id of ['fake-adapter', 'nothing']) {
      await post('/generate', { inputs: 'a', parameters: { adapter_id } });
    }
    expect(server.engine.requests.map(({ adapter }) => adapter)).toEqual(['fake-adapter', undefined]);
  });

  it('answers an engine that cannot compile the expression with 424', async () => {
    await start({ reply: { failAfter: 0, failure: { code: 'constraint', message: 'unbalanced bracket' } } });
    const grammar = { type: 'regex', value: '(' };
    const answer = await post('/generate', { inputs: 'a', parameters: { grammar } });
    expect([answer.status, answer.text]).toEqual([
      424,
      '{"error":"Request failed during generation: unbalanced bracket","error_type":"generation"}',
    ]);
  });

  it('answers an engine that cannot compile the schema with 422, streamed as an event', async () => {
    await start({ reply: { failAfter: 0, failure: { code: 'constraint', message: 'too deep' } } });
    const parameters = { grammar: { type: 'json', value: { properties: {} } } };
    const refusal =
      '{"error":"Input validation error: cannot compile regex from schema: too deep","error_type":"validation"}';
    const whole = await post('/generate', { inputs: 'a', parameters });
    expect([whole.status, whole.text]).toEqual([422, refusal]);
    const stream = await post('/generate_stream', { inputs: 'a', parameters });
    expect(stream.text).toBe(`data: ${refusal}\n\n`);
  });

  it('refuses grammars where they are switched off', async () => {
    await start({ options: { disableGrammarSupport: true } });
    const grammar = { type: 'regex', value: 'a' };
    const answer = await post('/generate', { inputs: 'a', parameters: { grammar } });
    expect(answer.text).toContain('Input validation error: grammar is not supported');
    const tool = {
      type: 'function',
      function: { name: 'f', parameters: { type: 'object', properties: {} } },
    };
    const tools = await post('/v1/chat/completions', {
      messages: [{ role: 'user', content: 'Hi' }],
      tools: [tool],
    });
    expect(tools.text).toContain('Input validation error: grammar is not supported');
  });

  it('refuses a body beyond the limit', async () => {
    await start();
    const answer = await post('/generate', { inputs: 'x'.repeat(3_000_000) });
    expect([answer.status, answer.text]).toEqual([
      413,
      'Failed to buffer the request body: length limit exceeded',
    ]);
  });

  it('gives tokens the ids that /generate sees', async () => {
    await start();
    const inputs = 'Ça va, 😀 señor?';
    const spans = JSON.parse((await post('/tokenize', { inputs })).text) as readonly {
      id: number;
      text: string;
      start: number;
      stop: number;
    }[];
    const bytes = Buffer.from(inputs);
    expect(spans.slice(1).map(({ start, stop }) => bytes.subarray(start, stop).toString())).toEqual(
      spans.slice(1).map(({ text }) => text),
    );
    const generated = await post('/generate', { inputs, parameters: { decoder_input_details: true } });
    const { details } = JSON.parse(generated.text) as { details: { prefill: readonly { id: number }[] } };
    expect(details.prefill.map(({ id }) => id)).toEqual(spans.map(({ id }) => id));
  });
});

describe('limits', () => {
  it('refuses one request too many at once, streams with an event', async () => {
    await start({ options: { maxConcurrentRequests: 1 }, reply: { tokens: ['a'], holdAfter: 0 } });
    const first = post('/generate', { inputs: 'a' });
    await server.engine.until(({ running }) => running === 1);
    // Decided before validation: this body would not pass it.
    const second = await post('/generate', { inputs: '' });
    expect([second.status, second.text]).toEqual([
      429,
      '{"error":"Model is overloaded","error_type":"overloaded"}',
    ]);
    const stream = await post('/generate_stream', { inputs: 'a' });
    expect([stream.status, stream.text]).toEqual([
      200,
      'data: {"error":"Model is overloaded","error_type":"overloaded"}\n\n',
    ]);
    server.engine.release();
    expect((await first).status).toBe(200);
    expect(await metric('tgi_request_failure{err="overloaded"}')).toBe(2);
  });

  it('counts every sequence of best_of and every prompt as a request', async () => {
    await start({ options: { maxConcurrentRequests: 1 } });
    const bestOf = await post('/generate', { inputs: 'a', parameters: { best_of: 2, do_sample: true } });
    const prompts = await post('/v1/completions', { prompt: ['a', 'b'] });
    expect([bestOf.status, prompts.status]).toEqual([429, 429]);
    expect((await post('/v1/completions', { prompt: ['a'] })).status).toBe(200);
  });

  it('frees the place of a client that leaves, and counts it as dropped', async () => {
    await start({ options: { maxConcurrentRequests: 1 }, reply: { tokens: ['a', 'b'], holdAfter: 1 } });
    const socket = await dial('/generate_stream', { inputs: 'a' });
    await new Promise((resolve) => socket.once('data', resolve));
    socket.destroy();
    await server.engine.until(({ running }) => running === 0);
    server.engine.reply = { tokens: ['a'] };
    await expect.poll(() => metric('tgi_request_failure{err="dropped"}')).toBe(1);
    expect((await post('/generate', { inputs: 'a' })).status).toBe(200);
  });

  it('streams to 128 clients at once, and refuses the next', async () => {
    const tokens = Array.from({ length: 20 }, (_, i) => ` t${i}`);
    await start({ reply: { tokens, holdAfter: 5 } });
    const streams = Array.from({ length: 128 }, () => post('/generate_stream', { inputs: 'a' }));
    await server.engine.until(({ running }) => running === 128);
    expect((await post('/generate', { inputs: 'a' })).status).toBe(429);
    server.engine.release();
    for (const answer of await Promise.all(streams)) {
      const texts = eventsOf(answer).map(
        (each) => (JSON.parse(each) as { index: number; token: { text: string } }).token.text,
      );
      expect(texts).toEqual([...tokens, '</s>']);
    }
  });

  it('sends a comment into a silent stream', async () => {
    await start({ options: { keepAliveSeconds: 0.02 }, reply: { tokens: ['a'], holdAfter: 0 } });
    const socket = await dial('/generate_stream', { inputs: 'a' });
    let text = '';
    await new Promise<void>((resolve) => {
      socket.on('data', (bytes: Buffer) => {
        text += bytes.toString();
        if (text.includes('\r\n:\n\n\r\n')) resolve();
      });
    });
    socket.destroy();
    // A chunk of its own, before any event.
    expect(text.slice(text.indexOf('\r\n\r\n') + 4)).toMatch(/^(3\r\n:\n\n\r\n)+$/);
  });
});

describe('completions', () => {
  it('streams four prompts side by side with one end each', async () => {
    await start({ reply: ({ input }) => ({ tokens: ['x', input.kind === 'text' ? input.text : ''] }) });
    const prompt = ['a', 'b', 'c', 'd'];
    const answer = await post('/v1/completions', { prompt, stream: true });
    const all = eventsOf(answer);
    expect(all.filter((each) => each === '[DONE]')).toHaveLength(1);
    const chunks = all.slice(0, -1).map(
      (each) =>
        JSON.parse(each) as {
          choices: readonly { index: number; text: string; finish_reason: string }[];
          usage?: { total_tokens: number };
        },
    );
    for (const [index, text] of prompt.entries()) {
      const own = chunks.filter(({ choices }) => choices[0]?.index === index);
      expect(own.map(({ choices }) => choices[0]?.text).join('')).toBe(`x${text}`);
      expect(own.filter(({ usage }) => usage !== undefined)).toHaveLength(1);
      expect(own.at(-1)?.usage?.total_tokens).toBe(5);
    }
    const whole = JSON.parse((await post('/v1/completions', { prompt })).text) as {
      choices: readonly { index: number; text: string }[];
      usage: unknown;
    };
    expect(whole.choices.map(({ index, text }) => [index, text]).sort()).toEqual(
      prompt.map((text, index) => [index, `x${text}`]),
    );
    expect(whole.usage).toEqual({ prompt_tokens: 8, completion_tokens: 12, total_tokens: 20 });
  });

  it('ends the other prompts when one fails', async () => {
    await start({
      reply: ({ input }) =>
        input.kind === 'text' && input.text === 'bad' ? { failAfter: 0 } : { tokens: ['x'], holdAfter: 0 },
    });
    const answer = await post('/v1/completions', { prompt: ['good', 'bad'] });
    expect(answer.status).toBe(500);
    await server.engine.until(({ running }) => running === 0);
    expect(server.engine.aborted).toBe(1);
  });
});

describe('operations', () => {
  it('is healthy while generation works and proves it after a failure', async () => {
    await start();
    expect((await server.get('/health')).status).toBe(200);
    expect(server.engine.requests).toHaveLength(0);
    server.engine.reply = { failAfter: 0, failure: { code: 'internal', message: 'broken' } };
    await post('/generate', { inputs: 'a' });
    const sick = await server.get('/health');
    expect([sick.status, sick.text]).toEqual([503, '{"error":"unhealthy","error_type":"healthcheck"}']);
    server.engine.reply = { tokens: ['a'] };
    expect((await server.get('/health')).status).toBe(200);
  });

  it('proves itself at the first probe in 1.4.2', async () => {
    await start({ version: '1.4.2' });
    await server.get('/health');
    await server.get('/health');
    expect(server.engine.requests.map(({ stop }) => stop.maxNewTokens)).toEqual([1]);
  });

  it('counts what happened', async () => {
    await start({ reply: { tokens: ['a', 'b'], reason: 'length' } });
    expect((await server.get('/metrics')).text).not.toContain('tgi_request_count');
    await post('/generate', { inputs: 'a b', parameters: { max_new_tokens: 2 } });
    await post('/generate_stream', { inputs: 'a b', parameters: { max_new_tokens: 2 } });
    await post('/generate', { inputs: '' });
    expect(await metric('tgi_request_count')).toBe(3);
    expect(await metric('tgi_request_success')).toBe(2);
    expect(await metric('tgi_request_failure{err="validation"}')).toBe(1);
    expect(await metric('tgi_request_generated_tokens_sum')).toBe(4);
    expect(await metric('tgi_request_input_length_sum')).toBe(6);
    expect(await metric('tgi_request_max_new_tokens_sum')).toBe(4);
    expect(await metric('tgi_request_queue_duration_sum')).toBeCloseTo(0.002, 9);
    expect(await metric('tgi_request_inference_duration_sum')).toBeCloseTo(0.01, 9);
    expect(await metric('tgi_request_duration_bucket{le="0.00015"}')).toBe(0);
    const { text } = await server.get('/metrics');
    expect(text.match(/tgi_request_duration_bucket/g)).toHaveLength(36);
    expect(text.match(/tgi_request_input_length_bucket/g)).toHaveLength(101);
    expect(text).toContain('tgi_request_skipped_tokens{quantile="0.5"} 0');
  });

  it('counts every prompt of a body, and each ends as a success or a failure', async () => {
    await start({
      reply: ({ input }) =>
        input.kind === 'text' && input.text === 'bad' ? { failAfter: 0 } : { tokens: ['x'], holdAfter: 0 },
    });
    const instances = [{ inputs: 'a' }, { inputs: 'bad' }];
    await post('/v1/completions', { prompt: ['a', 'b', 'bad'] });
    await post('/v1/completions', { prompt: ['a', 'bad'], stream: true });
    await post('/vertex', { instances });
    await post('/vertex', { instances: [] });
    await post('/v1/completions', { prompt: ['a', 'b'], suffix: '' });
    server.engine.reply = { tokens: ['x'] };
    await post('/v1/completions', { prompt: ['a', 'b', 'c'] });
    expect(await metric('tgi_request_count')).toBe(3 + 2 + 2 + 1 + 2 + 3);
    expect(await metric('tgi_request_success')).toBe(3);
    expect(await metric('tgi_request_failure{err="incomplete"}')).toBe(3 + 2 + 2);
    expect(await metric('tgi_request_failure{err="validation"}')).toBe(1 + 2);
  });

  it('answers a browser that sends a key', async () => {
    await start();
    const answer = await fetch(`${server.url}/generate`, {
      method: 'OPTIONS',
      headers: {
        origin: 'http://a.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,authorization',
      },
    });
    expect(answer.status).toBeLessThan(300);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('access-control-allow-headers')).toContain('authorization');
  });

  it('shows its pages below any prefix', async () => {
    await start({ serve: { prefix: '/tgi' } });
    const redirected = await fetch(`${server.url}/tgi/docs`);
    expect([redirected.url, redirected.status]).toEqual([`${server.url}/tgi/docs/`, 200]);
    expect(await redirected.text()).toContain('../api-doc/openapi.json');
    expect((await server.get('/tgi/')).status).toBe(200);
  });

  it('finds the watermark in tokens that carry it, and not in others', async () => {
    await start({ deps: { detectWatermark } });
    const marked = [1];
    for (let i = 0; marked.length < 200; i++) {
      const next = (i * 7919) % 5000;
      if (detectWatermark([marked.at(-1) ?? 0, next], 0.5).green === 1) marked.push(next);
    }
    const plain = Array.from({ length: 200 }, (_, i) => (i * 7919) % 5000);
    const score = async (body: unknown) =>
      JSON.parse((await post('/extras/watermark/detect', body)).text) as Record<string, number | boolean>;
    expect(await score({ tokens: marked })).toMatchObject({ tokens_scored: 199, watermarked: true });
    expect((await score({ tokens: marked }))['p_value']).toBeLessThan(1e-6);
    expect(await score({ tokens: plain })).toMatchObject({ watermarked: false });
    expect(await score({ inputs: 'a b c', threshold: -10 })).toMatchObject({
      tokens_scored: 2,
      watermarked: true,
    });
    expect((await post('/extras/watermark/detect', {})).status).toBe(422);
    expect((await post('/extras/watermark/detect', { tokens: [1], gamma: 1 })).status).toBe(422);
  });
});

/** Sends a request by hand, so that the connection can be cut at will. */
async function dial(path: string, body: unknown): Promise<Socket> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('connect', resolve));
  const text = JSON.stringify(body);
  const head = `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json`;
  socket.write(`${head}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  return socket;
}
