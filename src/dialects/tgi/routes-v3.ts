// The table of paths of 3.3.6.

import { answerChatV3 } from './chat/answer-v3.js';
import { planChat } from './chat/plan.js';
import { answerCompletions } from './completions/answer.js';
import { infoV3, modelList } from './ops/info.js';
import {
  GENERATION_ERRORS,
  INTEGER,
  NULLABLE_STRING,
  OBJECTS,
  objectOf,
  type RouteDoc,
  STRING,
} from './ops/openapi.js';
import { spansJson, tokenize } from './ops/tokenize.js';
import { answerCompat, route, STREAM_TYPE, sharedRoutes, TAG, type TgiRoute, withDocs } from './routes.js';
import { fail, type RunContext } from './run/generate.js';
import { readChatV3, readCompletion, readInvocation } from './schema.js';
import type { Service } from './service.js';

const ANSWER = objectOf({
  id: STRING,
  created: INTEGER,
  model: STRING,
  system_fingerprint: STRING,
  choices: OBJECTS,
  usage: objectOf({ prompt_tokens: INTEGER, completion_tokens: INTEGER, total_tokens: INTEGER }),
});
const TYPES = ['application/json', STREAM_TYPE];

/** Every route of 3.3.6. */
export function routesV3(service: Service): readonly TgiRoute[] {
  return withDocs(service, [...sharedRoutes(service), ...modelRoutes(service), ...chatRoutes(service)]);
}

function modelRoutes(service: Service): readonly TgiRoute[] {
  const doc = (summary: string, schema: object, errors: readonly number[]): RouteDoc => ({
    tag: TAG,
    summary,
    answer: { types: ['application/json'], schema: { ...schema } },
    errors,
  });
  return [
    route(service, ['GET', '/info'], answerInfo, { open: true, doc: doc('Model and limits', INFO, []) }),
    route(service, ['GET', '/v1/models'], answerModels, {
      open: true,
      doc: doc('Models', objectOf({ object: STRING, data: OBJECTS }), [404]),
    }),
  ];
}

const INFO = objectOf({
  model_id: STRING,
  model_sha: NULLABLE_STRING,
  model_pipeline_tag: NULLABLE_STRING,
  max_concurrent_requests: INTEGER,
  max_best_of: INTEGER,
  max_stop_sequences: INTEGER,
  max_input_tokens: INTEGER,
  max_total_tokens: INTEGER,
  validation_workers: INTEGER,
  max_client_batch_size: INTEGER,
  router: STRING,
  version: STRING,
  sha: NULLABLE_STRING,
  docker_label: NULLABLE_STRING,
});

function chatRoutes(service: Service): readonly TgiRoute[] {
  const { bodies } = service;
  const doc = (summary: string, body: RouteDoc['body'] = {}): RouteDoc => ({
    tag: TAG,
    summary,
    body,
    answer: { types: TYPES, schema: ANSWER },
    errors: GENERATION_ERRORS,
  });
  return [
    route(
      service,
      ['POST', '/v1/chat/completions'],
      (context) => answerChatV3(context, bodies.read(context.exchange.body, readChatV3)),
      { doc: doc('Chat', readChatV3.schema) },
    ),
    route(
      service,
      ['POST', '/v1/completions'],
      (context) => answerCompletions(context, bodies.read(context.exchange.body, readCompletion)),
      { doc: doc('Complete up to as many prompts as one request may have', readCompletion.schema) },
    ),
    route(service, ['POST', '/chat_tokenize'], answerChatTokenize, {
      open: true,
      doc: {
        tag: TAG,
        summary: 'Tokens of a chat, and the text it becomes',
        body: readChatV3.schema ?? {},
        answer: {
          types: ['application/json'],
          schema: objectOf({ tokenize_response: OBJECTS, templated_text: STRING }),
        },
        errors: [404],
      },
    }),
    route(service, ['POST', '/invocations'], answerInvocations, {
      doc: doc('Generate, chat or complete, as the body says', readInvocation.schema),
    }),
  ];
}

async function answerInfo({ service, exchange }: RunContext): Promise<void> {
  exchange.sendJson(200, infoV3(service, await service.target()));
}

async function answerModels({ service, exchange }: RunContext): Promise<void> {
  const known = await service.deps.router.models();
  exchange.sendJson(200, modelList(known.map(({ id }) => id)));
}

async function answerChatTokenize(context: RunContext): Promise<void> {
  const { service, exchange } = context;
  const body = service.bodies.read(exchange.body, readChatV3);
  service.figures.countRequest();
  try {
    const { target, job } = await planChat(service, exchange, body);
    const spans = await tokenize(target, job.inputs, job.addSpecial);
    const text = JSON.stringify(job.inputs);
    exchange.send(
      200,
      'application/json',
      `{"tokenize_response":${spansJson(job.inputs, spans)},"templated_text":${text}}`,
    );
  } catch (error) {
    throw fail(context, error);
  }
}

function answerInvocations(context: RunContext): Promise<void> {
  const invocation = context.service.bodies.read(context.exchange.body, readInvocation);
  switch (invocation.kind) {
    case 'generate':
      return answerCompat(context, invocation.body);
    case 'chat':
      return answerChatV3(context, invocation.body);
    case 'completion':
      return answerCompletions(context, invocation.body);
  }
}
