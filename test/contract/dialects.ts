// What every dialect owes its clients, whatever its wire looks like. A dialect joins by describing its wire once:
// how to ask, how to read an answer, and which status says what.

import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Dialect } from '../../src/http/index.js';
import type { FinishReason, Router } from '../../src/protocol/index.js';
import { FakeEngine, fakeRouter } from '../support/fake-engine.js';
import { type Served, serveDialect } from '../support/serve.js';

/** A question put to a generation endpoint. */
export interface Question {
  readonly prompt: string;
  readonly stream: boolean;
  readonly maxTokens?: number;
}

/** A stream, as its dialect reads it. */
export interface StreamReading {
  /** All pieces of text joined. */
  readonly text: string;
  /** The wire's finish reason; undefined when none was sent. */
  readonly reason?: string;
  /** How often the stream said that it ended well (`[DONE]`, a last event with details ...). */
  readonly ends: number;
  /** How often it said that it failed. */
  readonly errors: number;
}

/** One way to ask a dialect for text. */
export interface Endpoint {
  readonly name: string;
  readonly path: string;
  /** Where streams are asked for, when that is another path. */
  readonly streamPath?: string;
  readonly body: (question: Question) => unknown;
  /** Reads a whole reply; `reason` is undefined where the wire has none. */
  readonly read: (body: unknown) => { readonly text: string; readonly reason?: string };
  /** Reads the `data:` payloads of a stream, in order. */
  readonly readStream: (payloads: readonly string[]) => StreamReading;
  /** The wire's words for the reasons; absent when replies carry none. */
  readonly reasons?: Readonly<Record<Extract<FinishReason, 'eos' | 'stop_sequence' | 'length'>, string>>;
  /** A body with a field of the wrong type. */
  readonly wrongType: unknown;
}

/** A dialect as the suite needs to know it. */
export interface DialectUnderTest {
  readonly name: string;
  readonly create: (router: Router) => Dialect;
  readonly endpoints: readonly Endpoint[];
  /** Whether a body that goes with an error status has the dialect's shape; gets the text as sent. */
  readonly isRefusal: (text: string, status: number) => boolean;
  readonly status: {
    readonly tooLong: number;
    readonly overloaded: number;
    readonly badJson: number;
    readonly wrongType: number;
    readonly notUtf8: number;
    readonly tooLarge: number;
    readonly engineLost: number;
    readonly notFound: number;
    readonly methodNotAllowed: number;
    /** Absent when the dialect has no keys. */
    readonly unauthorized?: number;
  };
  /** Whether a stream that is refused before its first token is a status or an event after 200. */
  readonly refusesStreamsBy: 'status' | 'event';
}

/** Largest body the suite's listeners take. */
const BODY_LIMIT = 64 * 1024;

/** Declares the suite for one dialect. */
export function describeDialect(dialect: DialectUnderTest): void {
  for (const endpoint of dialect.endpoints) {
    describe(`${dialect.name} ${endpoint.name}`, () => declare(dialect, endpoint));
  }
  describe(`${dialect.name} front door`, () => declareDoor(dialect));
}

/** The `data:` payloads of a stream's text; comments are skipped. */
export function payloadsOf(text: string): readonly string[] {
  return text
    .split('\n\n')
    .filter((frame) => frame.startsWith('data:'))
    .map((frame) => frame.slice('data:'.length).trimStart());
}

function declare(dialect: DialectUnderTest, endpoint: Endpoint): void {
  let engine: FakeEngine;
  let served: Served;

  beforeEach(async () => {
    engine = new FakeEngine();
    served = await serveDialect(dialect.create(fakeRouter(engine)), { http: { bodyLimitBytes: BODY_LIMIT } });
  });
  afterEach(() => served.close());

  const pathOf = (stream: boolean): string =>
    stream ? (endpoint.streamPath ?? endpoint.path) : endpoint.path;
  const post = (body: string | Uint8Array<ArrayBuffer>, stream = false): Promise<Response> =>
    fetch(served.url + pathOf(stream), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
  const ask = (question: Partial<Question> = {}): Promise<Response> => {
    const full = { prompt: 'Say it', stream: false, ...question };
    return post(JSON.stringify(endpoint.body(full)), full.stream);
  };
  const whole = async (question: Partial<Question> = {}) => {
    const response = await ask(question);
    expect(response.status).toBe(200);
    return endpoint.read(await response.json());
  };
  const streamed = async (question: Partial<Question> = {}): Promise<StreamReading> => {
    const response = await ask({ stream: true, ...question });
    expect([response.status, response.headers.get('content-type')?.split(';')[0]]).toEqual([
      200,
      'text/event-stream',
    ]);
    return endpoint.readStream(payloadsOf(await response.text()));
  };
  const expectRefusal = async (response: Response, status: number): Promise<void> => {
    const text = await response.text();
    expect({ status: response.status, hasShape: dialect.isRefusal(text, response.status) }).toEqual({
      status,
      hasShape: true,
    });
    expect(text).not.toMatch(/\bat .*\.[jt]s:\d+/);
  };

  it('gives the same text whole and streamed, and ends exactly once', async () => {
    engine.reply = { tokens: ['Once', ' upon', ' a', ' time'] };
    const reply = await whole();
    const stream = await streamed();
    expect(reply.text).toBe('Once upon a time');
    expect(stream).toMatchObject({ text: 'Once upon a time', ends: 1, errors: 0 });
  });

  it('names the reason of the end', async () => {
    const { reasons } = endpoint;
    if (reasons === undefined) return expect(await whole()).not.toHaveProperty('reason');
    engine.reply = { tokens: ['a', ' b', ' c'] };
    expect([(await whole()).reason, (await streamed()).reason]).toEqual([reasons.eos, reasons.eos]);
    engine.reply = { tokens: ['a', ' b'], reason: 'stop_sequence', stopText: ' b' };
    expect([(await whole()).reason, (await streamed()).reason]).toEqual(Array(2).fill(reasons.stop_sequence));
    engine.reply = { tokens: ['a', ' b', ' c'] };
    const cut = [await whole({ maxTokens: 2 }), await streamed({ maxTokens: 2 })];
    expect(cut.map(({ text, reason }) => [text, reason])).toEqual(Array(2).fill(['a b', reasons.length]));
  });

  it('never breaks a character that is split over tokens', async () => {
    engine.reply = { tokens: ['ö', { bytes: [0xf0, 0x9f] }, { bytes: [0x98, 0x80] }, ' 世界\n"\\'] };
    expect((await whole()).text).toBe('ö😀 世界\n"\\');
    expect((await streamed()).text).toBe('ö😀 世界\n"\\');
  });

  it('frees the engine when the client leaves in the middle of a stream', async () => {
    engine.reply = { tokens: ['a', ' b'], holdAfter: 1 };
    const socket = await dial(served.port, pathOf(true), endpoint.body({ prompt: 'x', stream: true }));
    await once(socket, 'data');
    socket.destroy();
    await engine.until(({ running }) => running === 0);
    expect(engine.aborted).toBe(1);
  });

  it('frees the engine when the client leaves before a whole answer', async () => {
    engine.reply = { tokens: ['a'], holdAfter: 0 };
    const socket = await dial(served.port, pathOf(false), endpoint.body({ prompt: 'x', stream: false }));
    await engine.until(({ running }) => running === 1);
    socket.destroy();
    await engine.until(({ running }) => running === 0);
    expect(engine.aborted).toBe(1);
  });

  it('refuses when the engine is overloaded or the prompt too long', async () => {
    engine.reply = { failAfter: 0, failure: { code: 'overloaded', message: 'The server is overloaded.' } };
    await expectRefusal(await ask(), dialect.status.overloaded);
    engine.reply = { tokens: ['a'] };
    await expectRefusal(await ask({ prompt: 'word '.repeat(2100) }), dialect.status.tooLong);
  });

  it('refuses a stream before its first token in its own way', async () => {
    engine.reply = { failAfter: 0, failure: { code: 'overloaded', message: 'The server is overloaded.' } };
    if (dialect.refusesStreamsBy === 'status') {
      await expectRefusal(await ask({ stream: true }), dialect.status.overloaded);
    } else {
      expect(await streamed()).toMatchObject({ text: '', ends: 0, errors: 1 });
    }
  });

  it('refuses bodies that are not JSON, not UTF-8, of the wrong type or too large, without asking the engine', async () => {
    await expectRefusal(await post('{"a":'), dialect.status.badJson);
    await expectRefusal(await post(Uint8Array.of(0x22, 0xff, 0x22)), dialect.status.notUtf8);
    await expectRefusal(await post(JSON.stringify(endpoint.wrongType)), dialect.status.wrongType);
    await expectRefusal(await ask({ prompt: 'x'.repeat(BODY_LIMIT) }), dialect.status.tooLarge);
    expect(engine.requests).toEqual([]);
  });

  it('ends with one error event when the engine is lost in the middle of a stream', async () => {
    engine.reply = { tokens: ['a', ' b', ' c'], failAfter: 2 };
    expect(await streamed()).toMatchObject({ text: 'a b', ends: 0, errors: 1 });
    await expectRefusal(await ask(), dialect.status.engineLost);
  });

  it('tells a stream that the server cut it short', async () => {
    engine.reply = { tokens: ['a', ' b'], holdAfter: 1 };
    const reading = streamed();
    await engine.until(({ running }) => running === 1);
    await served.listener.drain(0);
    expect(await reading).toMatchObject({ ends: 0, errors: 1 });
  });
}

function declareDoor(dialect: DialectUnderTest): void {
  let served: Served | undefined;
  afterEach(() => served?.close());
  const serve = async (apiKeys: readonly string[]): Promise<Served> => {
    served = await serveDialect(dialect.create(fakeRouter(new FakeEngine())), { apiKeys, prefix: '/here' });
    return served;
  };
  const [endpoint] = dialect.endpoints;

  it('answers unknown paths and wrong methods in its own shape', async () => {
    const { url } = await serve([]);
    const missing = await fetch(`${url}/here/nothing/at/all`);
    expect(missing.status).toBe(dialect.status.notFound);
    expect(dialect.isRefusal(await missing.text(), missing.status)).toBe(true);
    const wrong = await fetch(`${url}/here${endpoint?.path}`, { method: 'DELETE' });
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([
      dialect.status.methodNotAllowed,
      expect.stringContaining('POST'),
    ]);
    expect(dialect.isRefusal(await wrong.text(), wrong.status)).toBe(true);
  });

  it('asks for a key where there are keys', async () => {
    const { unauthorized } = dialect.status;
    const { url } = await serve(['secret']);
    const ask = (headers: Record<string, string>): Promise<Response> =>
      fetch(`${url}/here${endpoint?.path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(endpoint?.body({ prompt: 'x', stream: false })),
      });
    const refused = await ask({});
    expect(refused.status).toBe(unauthorized ?? 200);
    if (unauthorized !== undefined) expect(dialect.isRefusal(await refused.text(), unauthorized)).toBe(true);
    expect((await ask({ authorization: 'Bearer secret' })).status).toBe(200);
  });

  it('refuses to be asked under a name that is not its own, and says what would help', async () => {
    const { port } = await serve([]);
    const [status, text] = await askAs(port, 'evil.com', `/here${endpoint?.path}`);
    expect([status, text]).toEqual([403, expect.stringContaining('--trusted-host')]);
    expect(text).toContain('evil.com');
    expect((await askAs(port, 'localhost:80', `/here${endpoint?.path}`))[0]).not.toBe(403);
  });
}

/** Posts an empty body to a path under a name of one's choice. */
function askAs(port: number, host: string, path: string): Promise<readonly [number | undefined, string]> {
  return new Promise((resolve, reject) => {
    const asked = request(
      { host: '127.0.0.1', port, path, method: 'POST', headers: { host } },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        response.on('end', () => resolve([response.statusCode, text]));
      },
    );
    asked.on('error', reject).end();
  });
}

/** Sends a request by hand, so that the connection can be cut at will. */
async function dial(port: number, path: string, body: unknown): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const text = JSON.stringify(body);
  const head = `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json`;
  socket.write(`${head}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  return socket;
}

function once(socket: Socket, event: 'connect' | 'data'): Promise<void> {
  return new Promise((resolve) => socket.once(event, () => resolve()));
}
