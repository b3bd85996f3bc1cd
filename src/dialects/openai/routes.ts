// The table of paths, and what each of them does with a request.

import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../../base/index.js';
import type { Exchange, Route } from '../../http/index.js';
import type { Engine, ModelDescription, Router } from '../../protocol/index.js';
import type { Metrics } from '../../telemetry/index.js';
import { type DecodeContext, decodeChat, decodeCompletion } from './decode.js';
import { embedReply } from './embeddings.js';
import { ChatReply } from './encode/chat.js';
import { ChatStream } from './encode/chat-stream.js';
import { CompletionReply, CompletionStream } from './encode/completion.js';
import { streamReply, wholeReply } from './generate.js';
import { modelList, modelObject, resolveModel, type UnknownModel } from './models.js';
import { ChatBody, CompletionBody, EmbeddingBody } from './schema.js';
import { bodyCheck } from './validate.js';

/** What the dialect is given. */
export interface OpenAiOptions {
  readonly router: Router;
  readonly metrics: Metrics;
  readonly clock: Clock;
  /** What generation and embeddings do with a model name nobody knows; refuse when absent. */
  readonly unknownModel?: UnknownModel;
}

/** All paths of the dialect. */
export function openAiRoutes(options: OpenAiOptions): readonly Route[] {
  const { router, metrics, clock, unknownModel = 'refuse' } = options;
  const find = (model: string | undefined) => findModel(router, model, unknownModel);
  const checkChat = bodyCheck(ChatBody);
  const checkCompletion = bodyCheck(CompletionBody);
  const checkEmbedding = bodyCheck(EmbeddingBody);
  const contextOf = (exchange: Exchange, description: ModelDescription): DecodeContext => ({
    requestId: exchange.id,
    created: clock.epochSeconds(),
    description,
    fingerprint: fingerprintOf(description),
    replyId: randomBytes(12).toString('hex'),
  });

  const chat = async (exchange: Exchange): Promise<void> => {
    const body = checkChat(exchange.body);
    const prepare = async () => {
      const { engine, description } = await find(body.model);
      const decoded = decodeChat(body, contextOf(exchange, description));
      return { engine, decoded, metrics, route: '/v1/chat/completions', input: 'messages' as const };
    };
    if (body.stream === true) {
      await streamReply(exchange, 'messages', async () => {
        const work = await prepare();
        return { work, encoder: new ChatStream(work.decoded.shape) };
      });
    } else {
      const work = await prepare();
      await wholeReply(exchange, work, new ChatReply(work.decoded.shape));
    }
  };

  const completion = async (exchange: Exchange): Promise<void> => {
    const body = checkCompletion(exchange.body);
    const prepare = async () => {
      const { engine, description } = await find(body.model);
      const decoded = decodeCompletion(body, contextOf(exchange, description));
      return { engine, decoded, metrics, route: '/v1/completions', input: 'prompt' as const };
    };
    if (body.stream === true) {
      await streamReply(exchange, 'prompt', async () => {
        const work = await prepare();
        const { shape, requests } = work.decoded;
        return { work, encoder: new CompletionStream(shape, requests.length) };
      });
    } else {
      const work = await prepare();
      const { shape, requests } = work.decoded;
      await wholeReply(exchange, work, new CompletionReply(shape, requests.length));
    }
  };

  const embeddings = async (exchange: Exchange): Promise<void> => {
    const body = checkEmbedding(exchange.body);
    const { engine, description } = await find(body.model);
    await embedReply(exchange, body, engine, description);
  };

  return [
    { method: 'POST', path: '/v1/chat/completions', handle: chat },
    { method: 'POST', path: '/v1/completions', handle: completion },
    { method: 'POST', path: '/v1/embeddings', handle: embeddings },
    {
      method: 'GET',
      path: '/v1/models',
      handle: async (exchange) => exchange.sendJson(200, modelList(await router.models())),
    },
    {
      // Ids may contain slashes.
      method: 'GET',
      path: '/v1/models/*',
      handle: async (exchange) => {
        const name = exchange.param('*');
        const models = await router.models();
        const listed = models.find(({ id, aliases }) => id === name || aliases.includes(name));
        // Looking a model up does not load it.
        exchange.sendJson(200, modelObject(listed ?? (await findModel(router, name, 'refuse')).description));
      },
    },
  ];
}

async function findModel(
  router: Router,
  model: string | undefined,
  unknown: UnknownModel,
): Promise<{ readonly engine: Engine; readonly description: ModelDescription }> {
  const { engine } = resolveModel(router, model, unknown);
  return { engine, description: await engine.describe() };
}

/** Changes when the model behind a name does, which is what clients compare seeds by. */
function fingerprintOf({ id, architecture, quantization, parameters, sizeBytes }: ModelDescription): string {
  const facts = [id, architecture, quantization, parameters, sizeBytes].join('|');
  return `fp_${createHash('sha256').update(facts).digest('hex').slice(0, 10)}`;
}
