// The load client against a server that misbehaves in the ways that matter to its figures.

import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { LoadClient } from './client.js';
import type { LoadJob } from './job.js';

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n';
const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const event = (value: object): string => chunk(`data: ${JSON.stringify(value)}\n\n`);
const USAGE = {
  usage: { prompt_tokens: 5, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 3 } },
};
const REPLY =
  HEAD +
  event({ choices: [{ text: '' }] }) +
  event({ choices: [{ text: 'a' }] }) +
  event(USAGE) +
  chunk('data: [DONE]\n\n') +
  '0\r\n\r\n';

let server: Server | undefined;
afterEach(() => new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve())));

/** A server that answers request number i (0, 1, ...) over all connections. */
async function serve(answer: (socket: Socket, request: number) => void): Promise<LoadClient> {
  let requests = 0;
  const listening = createServer((socket) => {
    socket.on('data', () => answer(socket, requests++));
    socket.on('error', () => undefined);
  });
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const address = listening.address();
  if (address === null || typeof address === 'string') throw new Error('no address');
  const job: LoadJob = {
    host: '127.0.0.1',
    port: address.port,
    path: '/v1/completions',
    bodies: ['{}', '{}'],
    clients: 1,
    eventTimes: true,
  };
  let time = 0;
  return new LoadClient(job, () => time++);
}

describe('LoadClient', () => {
  it('counts events, takes tokens from the usage and the first text as first token', async () => {
    const client = await serve((socket) => socket.write(REPLY));
    const record = await client.send(0);
    client.close();
    expect(record).toMatchObject({ events: 4, promptTokens: 5, newTokens: 2, cachedTokens: 3, resends: 0 });
    expect(record.error).toBeUndefined();
    expect(record.eventMs).toHaveLength(4);
    expect(record.firstMs).toBeGreaterThan(record.sentMs);
  });

  it('sends again when a kept connection turns out to be closed', async () => {
    const client = await serve((socket, request) => {
      if (request === 1) socket.destroy();
      else socket.write(REPLY);
    });
    await client.send(0);
    const record = await client.send(1);
    client.close();
    expect(record).toMatchObject({ newTokens: 2, resends: 1 });
    expect(record.error).toBeUndefined();
  });

  it('reports a reply that breaks off, a refusal and an error event', async () => {
    const broken = await serve((socket, request) => {
      if (request === 0) socket.end(HEAD + event({ choices: [{ text: 'a' }] }));
      else if (request === 1) socket.write('HTTP/1.1 400 Bad Request\r\nContent-Length: 3\r\n\r\nbad');
      else socket.write(`${HEAD}${event({ error: { message: 'gone' } })}0\r\n\r\n`);
    });
    expect((await broken.send(0)).error).toBe('closed');
    expect((await broken.send(1)).error).toContain('status 400: bad');
    expect((await broken.send(0)).error).toContain('gone');
    broken.close();
  });
});
