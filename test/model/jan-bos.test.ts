// The Jan API over a model that begins every prompt with BOS and has the chat format of Mistral's first models.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeRandomLora } from '../support/random-lora.js';
import { writeRandomModel } from '../support/random-model.js';
import { startTestServer, type TestServer } from '../support/server.js';
import type { Json } from '../wire/jan/start.js';
import { DEMO, openModel } from './demo.js';

const BASE = { layers: 2, embedding: 64, heads: 4, kvHeads: 2, ffn: 128 } as const;
/** `<|endoftext|>`, and the end of a turn, in the demo model's vocabulary. */
const BOS = { id: 4596, text: '<|endoftext|>' };
const END = '<|im_end|>';
const TEMPLATE = `{{ bos_token }}{% for message in messages %}{% if message.role == 'user' -%}
[INST] {{ message.content }} [/INST]{%- elif message.role == 'assistant' %}{{ message.content + eos_token }}{%- endif %}{% endfor %}
{%- if messages[-1].role != 'user' %}{{ raise_exception('The user has the last word here') }}{% endif %}`;

let folder: string;
let path: string;
let server: TestServer;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'koine-bos-'));
  path = join(folder, 'bos.gguf');
  writeRandomModel(path, {
    ...BASE,
    context: 512,
    weights: 'f32',
    vocabulary: { from: DEMO },
    bosToken: BOS.id,
    chatTemplate: TEMPLATE,
  });
  const adapter = join(folder, 'noise.gguf');
  writeRandomLora(adapter, { base: BASE });
  server = await startTestServer({ model: path, args: ['--lora', `noise=${adapter}`] });
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

async function post(place: string, body: object): Promise<{ readonly status: number; readonly json: Json }> {
  const response = await fetch(server.url + place, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, json: (await response.json()) as Json };
}
const tokens = async (input: string): Promise<readonly number[]> =>
  (await post('/jan/extras/tokenize', { input })).json['tokens'] as unknown as readonly number[];

describe('the tokenizer', () => {
  it('puts BOS first, also alone', async () => {
    expect((await tokens('The fox'))[0]).toBe(BOS.id);
    expect(await tokens('')).toEqual([BOS.id]);
    expect((await post('/jan/extras/tokenize/count', { input: '' })).json).toEqual({ count: 1 });
  });

  it.each(['', 'a', ' a', '  b', 'é😀 世界', 'line\nbreak', 'word '.repeat(50)])(
    'gives %j back as it was',
    async (input) => {
      const given = { tokens: await tokens(input) };
      expect((await post('/jan/extras/detokenize', given)).json).toEqual({ text: input });
    },
  );

  it('takes special tokens for such only when it is asked to', () => {
    const runner = openModel({ modelPath: path });
    try {
      expect([...runner.tokenize(BOS.text, false, true)]).toEqual([BOS.id]);
      expect(runner.tokenize(BOS.text, false, false).length).toBeGreaterThan(3);
      expect([...runner.tokenize('', true, false)]).toEqual([BOS.id]);
    } finally {
      runner.dispose();
    }
  });
});

describe('BOS', () => {
  const body = { temperature: 0, max_tokens: 3, min_tokens: 3 };

  it('of an empty prompt is counted once, and not as output', async () => {
    const { json } = await post('/jan/v1/completions', { ...body, prompt: '' });
    expect(json['usage']).toEqual({ prompt_tokens: 1, completion_tokens: 3, total_tokens: 4 });
  });

  it('is not listed where a prompt is echoed', async () => {
    const { json } = await post('/jan/v1/completions', {
      ...body,
      prompt: 'The fox',
      echo: true,
      logprobs: 1,
    });
    const logprobs = json['choices']?.[0]?.['logprobs'];
    expect(logprobs?.['tokens']?.[0]).not.toBe(BOS.text);
    expect([logprobs?.['text_offset']?.[0], logprobs?.['token_logprobs']?.[0]]).toEqual([0, null]);
    expect(String(json['choices']?.[0]?.['text']).startsWith('The fox')).toBe(true);
  });
});

describe('a chat of three turns', () => {
  const messages = [
    { role: 'user', content: 'Hello.' },
    { role: 'assistant', content: 'Hello, Ann!' },
    { role: 'user', content: 'How are you?' },
    { role: 'assistant', content: 'Well.' },
    { role: 'user', content: 'Good.' },
  ];
  const prompt = `[INST] Hello. [/INST]Hello, Ann!${END}[INST] How are you? [/INST]Well.${END}[INST] Good. [/INST]`;
  const body = { temperature: 0, repeat_penalty: 1, max_tokens: 12, min_tokens: 12 };

  it('becomes the text the template stands for, with one BOS', async () => {
    const chat = (await post('/jan/v1/chat/completions', { ...body, messages })).json;
    const raw = (await post('/jan/v1/completions', { ...body, prompt })).json;
    expect(chat['usage']).toEqual(raw['usage']);
    expect(chat['usage']?.['prompt_tokens']).toEqual((await tokens(prompt)).length);
    expect(chat['choices']?.[0]?.['message']?.['content']).toBe(raw['choices']?.[0]?.['text']);
    const fewer = { ...body, messages: messages.slice(0, 3) };
    const other = (await post('/jan/v1/chat/completions', fewer)).json;
    expect(other['choices']?.[0]?.['message']).not.toEqual(chat['choices']?.[0]?.['message']);
  });

  it('that the template refuses is refused in its words', async () => {
    const refused = messages.slice(0, 4);
    for (const stream of [false, true]) {
      const { status, json } = await post('/jan/v1/chat/completions', { messages: refused, stream });
      expect([status, json['error']]).toEqual([
        400,
        expect.objectContaining({
          code: 'template',
          message: expect.stringContaining('The user has the last word here'),
        }),
      ]);
    }
  });
});

describe('embeddings with an adapter', () => {
  it('are refused by name', async () => {
    for (const field of ['adapter', 'lora']) {
      const { status, json } = await post('/openai/v1/embeddings', { input: 'a', [field]: 'noise' });
      expect([status, json['error']]).toEqual([
        400,
        expect.objectContaining({
          code: 'unsupported',
          param: 'adapter',
          message: 'embeddings with an adapter are not supported',
        }),
      ]);
    }
    expect((await post('/openai/v1/embeddings', { input: 'a', adapter: 'nobody' })).status).toBe(404);
    expect((await post('/openai/v1/embeddings', { input: 'a' })).status).toBe(200);
  });
});
