// Runs prepared requests: whole answers and streams, with places taken and given back and every end counted.

import type { Exchange, SseStream } from '../../../http/index.js';
import { type GenerateEvent, KoineError } from '../../../protocol/index.js';
import { RequestMeter } from '../../../telemetry/index.js';
import { generatedTokens } from '../encode.js';
import { overloaded, type TgiError, validationError } from '../errors.js';
import { isUnexpected, toTgiError } from '../refuse.js';
import type { Service } from '../service.js';
import { type AnswerFigures, streamHeaders } from '../wire/headers.js';
import { collect, type Generation, type Sequence } from './collect.js';
import { lengthFirst, tokenLimit } from './limit.js';
import type { Prepared } from './prepare.js';
import type { TokenFeed } from './token-feed.js';

/** Where a request came in, as a label. */
export interface RunContext {
  readonly service: Service;
  readonly exchange: Exchange;
  readonly route: string;
  /** Ends this run before the exchange itself does. */
  readonly signal?: AbortSignal;
}

/** Takes `count` places for the time of `work`. Throws `TgiError` when there are too few. */
export async function withSlots<T>(service: Service, count: number, work: () => Promise<T>): Promise<T> {
  if (!service.slots.take(count)) throw overloaded();
  try {
    return await work();
  } finally {
    service.slots.giveBack(count);
  }
}

/** A whole answer with its figures. */
export interface Answer {
  readonly generation: Generation;
  readonly figures: AnswerFigures;
  readonly prepared: Prepared;
}

/** Runs a request to its end; the caller counts it with `succeed` once it is of use. Throws `KoineError`. */
export async function runWhole(context: RunContext, prepared: Prepared): Promise<Answer> {
  const { service, exchange } = context;
  const events = metered(context, prepared);
  const collected = await collect(events).catch((error: unknown) => {
    throw schemaRefusal(prepared, error);
  });
  const limit = tokenLimit(prepared.signs, collected.promptTokens);
  const ended = (sequence: Sequence): Sequence => ({
    ...sequence,
    result: lengthFirst(sequence.result, generatedTokens(sequence), limit),
  });
  const [first, ...others] = collected.sequences;
  const generation: Generation = { ...collected, sequences: [ended(first), ...others.map(ended)] };
  const [best] = generation.sequences;
  const figures: AnswerFigures = {
    characters: prepared.characters,
    totalMs: service.clock.now() - exchange.startedAtMs,
    validationMs: prepared.validationMs,
    timings: generation.timings,
    promptTokens: generation.promptTokens,
    generatedTokens: generatedTokens(best),
  };
  return { generation, figures, prepared };
}

/** Runs a request into a stream, through a feed that writes its tokens. Throws `KoineError` when it is cut off. */
export async function runStream(
  context: RunContext,
  prepared: Prepared,
  stream: SseStream,
  feed: TokenFeed,
): Promise<void> {
  const { service, exchange } = context;
  const events = metered(context, prepared)[Symbol.asyncIterator]();
  try {
    await stream.pump(events, (event) => feed.push(event));
  } catch (error) {
    throw schemaRefusal(prepared, error);
  } finally {
    // Whatever cut the stream off, no token that was computed is lost.
    const rest = feed.flush();
    if (rest !== '') stream.send(rest);
  }
  if (feed.ending === undefined || feed.timings === undefined) throw new KoineError('engine_lost');
  const figures: AnswerFigures = {
    characters: prepared.characters,
    totalMs: service.clock.now() - exchange.startedAtMs,
    validationMs: prepared.validationMs,
    timings: feed.timings,
    promptTokens: feed.promptTokens,
    generatedTokens: feed.generatedTokens,
  };
  succeed(service, { prepared, figures });
}

/** A schema that cannot be compiled is the client's fault; a bad expression is found by the engine. */
function schemaRefusal({ request }: Prepared, error: unknown): unknown {
  const isSchema = request.constraint?.kind === 'json-schema';
  if (!isSchema || !(error instanceof KoineError) || error.code !== 'constraint') return error;
  return validationError(`cannot compile regex from schema: ${error.message}`);
}

/** Opens the event stream as TGI does: before anything is checked. */
export function openStream({ service, exchange }: RunContext, characters: number): SseStream {
  const { computeType, keepAliveSeconds } = service.options;
  return exchange.openSse({
    headers: streamHeaders(computeType, characters),
    keepAliveMs: keepAliveSeconds * 1000,
    comment: ':\n\n',
  });
}

/** Counts a failure, of so many prompts that came in one body, and says what it is on the wire. */
export function fail({ service, exchange }: RunContext, thrown: unknown, prompts = 1): TgiError {
  if (isUnexpected(thrown)) exchange.log.error({ err: thrown }, 'a generation failed');
  const error = toTgiError(thrown);
  const isDropped = exchange.signal.aborted;
  service.figures.countFailure(isDropped ? 'dropped' : error.label, prompts);
  if (!isDropped && (error.label === 'generation' || error.label === 'incomplete')) service.health.doubt();
  return error;
}

/** Counts an answer given in full. */
export function succeed(service: Service, { prepared, figures }: Pick<Answer, 'prepared' | 'figures'>): void {
  service.health.trust();
  const maxNewTokens = prepared.request.stop.maxNewTokens;
  service.figures.countSuccess({ figures, maxNewTokens }, prepared.target.limits);
}

/** The engine's events, also shown to the server's own figures where there are any. */
function metered(context: RunContext, prepared: Prepared): AsyncIterable<GenerateEvent> {
  const { service, exchange, route } = context;
  const { engine } = prepared.target;
  const events = engine.generate(prepared.request, context.signal ?? exchange.signal);
  const { metrics } = service.deps;
  if (metrics === undefined) return events;
  const meter = new RequestMeter(metrics, { dialect: service.version.name, route }, exchange.startedAtMs);
  return { [Symbol.asyncIterator]: () => observed(events[Symbol.asyncIterator](), meter) };
}

function observed(events: AsyncIterator<GenerateEvent>, meter: RequestMeter): AsyncIterator<GenerateEvent> {
  return {
    async next() {
      const next = await events.next();
      if (next.done === true) meter.end();
      else meter.observe(next.value);
      return next;
    },
    async return() {
      meter.end();
      await events.return?.();
      return { done: true, value: undefined };
    },
  };
}
