import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createLogger } from '../telemetry/index.js';
import type { Dialect, Problem, Route } from './dialect.js';
import type { Exchange } from './exchange.js';
import { ListenError } from './listen-error.js';
import { type ExchangeRecord, Listener } from './listener.js';
import { DEFAULT_HTTP, type HttpOptions } from './options.js';

const log = createLogger({ level: 'silent' });
const open: Listener[] = [];

afterEach(async () => {
  for (const listener of open.splice(0)) await listener.drain(0, 0);
});

/** A dialect that refuses in plain text, `name: kind`. */
function plain(name: string, routes: readonly Route[], more: Partial<Dialect> = {}): Dialect {
  const status: Record<Problem['kind'], number> = {
    'not-found': 404,
    'method-not-allowed': 405,
    unauthorized: 401,
    'untrusted-host': 403,
    'media-type': 415,
    'too-large': 413,
    'not-utf8': 400,
    'not-json': 400,
    malformed: 400,
    thrown: 500,
  };
  const refuse = (problem: Problem, exchange: Exchange): void =>
    exchange.send(status[problem.kind], 'text/plain', `${name}: ${problem.kind}`);
  return { name, routes, refuse, ...more };
}

interface Running {
  readonly url: string;
  readonly port: number;
  readonly listener: Listener;
  readonly records: ExchangeRecord[];
}

async function serve(
  mounts: ConstructorParameters<typeof Listener>[0]['mounts'],
  options: Partial<HttpOptions> = {},
): Promise<Running> {
  const records: ExchangeRecord[] = [];
  const listener = new Listener({
    options: { ...DEFAULT_HTTP, host: '127.0.0.1', port: 0, ...options },
    mounts,
    log,
    onExchangeEnd: (record) => records.push(record),
  });
  open.push(listener);
  const { port } = await listener.listen();
  return { url: `http://127.0.0.1:${port}`, port, listener, records };
}

const echo: Route = { method: 'POST', path: '/echo', handle: (x) => x.sendJson(200, { got: x.body }) };

function post(
  url: string,
  body: string | Uint8Array<ArrayBuffer>,
  type = 'application/json',
): Promise<Response> {
  return fetch(url, { method: 'POST', body, headers: { 'content-type': type } });
}

describe('mounts', () => {
  it('serves a dialect below its prefix and on the root, each with its own 404 and 405', async () => {
    const a = plain('a', [echo, { method: 'GET', path: '/', handle: (x) => x.sendEmpty(204) }]);
    const b = plain('b', [
      { method: 'GET', path: '/only-b/*', handle: (x) => x.sendJson(200, x.param('*')) },
    ]);
    const { url } = await serve([
      { dialect: a, prefix: '' },
      { dialect: b, prefix: '' },
      { dialect: b, prefix: '/b' },
    ]);
    expect(await (await fetch(`${url}/b/only-b/org/name`)).json()).toBe('org/name');
    expect((await fetch(`${url}/`)).status).toBe(204);
    const missing = await fetch(`${url}/b/nothing`);
    expect([missing.status, await missing.text()]).toEqual([404, 'b: not-found']);
    expect(await (await fetch(`${url}/nothing`)).text()).toBe('a: not-found');
    const wrong = await fetch(`${url}/only-b/x`, { method: 'POST' });
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect(await wrong.text()).toBe('b: method-not-allowed');
    expect((await fetch(`${url}/only-b/x`, { method: 'HEAD' })).status).toBe(200);
    const bad = await fetch(`${url}/b/only-b/%zz`);
    expect([bad.status, await bad.text()]).toEqual([400, 'b: malformed']);
  });

  it('gives a shared path to the first dialect that claims the body', async () => {
    const named = (name: string, claims?: Route['claims']): Dialect =>
      plain(name, [
        {
          method: 'POST',
          path: '/generate',
          handle: (x) => x.sendJson(200, name),
          ...(claims && { claims }),
        },
      ]);
    const has =
      (key: string) =>
      (body: unknown): boolean =>
        key in (body as object);
    const { url } = await serve([
      { dialect: named('one', has('inputs')), prefix: '' },
      { dialect: named('two', has('prompt')), prefix: '' },
    ]);
    const answers = ['{"inputs":1}', '{"prompt":1}', '{}'].map(async (body) =>
      (await post(`${url}/generate`, body)).json(),
    );
    expect(await Promise.all(answers)).toEqual(['one', 'two', 'one']);
  });

  it('answers a port in use with the address and the remedy', async () => {
    const { port } = await serve([{ dialect: plain('a', [echo]), prefix: '' }]);
    const second = serve([{ dialect: plain('a', [echo]), prefix: '' }], { port });
    await expect(second).rejects.toThrow(ListenError);
    await expect(second).rejects.toThrow(`cannot listen on 127.0.0.1:${port}: the port is in use`);
  });
});

describe('bodies', () => {
  it('refuses what is not JSON, not UTF-8, not declared or too large, and takes a byte order mark', async () => {
    const { url } = await serve([{ dialect: plain('a', [echo], { bodyLimitBytes: 64 }), prefix: '' }]);
    expect(await (await post(`${url}/echo`, '{"a":')).text()).toBe('a: not-json');
    expect(await (await post(`${url}/echo`, Uint8Array.of(0x22, 0xff, 0x22))).text()).toBe('a: not-utf8');
    expect(await (await post(`${url}/echo`, '1', 'text/plain')).text()).toBe('a: media-type');
    expect(await (await post(`${url}/echo`, `"${'x'.repeat(64)}"`)).text()).toBe('a: too-large');
    expect(await (await post(`${url}/echo`, '\ufeff{"a":1}', 'application/x+json')).json()).toEqual({
      got: { a: 1 },
    });
    expect(await (await fetch(`${url}/echo`, { method: 'POST' })).text()).toBe('a: media-type');
  });

  it('never shows what a handler threw', async () => {
    const routes: Route[] = [
      { method: 'GET', path: '/throw', handle: () => Promise.reject(new Error('secret')) },
      { method: 'GET', path: '/silent', handle: () => undefined },
    ];
    const { url } = await serve([{ dialect: plain('a', routes), prefix: '' }]);
    expect(await (await fetch(`${url}/throw`)).text()).toBe('a: thrown');
    expect(await (await fetch(`${url}/silent`)).text()).toBe('a: thrown');
  });
});

describe('keys, ids and origins', () => {
  it('opens protected routes to any of the keys, whatever the case of the scheme', async () => {
    const routes: Route[] = [
      echo,
      { method: 'GET', path: '/open', open: true, handle: (x) => x.sendEmpty(204) },
    ];
    const { url } = await serve([{ dialect: plain('a', routes), prefix: '', apiKeys: ['k1', 'k2'] }]);
    const ask = async (authorization?: string): Promise<number> =>
      (
        await fetch(`${url}/echo`, {
          method: 'POST',
          body: '1',
          headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
        })
      ).status;
    const answers = [ask(), ask('Bearer k3'), ask('Basic k1'), ask('Bearer k1'), ask('bearer k2')];
    expect(await Promise.all(answers)).toEqual([401, 401, 401, 200, 200]);
    const other = await fetch(`${url}/echo`, {
      method: 'POST',
      body: '1',
      headers: { 'content-type': 'application/json', 'x-api-key': 'k2' },
    });
    expect(other.status).toBe(200);
    expect((await fetch(`${url}/open`)).status).toBe(204);
  });

  it('echoes a harmless request id and replaces any other', async () => {
    const { url } = await serve([{ dialect: plain('a', [echo]), prefix: '' }]);
    const idOf = async (id: string): Promise<string | null> =>
      (await fetch(`${url}/none`, { headers: { 'x-request-id': id } })).headers.get('x-request-id');
    expect(await idOf('abc-1')).toBe('abc-1');
    expect(await idOf('has space')).toMatch(/^req-[0-9a-f]{24}$/);
    expect(await idOf('x'.repeat(129))).toMatch(/^req-/);
  });

  it('answers a preflight before asking for a key', async () => {
    const { url } = await serve([{ dialect: plain('a', [echo]), prefix: '', apiKeys: ['k'] }]);
    const headers = {
      origin: 'http://page',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    };
    const preflight = await fetch(`${url}/echo`, { method: 'OPTIONS', headers });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
    expect(preflight.headers.get('access-control-allow-headers')).toBe('authorization');
    const refused = await fetch(`${url}/echo`, { method: 'POST', headers: { origin: 'http://page' } });
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, '*']);
  });
});

/** Opens a socket and sends a request by hand. */
async function dial(port: number, request: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()));
  socket.write(request);
  return socket;
}

function deferred<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

describe('connections', () => {
  it('aborts the signal when the client leaves before the answer began', async () => {
    const started = deferred<void>();
    const aborted = deferred<void>();
    const wait: Route = {
      method: 'GET',
      path: '/wait',
      handle: async (x) => {
        x.signal.addEventListener('abort', () => aborted.resolve());
        started.resolve();
        await aborted.promise;
        x.sendEmpty(204);
      },
    };
    const { port, records } = await serve([{ dialect: plain('a', [wait]), prefix: '' }]);
    const socket = await dial(port, 'GET /wait HTTP/1.1\r\nhost: x\r\n\r\n');
    await started.promise;
    socket.destroy();
    await aborted.promise;
    expect(records).toMatchObject([{ dialect: 'a', route: '/wait', status: 499 }]);
  });

  it('stops making frames for a client that reads nothing, and goes on when it reads', async () => {
    const total = 20_000;
    const frame = `data: ${'x'.repeat(1000)}\n\n`;
    let made = 0;
    const flood: Route = {
      method: 'GET',
      path: '/flood',
      handle: async (x) => {
        const stream = x.openSse();
        for (made = 0; made < total; made += 1) {
          if (stream.send(frame)) await Promise.resolve();
          else await stream.drained();
        }
        stream.end('data: end\n\n');
      },
    };
    const { port } = await serve([{ dialect: plain('a', [flood]), prefix: '' }]);
    const socket = await dial(port, 'GET /flood HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    socket.pause();
    // A source that is not held back would be through within one of these turns.
    for (let turn = 0; turn < 200 || made === 0; turn += 1)
      await new Promise((resolve) => setImmediate(resolve));
    expect(made).toBeLessThan(total);
    let text = '';
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1');
    });
    socket.resume();
    await new Promise((resolve) => socket.once('close', resolve));
    expect(text.split('data: x').length - 1).toBe(total);
    expect(text).toContain('data: end\n\n');
    expect(text.endsWith('0\r\n\r\n')).toBe(true);
  });

  it('sends a comment on a silent stream', async () => {
    const done = deferred<void>();
    const idle: Route = {
      method: 'GET',
      path: '/idle',
      handle: async (x) => {
        const stream = x.openSse({ keepAliveMs: 5, comment: ':\n\n' });
        await done.promise;
        stream.end();
      },
    };
    const { url } = await serve([{ dialect: plain('a', [idle]), prefix: '' }]);
    const response = await fetch(`${url}/idle`);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const first = await reader.read();
    expect(Buffer.from(first.value ?? []).toString()).toMatch(/^(:\n\n)+$/);
    done.resolve();
    await reader.cancel();
  });

  it('cuts the connection when a handler fails in the middle of a stream', async () => {
    const broken: Route = {
      method: 'GET',
      path: '/broken',
      handle: async (x) => {
        x.openSse().send('data: 1\n\n');
        await Promise.resolve();
        throw new Error('secret');
      },
    };
    const { url } = await serve([{ dialect: plain('a', [broken]), prefix: '' }]);
    await expect(fetch(`${url}/broken`).then((response) => response.text())).rejects.toThrow();
  });

  it('closes the source of a stream whose frames cannot be made', async () => {
    let isReturned = false;
    const source: AsyncIterator<number> = {
      next: () => Promise.resolve({ done: false, value: 1 }),
      return: () => {
        isReturned = true;
        return Promise.resolve({ done: true, value: undefined });
      },
    };
    const encode = (): string => {
      throw new Error('secret');
    };
    const pump: Route = { method: 'GET', path: '/pump', handle: (x) => x.openSse().pump(source, encode) };
    const { url } = await serve([{ dialect: plain('a', [pump]), prefix: '' }]);
    await expect(fetch(`${url}/pump`).then((response) => response.text())).rejects.toThrow();
    expect(isReturned).toBe(true);
  });

  it('ends a drain when the last stream ends, whatever its connection would still be kept for', async () => {
    const finish = deferred<void>();
    const stream: Route = {
      method: 'GET',
      path: '/stream',
      handle: async (x) => {
        const sse = x.openSse();
        await finish.promise;
        sse.end('data: whole\n\n');
      },
    };
    const { url, listener } = await serve([{ dialect: plain('a', [stream]), prefix: '' }]);
    const response = await fetch(`${url}/stream`);
    const drained = listener.drain(60_000);
    finish.resolve();
    expect(await response.text()).toBe('data: whole\n\n');
    await drained;
  });

  it('is done with a request whose body breaks off, and does not wait for it when it drains', async () => {
    const { url, port, listener, records } = await serve([{ dialect: plain('a', [echo]), prefix: '' }]);
    const head =
      'POST /echo HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n';
    const socket = await dial(port, `${head}{"a`);
    await expect.poll(() => listener.inFlight).toBe(1);
    socket.destroy();
    await expect.poll(() => records.length).toBe(1);
    // The refusal of the broken body comes after its end; another request makes sure that it has come.
    await post(`${url}/echo`, '{}');
    await expect.poll(() => records.length).toBe(2);
    expect(listener.inFlight).toBe(0);
    expect(records.map(({ status }) => status)).toEqual([499, 200]);
  });

  it('drains: refuses new connections, finishes what runs, closes idle ones', async () => {
    const started = deferred<void>();
    const finish = deferred<void>();
    const slow: Route = {
      method: 'GET',
      path: '/slow',
      handle: async (x) => {
        started.resolve();
        await finish.promise;
        x.sendJson(200, 'done');
      },
    };
    const { url, listener } = await serve([{ dialect: plain('a', [slow]), prefix: '' }]);
    const running = fetch(`${url}/slow`);
    await started.promise;
    const drained = listener.drain(10_000);
    await expect(fetch(`${url}/slow`)).rejects.toThrow();
    finish.resolve();
    const response = await running;
    expect([await response.json(), response.headers.get('connection')]).toEqual(['done', 'close']);
    await drained;
    expect(listener.inFlight).toBe(0);
  });

  it('aborts what does not finish within the limit of a drain', async () => {
    const started = deferred<void>();
    const stuck: Route = {
      method: 'GET',
      path: '/stuck',
      handle: async (x) => {
        const stream = x.openSse();
        const aborted = new Promise<void>((resolve) => {
          x.signal.addEventListener('abort', () => resolve());
        });
        started.resolve();
        await aborted;
        stream.end('data: cut\n\n');
      },
    };
    const { url, listener } = await serve([{ dialect: plain('a', [stuck]), prefix: '' }]);
    const response = await fetch(`${url}/stuck`);
    await started.promise;
    const drained = listener.drain(0);
    expect(await response.text()).toBe('data: cut\n\n');
    await drained;
  });
});
