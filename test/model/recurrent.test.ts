// Models without attention, or with less of it, on the real server: their state cannot be cut or moved, so nothing may
// be reused that would have to be, whatever was asked before and beside it.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeRandomRecurrent } from '../support/random-recurrent.js';
import { startTestServer, type TestServer } from '../support/server.js';
import type { Json } from '../wire/jan/start.js';
import { DEMO } from './demo.js';

const LONG = 'Once upon a time, there was a happy hedgehog named Mei.';
const GREEDY = { temperature: 0, repeat_penalty: 1, max_tokens: 16, min_tokens: 16 };

describe.each(['mamba', 'lfm2'] as const)('a model of the kind of %s', (kind) => {
  let folder: string;
  let server: TestServer;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'koine-recurrent-'));
    const model = join(folder, `${kind}.gguf`);
    writeRandomRecurrent(model, kind, DEMO);
    server = await startTestServer({ model, args: ['--parallel', '4'] });
  });
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  const choicesOf = async (prompt: string, extra: object = {}): Promise<readonly Json[]> => {
    const response = await fetch(`${server.url}/jan/v1/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ prompt, ...GREEDY, ...extra }),
    });
    const json = (await response.json()) as Json;
    expect([response.status, json]).toEqual([200, json]);
    return json['choices'] as unknown as readonly Json[];
  };
  const textOf = async (prompt: string, extra: object = {}): Promise<string> =>
    String((await choicesOf(prompt, extra))[0]?.['text']);

  it('says the same whatever was asked before', async () => {
    const long = await textOf(LONG);
    const shorter = await textOf('Once upon a time, there');
    const edited = await textOf(LONG.replace('upon', 'under'));
    expect(new Set([long, shorter, edited]).size).toBe(3);
    expect(await textOf(LONG)).toBe(long);
    expect(await textOf('Once upon a time, there')).toBe(shorter);
    expect(await textOf(LONG.replace('upon', 'under'))).toBe(edited);
  });

  it('goes on from where it was, token by token', async () => {
    const idsOf = async (prompt: readonly number[], tokens: number): Promise<readonly number[]> => {
      const body = { prompt, temperature: 0, max_tokens: tokens, min_tokens: tokens, return_token_ids: true };
      const response = await fetch(`${server.url}/openai/v1/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return ((await response.json()) as Json)['choices']?.[0]?.['token_ids'] as unknown as readonly number[];
    };
    const prompt = Array.from({ length: 40 }, (_, i) => 100 + 7 * i);
    const whole = await idsOf(prompt, 16);
    const half = await idsOf(prompt, 8);
    expect([...half, ...(await idsOf([...prompt, ...half], 8))]).toEqual(whole);
    expect(whole).toHaveLength(16);
  });

  it('says the same beside others, more of them than there are places', async () => {
    const prompts = Array.from({ length: 12 }, (_, i) => `${'word '.repeat(i * 9)}number ${i}`);
    const alone: string[] = [];
    for (const prompt of prompts) alone.push(await textOf(prompt));
    expect(await Promise.all(prompts.map((prompt) => textOf(prompt)))).toEqual(alone);
    expect(new Set(alone).size).toBe(prompts.length);
  });

  it('makes several choices from one prompt', async () => {
    const texts = (await choicesOf(LONG, { n: 3 })).map((choice) => choice['text']);
    expect(texts).toEqual(Array(3).fill(await textOf(LONG)));
  });
});
