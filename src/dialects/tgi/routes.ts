// The table of paths both versions have. What 3.3.6 adds is in routes-v3.ts, 1.4.2's chat in routes-v1.ts.

import type { Exchange, Route } from '../../http/index.js';
import { unhealthy } from './errors.js';
import { answerStream, answerWhole, withFullText } from './generate.js';
import { spansJson, tokenize } from './ops/tokenize.js';
import type { RunContext } from './run/generate.js';
import type { CompatBody } from './schema.js';
import type { Service } from './service.js';

/** Answers one exchange of a route. */
export type Handle = (context: RunContext) => Promise<void> | void;

/** A route whose handler is told where it came in. */
export function route(
  service: Service,
  method: Route['method'],
  path: string,
  handle: Handle,
  extra: Pick<Route, 'open' | 'claims'> = {},
): Route {
  return {
    method,
    path,
    handle: (exchange: Exchange) => handle({ service, exchange, route: path }),
    ...extra,
  };
}

/** A body of this dialect among those other dialects take on the same path. */
function hasInputs(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'inputs' in body;
}

/** Routes of both versions. */
export function sharedRoutes(service: Service): readonly Route[] {
  const { bodies, version } = service;
  const open = { open: true };
  const claims = { claims: hasInputs };
  return [
    route(service, 'GET', '/', health, open),
    route(service, 'GET', '/health', health, open),
    route(service, 'GET', '/ping', health, open),
    route(service, 'GET', '/metrics', metrics, open),
    route(service, 'POST', '/', (context) =>
      answerCompat(context, bodies.read(context.exchange.body, version.readCompat)),
    ),
    route(
      service,
      'POST',
      '/generate',
      (context) => answerWhole(context, bodies.read(context.exchange.body, version.readGenerate), 'object'),
      claims,
    ),
    route(
      service,
      'POST',
      '/generate_stream',
      (context) => answerStream(context, bodies.read(context.exchange.body, version.readGenerate)),
      claims,
    ),
    route(service, 'POST', '/tokenize', answerTokenize, claims),
  ];
}

/** POST `/`: whole or streamed, as the body says. */
export function answerCompat(context: RunContext, body: CompatBody): Promise<void> {
  const full = withFullText(body, context.service.options.modelPipelineTag);
  return body.stream ? answerStream(context, full) : answerWhole(context, full, 'array');
}

async function answerTokenize({ service, exchange }: RunContext): Promise<void> {
  const { inputs, parameters } = service.bodies.read(exchange.body, service.version.readGenerate);
  const target = await service.target();
  const spans = await tokenize(target, inputs, true);
  const cut = service.version.truncatesOnTokenize ? parameters.truncate : null;
  exchange.send(200, 'application/json', spansJson(cut === null ? spans : spans.slice(-cut)));
}

async function health({ service, exchange }: RunContext): Promise<void> {
  const { engine } = await service.target();
  if (!(await service.health.probe(engine, exchange.signal))) throw unhealthy();
  exchange.sendEmpty(200);
}

async function metrics({ service, exchange }: RunContext): Promise<void> {
  exchange.send(200, 'text/plain; charset=utf-8', await service.figures.text());
}
