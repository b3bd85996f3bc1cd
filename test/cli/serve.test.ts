// The life of the server process: what it prints, how it is named, how it ends.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../support/server.js';

const chat = (server: TestServer, body: object, headers = {}) =>
  fetch(`${server.url}/v1/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'default', prompt: 'Once upon a time', ...body }),
  });
const isGone = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
};

describe('koine serve', () => {
  it('tells its model, addresses and a line that works, and is found in ps by name', async () => {
    await using server = await startTestServer({ args: ['--alias', 'small', '--listen', 'tgi:0'] });
    expect(server.stdout()).toMatch(
      /^Model small \(also koine-demo-q8_0, default\)\n {2}llama, 5\.6M parameters, Q8_0/,
    );
    expect(server.addresses.map(({ speaks }) => speaks)).toEqual([
      'every dialect',
      'openai alone',
      'tgi alone',
      'tgi-1.4 alone',
      'jan alone',
      'tgi alone',
    ]);
    const [, line = ''] = /\nTry:\n {2}(.+)\n/.exec(server.stdout()) ?? [];
    expect(execFileSync('sh', ['-c', `${line} -sS`], { encoding: 'utf8' })).toMatch(
      /data: \{[\s\S]+data: \[DONE\]/,
    );
    const names = execFileSync('ps', ['-o', 'args=', '-p', `${server.pid},${server.enginePid()}`], {
      encoding: 'utf8',
    });
    expect(names).toMatch(/^koine serve\s+koine engine small\s*$/);
  });

  it('answers about its health and figures', async () => {
    await using server = await startTestServer({ args: ['--api-key', 'sesame'] });
    const health = await fetch(`${server.url}/health`);
    const models = [{ model: 'koine-demo-q8_0', state: 'ready', running: 0, waiting: 0 }];
    expect([health.status, await health.json()]).toEqual([200, { status: 'ok', models }]);
    expect((await chat(server, { max_tokens: 1 })).status).toBe(401);
    const headers = { authorization: 'Bearer sesame' };
    await (await chat(server, { max_tokens: 3 }, headers)).json();
    const figures = await (await fetch(`${server.url}/metrics`)).text();
    expect(figures).toMatch(
      /^koine_generations_total\{dialect="openai",route="\/v1\/completions",outcome="\w+"\} 1$/m,
    );
    expect(figures).toContain('koine_engine_ready{model="koine-demo-q8_0"} 1');
    expect(server.stdout()).not.toContain('sesame');
  });

  it('finishes what runs when told to stop, takes nothing new, and exits 0', async () => {
    const server = await startTestServer();
    const response = await chat(server, { max_tokens: 200, stream: true, ignore_eos: true });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    const first = await reader.read();
    const engine = server.enginePid() ?? 0;
    const ended = server.stop();
    let text = first.value ?? '';
    let refused = false;
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      text += read.value;
      refused ||= await fetch(`${server.url}/health`).then(
        () => false,
        () => true,
      );
    }
    expect(text).toContain('data: [DONE]');
    expect(refused).toBe(true);
    expect(await ended).toBe(0);
    expect(isGone(engine)).toBe(true);
  });

  it('cuts what takes longer than the limit, and exits 0 all the same', async () => {
    const server = await startTestServer({ args: ['--drain-timeout', '0', '--ctx-size', '2048'] });
    const response = await chat(server, { max_tokens: 2000, stream: true, ignore_eos: true });
    const text = response.text().catch(() => 'cut');
    expect(await server.stop()).toBe(0);
    expect(await text).not.toMatch(/finish_reason":"length"/);
  });

  it('serves two models by their names', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'koine-serve-'));
    try {
      cpSync('models/demo/koine-demo-q8_0.gguf', join(folder, 'second.gguf'));
      await using server = await startTestServer({ args: ['--alias', 'one', 'models/demo'], model: folder });
      const list = (await (await fetch(`${server.url}/v1/models`)).json()) as { data: { id: string }[] };
      expect(list.data.map(({ id }) => id)).toEqual(['one', 'second']);
      const answers = await Promise.all(
        ['one', 'default', 'second'].map((model) => chat(server, { model, max_tokens: 1 })),
      );
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect((await chat(server, { model: 'third', max_tokens: 1 })).status).toBe(404);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
