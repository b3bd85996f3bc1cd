// The Jan dialect over a scripted engine on a real port, and requests as a bare client sends them.

import { type JanOptions, janDialect } from '../../../src/dialects/jan/index.js';
import { Metrics } from '../../../src/telemetry/index.js';
import { FakeEngine, type FakeEngineOptions, fakeRouter } from '../../support/fake-engine.js';
import { type ServeOptions, serveDialect } from '../../support/serve.js';

/** How the dialect under test is made. */
export interface JanSetup extends FakeEngineOptions {
  readonly options?: Partial<JanOptions>;
  readonly serve?: ServeOptions;
}

/** An answer read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The text as JSON; undefined where it is none. */
  readonly json: Json | undefined;
}

/** JSON as tests reach into it. */
export interface Json {
  readonly [key: string]: Json;
  readonly [index: number]: Json;
}

/** A running dialect with its engine. */
export interface JanUnderTest {
  readonly url: string;
  readonly port: number;
  readonly engine: FakeEngine;
  /** A text is sent as it is, anything else as JSON. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  close(): Promise<void>;
}

/** Seconds since the epoch at which every answer was made. */
export const CREATED = 1_750_000_000;

/** Starts it. */
export async function startJan(setup: JanSetup = {}): Promise<JanUnderTest> {
  const engine = new FakeEngine(setup);
  const clock = { now: () => performance.now(), epochSeconds: () => CREATED };
  const options = { router: fakeRouter(engine), metrics: new Metrics(), clock, ...setup.options };
  const served = await serveDialect(janDialect(options), setup.serve);
  const read = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await fetch(`${served.url}${path}`, init);
    const text = await response.text();
    const isJson = response.headers.get('content-type') === 'application/json';
    const json = isJson ? (JSON.parse(text) as Json) : undefined;
    return { status: response.status, headers: response.headers, text, json };
  };
  return {
    url: served.url,
    port: served.port,
    engine,
    post: (path, body, headers) =>
      read(path, {
        method: 'POST',
        body: typeof body === 'string' ? body : JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      }),
    get: (path, headers) => read(path, { headers: headers ?? {} }),
    close: () => served.close(),
  };
}
