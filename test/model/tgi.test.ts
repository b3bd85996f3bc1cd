// TGI's clients against the real server and the demo model: what needs tokens that a model has chosen.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gguf } from '@huggingface/gguf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { detectWatermark } from '../../src/engine/index.js';
import { writeRandomLora } from '../support/random-lora.js';
import { startTestServer, type TestServer } from '../support/server.js';

interface WireToken {
  readonly id: number;
  readonly text: string;
  readonly logprob: number;
  readonly special: boolean;
}

interface Details {
  readonly finish_reason: string;
  readonly generated_tokens: number;
  readonly seed: number | null;
  readonly prefill: readonly { readonly id: number; readonly logprob: number | null }[];
  readonly tokens: readonly WireToken[];
  readonly top_tokens?: readonly (readonly WireToken[])[];
  readonly best_of_sequences?: readonly { readonly seed: number | null; readonly generated_text: string }[];
}

interface Generated {
  readonly generated_text: string;
  readonly details: Details;
}

interface WireEvent {
  readonly index: number;
  readonly token: WireToken;
  readonly generated_text: string | null;
}

const STORY = 'Once upon a time';
const DEMO = fileURLToPath(new URL('../../models/demo/koine-demo-q8_0.gguf', import.meta.url));
let server: TestServer;
let folder: string;

/** The demo model's shape, for adapters made of noise. */
async function shapeOfDemo() {
  const { metadata } = await gguf(DEMO, { allowLocalFile: true });
  const of = (name: string): number => Number((metadata as Record<string, unknown>)[`llama.${name}`]);
  return {
    layers: of('block_count'),
    embedding: of('embedding_length'),
    heads: of('attention.head_count'),
    kvHeads: of('attention.head_count_kv'),
    ffn: of('feed_forward_length'),
  };
}

beforeAll(async () => {
  const base = await shapeOfDemo();
  folder = mkdtempSync(join(tmpdir(), 'koine-tgi-'));
  const adapters = ['a', 'b'].map((name, i) => {
    const path = join(folder, `${name}.gguf`);
    writeRandomLora(path, { base, seed: i + 1 });
    return `--lora=${name}=${path}`;
  });
  server = await startTestServer({ args: ['--parallel', '16', ...adapters] });
  return () => server.stop();
});
afterAll(() => rmSync(folder, { recursive: true }));

const post = (path: string, body: unknown): Promise<Response> =>
  fetch(server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const generate = async (parameters: object, inputs = STORY): Promise<Generated> => {
  const response = await post('/tgi/generate', { inputs, parameters: { details: true, ...parameters } });
  const text = await response.text();
  if (response.status !== 200) throw new Error(text);
  return JSON.parse(text) as Generated;
};
const textOf = async (parameters: object, inputs = STORY): Promise<string> =>
  (await generate(parameters, inputs)).generated_text;
const open = (parameters: object, path = '/tgi/generate_stream'): Promise<Response> =>
  post(path, { inputs: STORY, parameters });
const eventsOf = async (parameters: object, path?: string): Promise<readonly WireEvent[]> =>
  read(await open(parameters, path));
const read = async (response: Response): Promise<readonly WireEvent[]> => {
  return (
    (await response.text())
      .split('\n\n')
      // Comments keep a connection open on which nothing was said for a while.
      .filter((frame) => frame !== '' && !frame.startsWith(':'))
      .map((frame) => JSON.parse(frame.slice('data:'.length)) as WireEvent)
  );
};
const joined = (tokens: readonly WireToken[]): string =>
  tokens.map(({ text, special }) => (special ? '' : text)).join('');
const chat = async (body: object) => {
  const response = await post('/tgi/v1/chat/completions', { temperature: 0, ...body });
  return { status: response.status, text: await response.text() };
};
const user = (content: string) => ({ role: 'user', content });

describe('generate', () => {
  it('is greedy to the token', async () => {
    const { generated_text: text, details } = await generate({ max_new_tokens: 10 });
    expect([details.finish_reason, details.generated_tokens, details.seed]).toEqual(['length', 10, null]);
    expect(details.tokens).toHaveLength(10);
    expect(joined(details.tokens)).toBe(text);
    expect(details.tokens.every(({ logprob }) => logprob <= 0)).toBe(true);
  });

  it('takes every parameter at once', async () => {
    const first = await generate({ max_new_tokens: 40 });
    const stop = first.details.tokens[5]?.text.trim() ?? '';
    const parameters = {
      max_new_tokens: 40,
      repetition_penalty: 1.0001,
      frequency_penalty: 0.0001,
      return_full_text: true,
      stop: [stop],
      temperature: 0.01,
      top_p: 0.9,
      top_k: 10,
      truncate: 3,
      typical_p: 0.9,
      watermark: true,
      decoder_input_details: true,
      seed: 0,
    };
    const { generated_text: text, details } = await generate(parameters);
    expect(text.startsWith(STORY)).toBe(true);
    expect(details.prefill).toHaveLength(3);
    expect(details.prefill[0]?.logprob).toBeNull();
    expect(details.seed).toBe(0);
    expect(details.tokens).toHaveLength(details.generated_tokens);
  });

  it('gives identical answers to identical requests side by side', async () => {
    const parameters = { max_new_tokens: 24 };
    const alone = await textOf(parameters);
    const together = await Promise.all(Array.from({ length: 4 }, () => textOf(parameters)));
    expect(together).toEqual(Array(4).fill(alone));
    const sampled = { ...parameters, do_sample: true, seed: 42 };
    const sample = await textOf(sampled);
    expect(await Promise.all(Array.from({ length: 4 }, () => textOf(sampled)))).toEqual(
      Array(4).fill(sample),
    );
  });

  it('stops behind a word it was told, and keeps it', async () => {
    const greedy = await textOf({ max_new_tokens: 30 });
    const word = greedy.split(' ').find((each, i) => i > 3 && each.length > 3) ?? '';
    const { generated_text: text, details } = await generate({ max_new_tokens: 30, stop: [word] });
    expect(details.finish_reason).toBe('stop_sequence');
    expect(text.endsWith(word)).toBe(true);
    expect(greedy.startsWith(text)).toBe(true);
    const events = await eventsOf({ max_new_tokens: 30, stop: [word] });
    expect(events.at(-1)?.generated_text).toBe(text);
  });

  it('samples otherwise than greedily, and the same with the same seed', async () => {
    const sampled = {
      max_new_tokens: 30,
      top_k: 50,
      top_p: 0.9,
      repetition_penalty: 1.2,
      temperature: 1.3,
      seed: 42,
    };
    const first = await textOf(sampled);
    expect(first).not.toBe(await textOf({ max_new_tokens: 30 }));
    expect(await textOf(sampled)).toBe(first);
    expect(await textOf({ ...sampled, seed: 43 })).not.toBe(first);
  });

  it('draws a seed, reports it with every digit, and takes it back', async () => {
    const sampled = { max_new_tokens: 20, do_sample: true, temperature: 1.3, details: true };
    const response = await post('/tgi/generate', { inputs: STORY, parameters: sampled });
    const answer = await response.text();
    const seed = /"seed":(\d+)/.exec(answer)?.[1] ?? '';
    const again = await fetch(`${server.url}/tgi/generate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"inputs":"${STORY}","parameters":{"max_new_tokens":20,"do_sample":true,"temperature":1.3,"details":true,"seed":${seed}}}`,
    });
    expect(await again.text()).toBe(answer);
  });

  it('gives the best of two', async () => {
    const { details } = await generate({ max_new_tokens: 20, best_of: 2, do_sample: true, temperature: 1.5 });
    expect(details.best_of_sequences).toHaveLength(1);
    expect(details.seed).not.toBeNull();
    expect(details.best_of_sequences?.[0]?.seed).not.toBe(details.seed);
  });

  it('lists alternatives best first, the chosen one of a greedy run at the top', async () => {
    const { details } = await generate({ max_new_tokens: 5, top_n_tokens: 4 });
    for (const [position, top] of (details.top_tokens ?? []).entries()) {
      expect(top.length).toBeGreaterThanOrEqual(4);
      expect(top[0]).toEqual(details.tokens[position]);
      const scores = top.map(({ logprob }) => logprob);
      expect(scores).toEqual([...scores].sort((a, b) => b - a));
    }
    expect(details.top_tokens).toHaveLength(5);
    // What a filter dropped is not listed.
    const filtered = await generate({ max_new_tokens: 3, top_n_tokens: 5, top_k: 2, seed: 1 });
    for (const top of filtered.details.top_tokens ?? []) expect(top.length).toBeLessThanOrEqual(2);
  });

  it('counts the tokens that /tokenize shows', async () => {
    const inputs = 'Ça va, señor 😀? The sky is blue.';
    const spans = (await (await post('/tgi/tokenize', { inputs })).json()) as readonly {
      id: number;
      text: string;
      start: number;
      stop: number;
    }[];
    const { details } = await generate({ max_new_tokens: 1, decoder_input_details: true }, inputs);
    expect(details.prefill.map(({ id }) => id)).toEqual(spans.map(({ id }) => id));
    const bytes = Buffer.from(inputs);
    for (const { text, start, stop } of spans) expect(bytes.subarray(start, stop).toString()).toBe(text);
  });

  it('answers a prompt of 800 repetitions within the budget, and refuses one beyond it', async () => {
    const response = await post('/tgi/generate', { inputs: 'the sky is blue. '.repeat(800) });
    expect(response.status).toBe(422);
    expect(await response.text()).toMatch(
      /`inputs` tokens \+ `max_new_tokens` must be <= 512. Given: \d{4} /,
    );
    const begun = `${'The capital of France is Paris. '.repeat(800)}The capital of France is`;
    const cut = await generate({ truncate: 400, max_new_tokens: 8 }, begun);
    expect(cut.generated_text).toMatch(/^ Paris/);
  });

  it('gives many prompts with one beginning the answers each has alone', async () => {
    const prompts = Array.from({ length: 12 }, (_, i) => `${STORY} there was a cat number ${i} and`);
    const alone: string[] = [];
    for (const prompt of prompts) alone.push(await textOf({ max_new_tokens: 8 }, prompt));
    const together = await Promise.all(prompts.map((prompt) => textOf({ max_new_tokens: 8 }, prompt)));
    const differing = together.filter((text, i) => text !== alone[i]);
    expect(differing.length).toBeLessThanOrEqual(1);
  });
});

describe('the root', () => {
  it('speaks 3.3.6 where no other dialect has the path', async () => {
    const body = { inputs: STORY, parameters: { max_new_tokens: 5, return_full_text: false } };
    const expected = { generated_text: await textOf({ max_new_tokens: 5 }) };
    expect(await (await post('/generate', body)).json()).toEqual(expected);
    expect(await (await post('/', body)).json()).toEqual([expected]);
    expect((await fetch(`${server.url}/info`)).status).toBe(200);
  });
});

describe('streams', () => {
  it('join to the whole answer in both versions', async () => {
    const whole = await textOf({ max_new_tokens: 60 });
    for (const path of ['/tgi/generate_stream', '/tgi-1.4/generate_stream']) {
      const events = await eventsOf({ max_new_tokens: 60 }, path);
      expect(events.map(({ index }) => index)).toEqual(events.map((_, i) => i + 1));
      expect(joined(events.map(({ token }) => token))).toBe(whole);
      expect(events.filter(({ generated_text }) => generated_text !== null)).toHaveLength(1);
      expect(events.at(-1)?.generated_text).toBe(whole);
    }
  });

  it('are whole for 128 clients at once, and the next is refused', { timeout: 120_000 }, async () => {
    // So hot that no stream ends by itself before all of them are open.
    const parameters = { max_new_tokens: 240, do_sample: true, temperature: 20 };
    const streams = await Promise.all(
      Array.from({ length: 128 }, (_, seed) => open({ ...parameters, seed })),
    );
    const refused = await post('/tgi/generate', { inputs: STORY });
    expect([refused.status, await refused.json()]).toEqual([
      429,
      { error: 'Model is overloaded', error_type: 'overloaded' },
    ]);
    for (const events of await Promise.all(streams.map(read))) {
      expect(events.map(({ index }) => index)).toEqual(events.map((_, i) => i + 1));
      expect(joined(events.map(({ token }) => token))).toBe(events.at(-1)?.generated_text);
    }
  });
});

describe('figures', () => {
  /** Values of one scrape by their series. */
  const scrape = async (): Promise<(series: string) => number> => {
    const lines = (await (await fetch(`${server.url}/tgi/metrics`)).text()).split('\n');
    const values = new Map(
      lines.map((line): [string, number] => {
        const [, series = '', value = ''] = /^(\S+(?:\{.*\})?) (\S+)$/.exec(line) ?? [];
        return [series, Number(value)];
      }),
    );
    return (series) => values.get(series) ?? 0;
  };
  const batches = async () => {
    const read = await scrape();
    return {
      prefill: read('tgi_batch_inference_count{method="prefill"}'),
      decode: read('tgi_batch_inference_count{method="decode"}'),
      taken: read('tgi_batch_next_size_sum'),
      joins: read('tgi_batch_concat{reason="chunking"}'),
    };
  };

  it('are those of the steps that were computed', async () => {
    const before = await batches();
    const { details } = await generate({ max_new_tokens: 9 }, 'One day, a small fox named Rusty');
    // One step with the prompt and the first token, one for each of the others.
    expect(await batches()).toEqual({
      prefill: before.prefill + 1,
      decode: before.decode + details.generated_tokens - 1,
      taken: before.taken + 1,
      joins: before.joins,
    });
    const endless = await open({ max_new_tokens: 400, grammar: { type: 'regex', value: '[a-z]{2000}' } });
    const reader = endless.body?.getReader();
    await reader?.read();
    await generate({ max_new_tokens: 2 }, 'One day, a small bear named Bruno');
    await reader?.cancel();
    await expect.poll(async () => (await batches()).joins).toBe(before.joins + 1);
    const read = await scrape();
    const seconds = (part: string): number => read(`tgi_batch_${part}_duration_sum{method="decode"}`);
    expect(seconds('forward')).toBeGreaterThan(0);
    expect(seconds('forward') + seconds('decode')).toBeCloseTo(seconds('inference'), 6);
  });
});

describe('chat', () => {
  const messages = [user('What is the capital of France?')];

  it('streams what it says whole at temperature 0', async () => {
    const whole = JSON.parse((await chat({ messages, max_tokens: 40 })).text) as {
      choices: readonly { message: { content: string } }[];
    };
    const stream = await chat({ messages, max_tokens: 40, stream: true });
    const text = stream.text
      .split('\n\n')
      .filter((frame) => frame.startsWith('data: {'))
      .map(
        (frame) =>
          JSON.parse(frame.slice('data: '.length)) as { choices: readonly { delta: { content: string } }[] },
      )
      .map(({ choices }) => choices[0]?.delta.content ?? '')
      .join('');
    expect(text).toBe(whole.choices[0]?.message.content);
    expect(text).not.toBe('');
  });

  it('goes on with what the assistant has begun', async () => {
    const begun = 'The capital of';
    const { text } = await chat({
      messages: [...messages, { role: 'assistant', content: begun }],
      max_tokens: 8,
    });
    const { choices } = JSON.parse(text) as { choices: readonly { message: { content: string } }[] };
    expect(choices[0]?.message.content).toMatch(/^ France/);
  });

  it('shows the prompt it makes', async () => {
    const response = await post('/tgi/chat_tokenize', { messages });
    const { templated_text: text, tokenize_response: spans } = (await response.json()) as {
      templated_text: string;
      tokenize_response: readonly { text: string }[];
    };
    expect(text).toContain('What is the capital of France?');
    expect(spans.map((span) => span.text).join('')).toBe(text);
  });
});

describe('adapters', () => {
  it('answer differently from the base and from each other, also interleaved', async () => {
    const ask = (adapter_id: string | null) => textOf({ max_new_tokens: 12, adapter_id });
    const alone = [await ask(null), await ask('a'), await ask('b')];
    expect(new Set(alone).size).toBe(3);
    const mixed = await Promise.all([null, 'a', 'b', 'b', 'a', null].map(ask));
    expect(mixed).toEqual([alone[0], alone[1], alone[2], alone[2], alone[1], alone[0]]);
  });
});

describe('watermark', () => {
  // A warm model: a text whose next token is nearly certain has no room for a mark.
  const sampled = { max_new_tokens: 200, do_sample: true, temperature: 1.6 };

  async function tokens(count: number, watermark: boolean): Promise<readonly (readonly number[])[]> {
    const texts: (readonly number[])[] = [];
    for (let seed = 0, total = 0; total < count; seed += 16) {
      const batch = await Promise.all(
        Array.from({ length: 16 }, (_, i) => generate({ ...sampled, watermark, seed: seed + i })),
      );
      for (const { details } of batch) {
        const ids = details.tokens.map(({ id }) => id);
        texts.push(ids);
        total += ids.length;
      }
    }
    return texts;
  }

  it('is found in 200 generated tokens', async () => {
    const marked = (await tokens(200, true)).flat().slice(0, 200);
    const response = await post('/tgi/extras/watermark/detect', { tokens: marked });
    const score = (await response.json()) as { z_score: number; p_value: number; watermarked: boolean };
    expect(score.watermarked).toBe(true);
    expect(score.p_value).toBeLessThan(1e-4);
  });

  // 32,000 tokens: minutes where the machine is busy.
  it('is not found in 1,000 samples without it', { timeout: 180_000 }, async () => {
    const SAMPLE = 32;
    const plain = (await tokens(1000 * SAMPLE, false)).flat();
    const scores = Array.from({ length: 1000 }, (_, i) =>
      detectWatermark(plain.slice(i * SAMPLE, (i + 1) * SAMPLE), 0.5),
    );
    // The stated rate at a score of 4 is 1 in 31,600.
    expect(scores.filter(({ zScore }) => zScore >= 4)).toEqual([]);
    const mean = scores.reduce((sum, { zScore }) => sum + zScore, 0) / scores.length;
    expect(Math.abs(mean)).toBeLessThan(0.3);
  });
});
