// The table of paths of 1.4.2.

import { answerChatV1 } from './chat/answer-v1.js';
import { infoV1 } from './ops/info.js';
import { GENERATION_ERRORS, type RouteDoc } from './ops/openapi.js';
import { answerCompat, route, STREAM_TYPE, sharedRoutes, TAG, type TgiRoute, withDocs } from './routes.js';
import type { RunContext } from './run/generate.js';
import { readChatV1 } from './schema.js';
import type { Service } from './service.js';

/** Every route of 1.4.2. */
export function routesV1(service: Service): readonly TgiRoute[] {
  const info: RouteDoc = {
    tag: TAG,
    summary: 'Model and limits',
    answer: { types: ['application/json'] },
    errors: [],
  };
  const chat: RouteDoc = {
    tag: TAG,
    summary: 'Chat',
    body: readChatV1.schema ?? {},
    answer: { types: ['application/json', STREAM_TYPE] },
    errors: GENERATION_ERRORS,
  };
  return withDocs(service, [
    ...sharedRoutes(service),
    route(service, ['GET', '/info'], answerInfo, { open: true, doc: info }),
    route(service, ['POST', '/v1/chat/completions'], answerChat, { doc: chat }),
    route(service, ['POST', '/invocations'], answerInvocations),
  ]);
}

async function answerInfo({ service, exchange }: RunContext): Promise<void> {
  const target = await service.target();
  exchange.sendJson(200, infoV1(service, target, target.engine.status()));
}

function answerChat(context: RunContext): Promise<void> {
  return answerChatV1(context, context.service.bodies.read(context.exchange.body, readChatV1));
}

function answerInvocations(context: RunContext): Promise<void> {
  const { bodies, options, version } = context.service;
  if (options.messagesApiEnabled) return answerChat(context);
  return answerCompat(context, bodies.read(context.exchange.body, version.readCompat));
}
