// A TGI dialect over a scripted engine on a real port, and requests as a bare client sends them.

import {
  DEFAULT_TGI_OPTIONS,
  type TgiDeps,
  type TgiOptions,
  tgi,
  tgi14,
} from '../../../src/dialects/tgi/index.js';
import { FakeEngine, type FakeEngineOptions, fakeRouter } from '../../support/fake-engine.js';
import { type ServeOptions, serveDialect } from '../../support/serve.js';

/** How a dialect under test is made. */
export interface TgiSetup extends FakeEngineOptions {
  readonly version?: '3.3.6' | '1.4.2';
  readonly options?: Partial<TgiOptions>;
  readonly deps?: Partial<TgiDeps>;
  readonly serve?: ServeOptions;
}

/** An answer read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A running dialect with its engine. */
export interface TgiUnderTest {
  readonly url: string;
  readonly engine: FakeEngine;
  post(path: string, body: string, headers?: Record<string, string>): Promise<Answer>;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  close(): Promise<void>;
}

/** Starts it. */
export async function startTgi(setup: TgiSetup = {}): Promise<TgiUnderTest> {
  const engine = new FakeEngine(setup);
  const make = setup.version === '1.4.2' ? tgi14 : tgi;
  const options = { ...DEFAULT_TGI_OPTIONS, ...setup.options };
  const served = await serveDialect(
    make({ router: fakeRouter(engine), options, ...setup.deps }),
    setup.serve,
  );
  const read = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await fetch(`${served.url}${path}`, init);
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  return {
    url: served.url,
    engine,
    post: (path, body, headers) =>
      read(path, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } }),
    get: (path, headers) => read(path, { headers: headers ?? {} }),
    close: () => served.close(),
  };
}

/** What the events of 3.3.6's streams carry, `[DONE]` included. */
export function eventsOf({ text }: Answer): readonly string[] {
  return text
    .split('\n\n')
    .filter((frame) => frame.startsWith('data: '))
    .map((frame) => frame.slice('data: '.length));
}

/** Value of a series on `/metrics`, by its name and labels as they are written; 0 while there is none. */
export async function metricOf(server: TgiUnderTest, series: string): Promise<number> {
  const { text } = await server.get('/metrics');
  const found = text.split('\n').find((each) => each.startsWith(`${series} `));
  return Number(found?.slice(series.length + 1) ?? 0);
}
