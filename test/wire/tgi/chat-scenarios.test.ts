// What TGI's chat clients do and rely on, played against a scripted engine: templates, tools, formats, images.

import { afterEach, describe, expect, it } from 'vitest';
import { createChatRenderer } from '../../../src/chat/index.js';
import { type ChatInput, type GenerateRequest, KoineError } from '../../../src/protocol/index.js';
import { type Answer, eventsOf, metricOf, startTgi, type TgiSetup, type TgiUnderTest } from './start.js';

let server: TgiUnderTest;
afterEach(() => server.close());
const start = async (setup: TgiSetup = {}): Promise<void> => {
  server = await startTgi(setup);
};
const post = (path: string, body: unknown): Promise<Answer> => server.post(path, JSON.stringify(body));
const metric = (line: string): Promise<number> => metricOf(server, line);
const MESSAGES = [{ role: 'user', content: 'Weather in Paris?' }];
const TOOL = {
  type: 'function',
  function: {
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};

describe('chat', () => {
  it('continues a message of the assistant', async () => {
    await start();
    const seen: ChatInput[] = [];
    server.engine.renderChat = (chat) => {
      seen.push(chat);
      return Promise.resolve('the elephant, but');
    };
    const messages = [...MESSAGES, { role: 'assistant', content: 'the elephant, but' }];
    await post('/v1/chat/completions', { messages });
    await post('/v1/chat/completions', { messages: MESSAGES });
    expect(seen.map(({ continueFinal }) => continueFinal)).toEqual([true, false]);
    expect(server.engine.requests[0]?.input).toEqual({
      kind: 'text',
      text: 'the elephant, but',
      addSpecial: false,
      parseSpecial: true,
    });
  });

  it("tells what the model's template refuses, with a real status also for streams", async () => {
    const chatTemplate = "{% if x %}\n{{ raise_exception('Roles must alternate') }}{% endif %}";
    await start({ description: { chatTemplate } });
    server.engine.renderChat = () =>
      Promise.reject(
        new KoineError('template', 'the chat template refused the conversation: Roles must alternate'),
      );
    for (const stream of [false, true]) {
      const answer = await post('/v1/chat/completions', { messages: MESSAGES, stream });
      expect([answer.status, answer.text]).toEqual([
        422,
        '{"error":"Template error: syntax error: Roles must alternate (in <string>:2)","error_type":"template_error"}',
      ]);
    }
    expect(await metric('tgi_request_failure{err="template"}')).toBe(2);
  });

  it('answers a template that raises with what it says', async () => {
    const chatTemplate =
      "{% for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('Roles must alternate user/assistant') }}{% endif %}{{ m.content }}{% endfor %}";
    await start({ description: { chatTemplate } });
    const renderer = createChatRenderer({ template: chatTemplate, bosText: '', eosText: '', source: 'test' });
    server.engine.renderChat = async (chat) => renderer.render(chat);
    const user = { role: 'user', content: 'a' };
    expect((await post('/v1/chat/completions', { messages: [user] })).status).toBe(200);
    const answer = await post('/v1/chat/completions', { messages: [user, user] });
    const { error, error_type } = JSON.parse(answer.text) as { error: string; error_type: string };
    expect([answer.status, error_type]).toEqual([422, 'template_error']);
    expect(error).toMatch(/^Template error: .*Roles must alternate user\/assistant/);
  });

  it.each([
    ['at an address', { url: 'http://a.example/cat.png' }],
    ['png as data', { url: 'data:image/png;base64,iVBORw0KGgo=' }],
    ['jpeg as data', { url: 'data:image/jpeg;base64,/9j/4AAQ' }],
  ])('refuses an image %s, whole and streamed, alone and with another', async (_what, image_url) => {
    await start();
    const image = { type: 'image_url', image_url };
    for (const images of [[image], [image, image]]) {
      const messages = [{ role: 'user', content: [{ type: 'text', text: 'What is this?' }, ...images] }];
      for (const stream of [false, true]) {
        const answer = await post('/v1/chat/completions', { messages, stream });
        expect([answer.status, answer.text]).toEqual([
          422,
          '{"error":"Input validation error: image modality is not supported","error_type":"validation"}',
        ]);
      }
    }
    expect(server.engine.requests).toHaveLength(0);
  });

  it('says that a model has no template', async () => {
    await start();
    server.engine.renderChat = () =>
      Promise.reject(new KoineError('template', 'the model has no chat template'));
    const answer = await post('/chat_tokenize', { messages: MESSAGES });
    expect(answer.text).toBe('{"error":"Template error: template not found","error_type":"template_error"}');
  });

  it('leaves the rendering to an engine that cannot show its prompt', async () => {
    await start();
    server.engine.renderChat = () => Promise.reject(new KoineError('unsupported'));
    expect((await post('/v1/chat/completions', { messages: MESSAGES })).status).toBe(200);
    expect(server.engine.requests[0]?.input).toMatchObject({ kind: 'chat', parseReply: false });
  });

  it('maps its fields by its own rules', async () => {
    await start();
    await post('/v1/chat/completions', {
      messages: MESSAGES,
      temperature: 0,
      presence_penalty: 0,
      max_completion_tokens: 7,
      stop: ['x'],
      model: 'fake-adapter',
      n: 3,
    });
    await post('/v1/chat/completions', { messages: MESSAGES });
    const [first, second] = server.engine.requests;
    expect(first).toMatchObject({
      sampling: { temperature: 0, repetitionPenalty: 2 },
      stop: { maxNewTokens: 7, stopStrings: ['x'] },
      adapter: 'fake-adapter',
      n: 1,
    });
    expect(second?.sampling.temperature).toBe(1);
  });

  it('answers in words when the model picks no tool, streamed and whole', async () => {
    const reply = ({ constraint }: GenerateRequest) =>
      constraint === undefined
        ? { tokens: ['I', ' am'] }
        : { tokens: ['{"function": {"_name": "no_tool"', '}}'] };
    await start({ reply });
    const body = { messages: MESSAGES, tools: [TOOL] };
    const whole = JSON.parse((await post('/v1/chat/completions', body)).text) as {
      choices: readonly { message: unknown; finish_reason: string }[];
      usage: unknown;
    };
    expect(whole.choices[0]).toMatchObject({
      message: { role: 'assistant', content: 'I am' },
      finish_reason: 'stop',
    });
    expect(whole.usage).toEqual({ prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 });
    const streamed = await post('/v1/chat/completions', { ...body, stream: true });
    const deltas = eventsOf(streamed)
      .slice(0, -1)
      .map(
        (each) =>
          (JSON.parse(each) as { choices: readonly { delta: { content: string } }[] }).choices[0]?.delta
            .content,
      );
    expect(deltas).toEqual(['I', ' am', '']);
    expect(server.engine.requests.map(({ constraint }) => constraint?.kind)).toEqual([
      'json-schema',
      undefined,
      'json-schema',
      undefined,
    ]);
    expect(await metric('tgi_request_count')).toBe(2);
    expect(await metric('tgi_request_success')).toBe(2);
  });

  it('sends nothing but the end when tokens run out before the name', async () => {
    await start({ reply: { tokens: ['{"function"', ': {"_na'], reason: 'length' } });
    const answer = await post('/v1/chat/completions', {
      messages: MESSAGES,
      tools: [TOOL],
      max_tokens: 2,
      stream: true,
    });
    expect(answer.text).toBe('data: [DONE]\n\n');
  });

  it('plays a conversation with a tool to its end', async () => {
    await start({ reply: { tokens: ['Sunny.'] } });
    const seen: ChatInput[] = [];
    server.engine.renderChat = (chat) => {
      seen.push(chat);
      return Promise.resolve('prompt');
    };
    const answer = await post('/v1/chat/completions', {
      messages: [
        ...MESSAGES,
        {
          role: 'assistant',
          tool_calls: [
            { id: '0', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Paris"}' } },
          ],
        },
        { role: 'tool', tool_call_id: '0', content: 'sunny' },
      ],
    });
    expect(answer.text).toContain('"message":{"role":"assistant","content":"Sunny."}');
    expect(seen[0]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
  });

  it('shows tools through the template where it knows them', async () => {
    await start({
      description: { chatTemplate: '{{ tools }}' },
      reply: { tokens: ['{"function": {"_name": "get_weather", "city": "Paris"}}'] },
    });
    const seen: ChatInput[] = [];
    server.engine.renderChat = (chat) => {
      seen.push(chat);
      return Promise.resolve('prompt');
    };
    await post('/v1/chat/completions', { messages: MESSAGES, tools: [TOOL], tool_prompt: 'Pick.' });
    expect(seen[0]?.tools.map(({ name }) => name)).toEqual(['get_weather', 'no_tool']);
    expect(seen[0]?.messages[0]?.content.at(-1)).toEqual({ kind: 'text', text: '\n---\nPick.' });
  });

  it('reads every form of response_format alike', async () => {
    await start({ reply: { tokens: ['{}'] } });
    const value = { type: 'object', properties: { a: { type: 'integer' } } };
    const formats = [
      { type: 'json', value },
      { type: 'json_object', value },
      { type: 'json_schema', value: { name: 'x', schema: value, strict: true } },
    ];
    for (const response_format of formats)
      await post('/v1/chat/completions', { messages: MESSAGES, response_format });
    const [first, ...others] = server.engine.requests.map(({ constraint }) => constraint);
    expect(first?.kind).toBe('json-schema');
    for (const other of others) expect(other).toEqual(first);
  });

  it('serves a model by its name where there are several, and the default for any other', async () => {
    await start();
    const model = async (name?: string) =>
      (
        JSON.parse((await post('/v1/chat/completions', { model: name, messages: MESSAGES })).text) as {
          model: string;
        }
      ).model;
    expect([await model('dummy'), await model('tgi'), await model(), await model('fake-alias')]).toEqual([
      'dummy',
      'fake-model',
      'fake-model',
      'fake-alias',
    ]);
  });
});
