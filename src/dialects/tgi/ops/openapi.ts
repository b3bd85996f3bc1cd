// The OpenAPI document, built from the routes' own descriptions and the tables their bodies are read with.

import type { Schema } from '../wire/shape.js';

/** What the document says about one route. */
export interface RouteDoc {
  readonly tag: string;
  readonly summary: string;
  /** Schema of the body, where there is one. */
  readonly body?: Schema;
  /** Media type of a good answer and its fields; no type = an empty body. */
  readonly answer?: { readonly types: readonly string[]; readonly schema?: Schema };
  readonly errors: readonly number[];
}

/** A described route. */
export interface DocumentedRoute {
  readonly method: string;
  readonly path: string;
  readonly doc?: RouteDoc;
}

/** What each refusal means. */
const ERRORS: Readonly<Record<number, string>> = {
  404: 'Not found',
  422: 'Input validation error',
  424: 'Generation error',
  429: 'Model is overloaded',
  500: 'Incomplete generation',
  503: 'Unhealthy',
};

const ERROR_REFERENCE = { $ref: '#/components/schemas/ErrorResponse' };

/** Statuses of every route that generates. */
export const GENERATION_ERRORS = [422, 424, 429, 500] as const;

/** `{ name: schema }` as an object schema, everything required. */
export function objectOf(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', required: Object.keys(properties), properties };
}

export const STRING: Schema = { type: 'string' };
export const INTEGER: Schema = { type: 'integer' };
export const NULLABLE_STRING: Schema = { type: 'string', nullable: true };
export const OBJECTS: Schema = { type: 'array', items: { type: 'object' } };

/** The document. */
export function openApi(version: string, routes: readonly DocumentedRoute[]): object {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { method, path, doc } of routes) {
    if (doc === undefined) continue;
    const place = paths[path] ?? {};
    paths[path] = place;
    place[method.toLowerCase()] = operation(doc);
  }
  return {
    openapi: '3.0.3',
    info: { title: 'Text Generation Inference', description: 'Spoken by Koine.', version },
    paths,
    components: {
      schemas: { ErrorResponse: objectOf({ error: STRING, error_type: STRING }) },
    },
  };
}

function operation(doc: RouteDoc): object {
  const responses: Record<string, unknown> = { 200: goodAnswer(doc) };
  for (const status of doc.errors) {
    responses[status] = {
      description: ERRORS[status] ?? 'Error',
      content: { 'application/json': { schema: ERROR_REFERENCE } },
    };
  }
  return {
    tags: [doc.tag],
    summary: doc.summary,
    ...(doc.body === undefined
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: doc.body } } } }),
    responses,
  };
}

function goodAnswer({ answer, summary }: RouteDoc): object {
  if (answer === undefined) return { description: summary };
  const schema = answer.schema ?? {};
  return {
    description: summary,
    content: Object.fromEntries(answer.types.map((type) => [type, { schema }])),
  };
}
