// A model without attention on the real server: its state cannot be cut or moved, so that nothing may be reused that
// would have to be, whatever was asked before and beside it.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeRandomMamba } from '../support/random-mamba.js';
import { startTestServer, type TestServer } from '../support/server.js';
import type { Json } from '../wire/jan/start.js';
import { DEMO } from './demo.js';

let folder: string;
let server: TestServer;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'koine-recurrent-'));
  const model = join(folder, 'mamba.gguf');
  writeRandomMamba(model, DEMO);
  server = await startTestServer({ model, args: ['--parallel', '4'] });
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

async function textOf(prompt: string, extra: object = {}): Promise<string> {
  const response = await fetch(`${server.url}/jan/v1/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      prompt,
      temperature: 0,
      repeat_penalty: 1,
      max_tokens: 16,
      min_tokens: 16,
      ...extra,
    }),
  });
  const json = (await response.json()) as Json;
  expect([response.status, json]).toEqual([200, json]);
  return String(json['choices']?.[0]?.['text']);
}

const LONG = 'Once upon a time, there was a happy hedgehog named Mei.';

describe('a recurrent model', () => {
  it('says the same whatever was asked before', async () => {
    const long = await textOf(LONG);
    const shorter = await textOf('Once upon a time, there');
    const edited = await textOf(LONG.replace('upon', 'under'));
    expect(new Set([long, shorter, edited]).size).toBe(3);
    expect(await textOf(LONG)).toBe(long);
    expect(await textOf('Once upon a time, there')).toBe(shorter);
    expect(await textOf(LONG.replace('upon', 'under'))).toBe(edited);
    const half = await textOf(LONG, { max_tokens: 8, min_tokens: 8 });
    expect(half + (await textOf(LONG + half, { max_tokens: 8, min_tokens: 8 }))).toBe(long);
  });

  it('says the same beside others, more of them than there are places', async () => {
    const prompts = Array.from({ length: 12 }, (_, i) => `${'word '.repeat(i * 9)}number ${i}`);
    const alone: string[] = [];
    for (const prompt of prompts) alone.push(await textOf(prompt));
    expect(await Promise.all(prompts.map((prompt) => textOf(prompt)))).toEqual(alone);
    expect(new Set(alone).size).toBe(prompts.length);
  });

  it('makes several choices from one prompt', async () => {
    const response = await fetch(`${server.url}/jan/v1/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        prompt: LONG,
        temperature: 0,
        repeat_penalty: 1,
        max_tokens: 16,
        min_tokens: 16,
        n: 3,
      }),
    });
    const { choices } = (await response.json()) as Json;
    const texts = [0, 1, 2].map((index) => choices?.[index]?.['text']);
    expect(texts).toEqual(Array(3).fill(await textOf(LONG)));
  });
});
