// The table of paths, and what each of them does with a request.

import type { Clock } from '../../base/index.js';
import type { Exchange, Route } from '../../http/index.js';
import type { Router } from '../../protocol/index.js';
import type { Metrics } from '../../telemetry/index.js';
import type { UnknownModel } from '../openai/index.js';
import { readBody } from './check/structure.js';
import { type DecodeContext, type Decoded, decodeChat, decodeCompletion, type ReplyShape } from './decode.js';
import { embed } from './embeddings.js';
import { ChatReply } from './encode/chat.js';
import { ChatStream } from './encode/chat-stream.js';
import { CompletionReply } from './encode/completion.js';
import { CompletionStream } from './encode/completion-stream.js';
import { libraryList } from './encode/library-model.js';
import type { ReplyEncoder, StreamEncoder } from './encode.js';
import { tokenIds, tokenText } from './extras.js';
import { type Generation, streamReply, wholeReply } from './generate.js';
import { type Management, managementRoutes } from './management.js';
import { type FoundModel, findModel, modelList } from './models.js';
import { chatBody, completionBody, detokenizeBody, embeddingBody, tokenizeBody } from './schema.js';

/** What the dialect is given. */
export interface JanOptions {
  readonly router: Router;
  readonly metrics: Metrics;
  readonly clock: Clock;
  /** What is done with a model name nobody knows. The default model when absent: clients send names of other services. */
  readonly unknownModel?: UnknownModel;
  /** The models, where they may be managed over HTTP. */
  readonly management?: Management;
}

/** An editor's plugin asks here, and means the model of that alias. */
const COPILOT = 'copilot-codex';

/** All paths of the dialect. */
export function janRoutes(options: JanOptions): readonly Route[] {
  const service = new Service(options);
  return [
    { method: 'POST', path: '/v1/chat/completions', handle: (exchange) => service.chat(exchange) },
    { method: 'POST', path: '/v1/completions', handle: (exchange) => service.complete(exchange) },
    {
      method: 'POST',
      path: `/v1/engines/${COPILOT}/completions`,
      handle: (exchange) => service.complete(exchange, COPILOT),
    },
    { method: 'POST', path: '/v1/embeddings', handle: (exchange) => service.embed(exchange) },
    { method: 'GET', path: '/v1/models', handle: (exchange) => service.listModels(exchange) },
    { method: 'POST', path: '/extras/tokenize', handle: (exchange) => service.tokenize(exchange) },
    { method: 'POST', path: '/extras/tokenize/count', handle: (exchange) => service.countTokens(exchange) },
    { method: 'POST', path: '/extras/detokenize', handle: (exchange) => service.detokenize(exchange) },
    ...managementRoutes(options.management),
  ];
}

/** A request that can be run. */
interface Prepared {
  readonly decoded: Decoded;
  readonly found: FoundModel;
}

/** What the two kinds of generation differ in. */
type Way = Pick<Generation, 'route' | 'asked'>;

/** What the paths share. */
class Service {
  readonly #options: JanOptions;

  constructor(options: JanOptions) {
    this.#options = options;
  }

  async chat(exchange: Exchange): Promise<void> {
    const body = readBody(chatBody, exchange.body);
    const prepare = async () => {
      const found = await this.#find(body.model);
      const decoded = await decodeChat(body, this.#contextOf(exchange, found));
      return { decoded, found };
    };
    const way = { route: '/v1/chat/completions', asked: 'messages' as const };
    if (body.stream) await this.#stream(exchange, way, prepare, (shape) => new ChatStream(shape));
    else await this.#whole(exchange, way, await prepare(), (shape) => new ChatReply(shape));
  }

  /** `forced` is the model asked instead of the body's. */
  async complete(exchange: Exchange, forced?: string): Promise<void> {
    const body = readBody(completionBody, exchange.body);
    const prepare = async () => {
      const found = await this.#find(forced ?? body.model);
      const shownModel = forced === undefined ? found.shownModel : (body.model ?? found.description.id);
      const context = { ...this.#contextOf(exchange, found), shownModel };
      return { decoded: await decodeCompletion(body, context), found };
    };
    const way = { route: '/v1/completions', asked: 'prompt' as const };
    if (body.stream) await this.#stream(exchange, way, prepare, (shape) => new CompletionStream(shape));
    else await this.#whole(exchange, way, await prepare(), (shape) => new CompletionReply(shape));
  }

  async embed(exchange: Exchange): Promise<void> {
    const body = readBody(embeddingBody, exchange.body);
    const { engine, description, shownModel } = await this.#find(body.model);
    const { data, usage } = await embed(exchange, body, engine, description);
    this.#answer(exchange, { object: 'list', data, model: shownModel, usage });
  }

  async listModels(exchange: Exchange): Promise<void> {
    const { router, management } = this.#options;
    const list =
      management === undefined
        ? modelList(await router.models())
        : libraryList(await management.library.list());
    this.#answer(exchange, list);
  }

  async tokenize(exchange: Exchange): Promise<void> {
    this.#answer(exchange, { tokens: await this.#tokens(exchange) });
  }

  async countTokens(exchange: Exchange): Promise<void> {
    this.#answer(exchange, { count: (await this.#tokens(exchange)).length });
  }

  async detokenize(exchange: Exchange): Promise<void> {
    const { model, tokens } = readBody(detokenizeBody, exchange.body);
    const { engine, description } = await this.#find(model);
    this.#answer(exchange, { text: await tokenText(engine, description, tokens) });
  }

  async #tokens(exchange: Exchange): Promise<readonly number[]> {
    const { model, input } = readBody(tokenizeBody, exchange.body);
    const { engine, description } = await this.#find(model);
    return tokenIds(engine, description, input);
  }

  #find(model: string | null): Promise<FoundModel> {
    return findModel(this.#options.router, model, this.#options.unknownModel ?? 'default');
  }

  #contextOf(exchange: Exchange, found: FoundModel): DecodeContext {
    return { requestId: exchange.id, created: this.#options.clock.epochSeconds(), ...found };
  }

  #stream(
    exchange: Exchange,
    way: Way,
    prepare: () => Promise<Prepared>,
    encoderOf: (shape: ReplyShape) => StreamEncoder,
  ): Promise<void> {
    return streamReply({
      exchange,
      asked: way.asked,
      sign: () => this.#sign(exchange),
      prepare: async () => {
        const prepared = await prepare();
        return { work: this.#work(exchange, way, prepared), encoder: encoderOf(prepared.decoded.shape) };
      },
    });
  }

  #whole(
    exchange: Exchange,
    way: Way,
    prepared: Prepared,
    encoderOf: (shape: ReplyShape) => ReplyEncoder,
  ): Promise<void> {
    return wholeReply(this.#work(exchange, way, prepared), encoderOf(prepared.decoded.shape));
  }

  #work(exchange: Exchange, way: Way, { decoded, found: { engine } }: Prepared): Generation {
    const sign = (): void => this.#sign(exchange);
    return { exchange, engine, decoded, metrics: this.#options.metrics, sign, ...way };
  }

  #answer(exchange: Exchange, value: unknown): void {
    this.#sign(exchange);
    exchange.sendJson(200, value);
  }

  /** Whole milliseconds until the answer, or the head of a stream, is there; only on answers that are no error. */
  #sign(exchange: Exchange): void {
    const elapsedMs = this.#options.clock.now() - exchange.startedAtMs;
    exchange.setHeader('openai-processing-ms', String(Math.max(0, Math.round(elapsedMs))));
  }
}
