// The table of paths both versions have. What 3.3.6 adds is in routes-v3.ts, 1.4.2's own in routes-v1.ts.

import type { Exchange, Route } from '../../http/index.js';
import { unhealthy, validationError } from './errors.js';
import { DOCS_PAGE } from './ops/docs-page.js';
import { GENERATION_ERRORS, OBJECTS, objectOf, openApi, type RouteDoc, STRING } from './ops/openapi.js';
import { spansJson, tokenize } from './ops/tokenize.js';
import type { RunContext } from './run/generate.js';
import { type CompatBody, readDetect } from './schema.js';
import type { Service } from './service.js';
import { answerStream, answerWhole, withFullText } from './text/answer.js';
import { answerVertex } from './text/vertex.js';

/** A route with what the OpenAPI document says about it. */
export interface TgiRoute extends Route {
  readonly doc?: RouteDoc;
}

/** Answers one exchange of a route. */
export type Handle = (context: RunContext) => Promise<void> | void;

/** A route whose handler is told where it came in. */
export function route(
  service: Service,
  [method, path]: readonly [Route['method'], string],
  handle: Handle,
  extra: Pick<TgiRoute, 'open' | 'claims' | 'doc'> = {},
): TgiRoute {
  return {
    method,
    path,
    handle: (exchange: Exchange) => handle({ service, exchange, route: path }),
    ...extra,
  };
}

export const TAG = 'Text Generation Inference';
const JSON_TYPE = 'application/json';
export const STREAM_TYPE = 'text/event-stream';
const GENERATED = {
  type: 'object',
  required: ['generated_text'],
  properties: { generated_text: STRING, details: { type: 'object', nullable: true } },
};

/** A body of this dialect among those other dialects take on the same path. */
function hasInputs(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'inputs' in body;
}

/** Routes of both versions. */
export function sharedRoutes(service: Service): readonly TgiRoute[] {
  return [...probeRoutes(service), ...generateRoutes(service), ...extraRoutes(service)];
}

function probeRoutes(service: Service): readonly TgiRoute[] {
  const health = { tag: TAG, summary: 'Health check', errors: [503] };
  const metrics = { tag: TAG, summary: 'Prometheus metrics', answer: { types: ['text/plain'] }, errors: [] };
  return [
    route(service, ['GET', '/'], answerHealth, { open: true }),
    route(service, ['GET', '/health'], answerHealth, { open: true, doc: health }),
    route(service, ['GET', '/ping'], answerHealth, { open: true }),
    route(service, ['GET', '/metrics'], answerMetrics, { open: true, doc: metrics }),
  ];
}

function generateRoutes(service: Service): readonly TgiRoute[] {
  const { bodies, version } = service;
  const doc = (summary: string, types: readonly string[], body: RouteDoc['body'] = {}): RouteDoc => ({
    tag: TAG,
    summary,
    body,
    answer: { types, schema: GENERATED },
    errors: GENERATION_ERRORS,
  });
  const generateBody = version.readGenerate.schema;
  return [
    route(
      service,
      ['POST', '/'],
      (context) => answerCompat(context, bodies.read(context.exchange.body, version.readCompat)),
      { doc: doc('Generate, whole or streamed', [JSON_TYPE, STREAM_TYPE], version.readCompat.schema) },
    ),
    route(
      service,
      ['POST', '/generate'],
      (context) => answerWhole(context, bodies.read(context.exchange.body, version.readGenerate), 'object'),
      { claims: hasInputs, doc: doc('Generate', [JSON_TYPE], generateBody) },
    ),
    route(
      service,
      ['POST', '/generate_stream'],
      (context) => answerStream(context, bodies.read(context.exchange.body, version.readGenerate)),
      { claims: hasInputs, doc: doc('Generate, token by token', [STREAM_TYPE], generateBody) },
    ),
    route(service, ['POST', '/tokenize'], answerTokenize, {
      claims: hasInputs,
      doc: {
        tag: TAG,
        summary: 'Tokens of a text',
        body: generateBody ?? {},
        answer: { types: [JSON_TYPE], schema: OBJECTS },
        errors: [404],
      },
    }),
    route(service, ['POST', '/vertex'], (context) =>
      answerVertex(context, bodies.read(context.exchange.body, version.readVertex)),
    ),
  ];
}

function extraRoutes(service: Service): readonly TgiRoute[] {
  if (service.deps.detectWatermark === undefined) return [];
  const doc = {
    tag: 'Koine',
    summary: 'Whether a text carries the watermark',
    body: readDetect.schema ?? {},
    answer: {
      types: [JSON_TYPE],
      schema: objectOf({ z_score: { type: 'number' }, p_value: { type: 'number' } }),
    },
    errors: [422],
  };
  return [route(service, ['POST', '/extras/watermark/detect'], answerDetect, { doc })];
}

/** The document about all these routes, and the page that shows it. */
export function withDocs(service: Service, routes: readonly TgiRoute[]): readonly TgiRoute[] {
  const document = openApi(service.version.version, routes);
  return [
    ...routes,
    route(service, ['GET', '/api-doc/openapi.json'], ({ exchange }) => exchange.sendJson(200, document), {
      open: true,
    }),
    route(service, ['GET', '/docs'], redirectToDocs, { open: true }),
    route(service, ['GET', '/docs/'], sendDocs, { open: true }),
  ];
}

function redirectToDocs({ exchange }: RunContext): void {
  exchange.setHeader('location', 'docs/');
  exchange.sendEmpty(303);
}

function sendDocs({ exchange }: RunContext): void {
  exchange.send(200, 'text/html; charset=utf-8', DOCS_PAGE);
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
  exchange.send(200, JSON_TYPE, spansJson(inputs, cut === null ? spans : spans.slice(-cut)));
}

async function answerHealth({ service, exchange }: RunContext): Promise<void> {
  if (!(await service.isHealthy(exchange))) throw unhealthy();
  exchange.sendEmpty(200);
}

async function answerMetrics({ service, exchange }: RunContext): Promise<void> {
  exchange.send(200, 'text/plain; charset=utf-8', await service.figures.text());
}

/** Scores above this are called watermarked: one text in 31,574 without a watermark reaches it. */
const DEFAULT_THRESHOLD = 4;

async function answerDetect({ service, exchange }: RunContext): Promise<void> {
  const body = service.bodies.read(exchange.body, readDetect);
  const gamma = body.gamma ?? service.options.watermarkGamma;
  if (!(gamma > 0 && gamma < 1)) throw validationError('`gamma` must be > 0.0 and < 1.0');
  const text = body.inputs ?? '';
  if (body.tokens === null && text === '') throw validationError('`inputs` cannot be empty');
  const tokens = body.tokens ?? (await tokenize(await service.target(), text, false)).map(({ id }) => id);
  const found = service.deps.detectWatermark?.(tokens, gamma);
  if (found === undefined) throw validationError('this server has no watermark detector');
  exchange.sendJson(200, {
    tokens_scored: found.scored,
    green_tokens: found.green,
    z_score: found.zScore,
    p_value: found.pValue,
    watermarked: found.zScore >= (body.threshold ?? DEFAULT_THRESHOLD),
  });
}
