import { describe, expect, it } from 'vitest';
import { FakeEngine, fakeRouter } from '../../../test/support/fake-engine.js';
import { serveDialect } from '../../../test/support/serve.js';
import { systemClock } from '../../base/index.js';
import { Metrics } from '../../telemetry/index.js';
import { openAiDialect } from './index.js';

/** A server whose streams get a comment after so many milliseconds. */
function serve(engine: FakeEngine, keepAliveMs: number, metrics = new Metrics()) {
  const dialect = openAiDialect({ router: fakeRouter(engine), metrics, clock: systemClock });
  return serveDialect(dialect, { http: { keepAliveMs } });
}

function ask(url: string, body: object, path = '/v1/chat/completions'): Promise<Response> {
  const messages = [{ role: 'user', content: 'x' }];
  const headers = { 'content-type': 'application/json' };
  return fetch(url + path, {
    method: 'POST',
    headers,
    body: JSON.stringify({ messages, stream: true, ...body }),
  });
}

describe('a stream that waits for a place', () => {
  it('opens with comments, and ends with an error event if it is refused after all', async () => {
    const engine = new FakeEngine({ reply: { failAfter: 0, holdAfter: -1 } });
    const served = await serve(engine, 5);
    const response = await ask(served.url, {});
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const first = await reader.read();
    expect(Buffer.from(first.value ?? []).toString()).toMatch(/^(: keep-alive\n\n)+$/);
    engine.release();
    let rest = '';
    for (let next = await reader.read(); next.value !== undefined; next = await reader.read()) {
      rest += Buffer.from(next.value).toString();
    }
    expect(rest).toMatch(/^(: keep-alive\n\n)*data: \{"error":.*"engine_lost"\}\}\n\n$/);
    await served.close();
  });
});

describe('a stream that waits for its model to be loaded', () => {
  it.each([
    ['is answered behind comments', {}, /^(: keep-alive\n\n)+data: [\s\S]*data: \[DONE\]\n\n$/],
    [
      'is told what is wrong by an event',
      { suffix: 'y' },
      /^(: keep-alive\n\n)+data: \{"error":.*"unsupported"\}\}\n\n$/,
    ],
  ])('%s', async (_, extra, expected) => {
    const engine = new FakeEngine();
    const served = await serve(engine, 5);
    let arrive = (): void => undefined;
    const arrival = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    engine.describe = () => arrival.then(() => engine.description);
    const response = await ask(served.url, { ...extra, prompt: 'x' }, '/v1/completions');
    let text = '';
    for await (const bytes of response.body ?? []) {
      text += Buffer.from(bytes as Uint8Array).toString();
      arrive();
    }
    expect([response.status, text]).toEqual([200, expect.stringMatching(expected)]);
    await served.close();
  });
});

describe('several prompts', () => {
  it('are all given up when one of them fails', async () => {
    const engine = new FakeEngine({
      reply: ({ input }) =>
        input.kind === 'text' && input.text === 'bad'
          ? { tokens: ['x'], failAfter: 1 }
          : { tokens: ['a'], holdAfter: 0 },
    });
    const served = await serve(engine, 0);
    for (const stream of [true, false]) {
      const response = await ask(served.url, { prompt: ['good', 'bad'], stream }, '/v1/completions');
      const text = await response.text();
      expect(response.status).toBe(stream ? 200 : 500);
      expect(text).toContain('"code":"engine_lost"');
      expect(text).not.toContain('[DONE]');
      await engine.until(({ running }) => running === 0);
    }
    await served.close();
  });
});

describe('figures', () => {
  it('count generations by route and outcome', async () => {
    const metrics = new Metrics();
    const engine = new FakeEngine();
    const served = await serve(engine, 0, metrics);
    await (await ask(served.url, {})).text();
    await (await ask(served.url, { stream: false, max_tokens: 1 })).text();
    await (await ask(served.url, { max_tokens: 9999 })).text();
    const lines = (await metrics.text())
      .split('\n')
      .filter((line) => line.startsWith('koine_generations_total'));
    const labels = (outcome: string): string =>
      `koine_generations_total{dialect="openai",route="/v1/chat/completions",outcome="${outcome}"} 1`;
    expect(lines).toEqual(['eos', 'length', 'too_long'].map(labels));
    await served.close();
  });
});

describe('a rule for the output that is refused', () => {
  const refused = () =>
    new FakeEngine({
      reply: {
        failAfter: 0,
        failure: { code: 'constraint', message: '/a: no', details: { field: 'constraint' } },
      },
    });
  const tool = { type: 'function', function: { name: 'f' } };

  it.each([
    [{ response_format: { type: 'json_object' } }, 'response_format'],
    [{ guided_regex: 'a' }, 'guided_regex'],
    [{ grammar: 'root ::= "a"' }, 'grammar'],
    [{ tools: [tool], tool_choice: 'required' }, 'tools'],
    [{ functions: [tool.function], function_call: { name: 'f' } }, 'functions'],
  ])('is told by the name of its field: %j', async (body, param) => {
    const served = await serve(refused(), 0);
    for (const stream of [true, false]) {
      const response = await ask(served.url, { ...body, stream });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        error: { message: '/a: no', param, code: 'constraint' },
      });
    }
    await served.close();
  });

  it('is told by the tools where they are at fault beside another rule', async () => {
    const failure = { code: 'constraint', message: 'tools/f: no', details: { field: 'tools' } } as const;
    const served = await serve(new FakeEngine({ reply: { failAfter: 0, failure } }), 0);
    const body = { response_format: { type: 'json_object' }, tools: [tool], stream: false };
    expect(await (await ask(served.url, body)).json()).toMatchObject({ error: { param: 'tools' } });
    await served.close();
  });
});
