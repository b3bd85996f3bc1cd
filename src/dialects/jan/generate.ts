// Runs the requests of one exchange and answers with a body or a stream. A failure before the first event gets a
// real status; a later one is an event of the stream, which then ends without `[DONE]`.

import { setMaxListeners } from 'node:events';
import type { Exchange, SseStream } from '../../http/index.js';
import {
  type Engine,
  type Failure,
  type GenerateEvent,
  toFailure,
  type Usage,
} from '../../protocol/index.js';
import { type Metrics, RequestMeter } from '../../telemetry/index.js';
import { isWithin, logged } from '../openai/index.js';
import { InvalidBody } from './check/fault.js';
import type { Decoded } from './decode.js';
import { addUsage, NO_USAGE, type ReplyEncoder, type StreamEncoder } from './encode.js';
import { type Asked, failureFrame, sendFailure } from './errors.js';

/** One exchange's work. */
export interface Generation {
  readonly exchange: Exchange;
  readonly engine: Engine;
  readonly decoded: Decoded;
  readonly metrics: Metrics;
  /** Path in the metrics. */
  readonly route: string;
  readonly asked: Asked;
  /** Called right before the answer leaves. */
  readonly sign: () => void;
}

/** The engine ended a request that nobody gave up. */
const CUT: Failure = {
  code: 'cancelled',
  message: 'The server ended the request before it was complete.',
};
const PING = ': ping\n\n';

/** One prompt under way. */
interface Run {
  readonly prompt: number;
  readonly events: AsyncIterator<GenerateEvent>;
  readonly meter: RequestMeter;
  /** Its first event, which tells whether it was admitted. */
  readonly first: GenerateEvent;
}

/** All prompts of an exchange, which end together. */
class Batch {
  readonly #work: Generation;
  readonly #abort = new AbortController();
  usage: Usage = NO_USAGE;
  failure: Failure | undefined;

  constructor(work: Generation) {
    this.#work = work;
    // Every prompt listens, and a list of prompts may be long.
    setMaxListeners(0, this.#abort.signal);
    const { signal } = work.exchange;
    if (signal.aborted) this.#abort.abort();
    else signal.addEventListener('abort', () => this.#abort.abort(), { once: true });
  }

  /** Starts every prompt; resolves when each has its first event. A refusal of one ends all. */
  async begin(): Promise<readonly Run[]> {
    const runs = await Promise.all(this.#work.decoded.requests.map((_, prompt) => this.#start(prompt)));
    for (const { first } of runs) if (this.failure === undefined) this.fail(failureOf(first));
    if (this.failure !== undefined) {
      for (const { meter, first } of runs) {
        meter.observe(first);
        meter.end();
      }
    }
    return runs;
  }

  /** Takes note of an event; false when it, or an earlier one, ended everything. */
  accepts({ meter }: Run, event: GenerateEvent): boolean {
    meter.observe(event);
    if (this.failure !== undefined) return false;
    if (event.kind === 'finished') this.usage = addUsage(this.usage, event.usage);
    else this.fail(failureOf(event));
    return this.failure === undefined;
  }

  /** Ends everything for a reason; the first one counts. */
  fail(failure: Failure | undefined): void {
    if (failure === undefined) return;
    this.failure ??= this.#worded(failure);
    this.#abort.abort();
  }

  /** The protocol's word for a rule says less than the field that set it. */
  #worded(failure: Failure): Failure {
    const { ruleField } = this.#work.decoded;
    if (failure.code !== 'constraint' || ruleField === undefined) return failure;
    return { ...failure, details: { ...failure.details, field: ruleField } };
  }

  /** A throw is no way for an engine to fail, so it is logged before it becomes a failure. */
  failBy(error: unknown): void {
    const failure = toFailure(error);
    if (failure.code === 'internal') this.#work.exchange.log.error({ err: error }, 'a generation failed');
    this.fail(failure);
  }

  async #start(prompt: number): Promise<Run> {
    const { engine, decoded, metrics, route, exchange } = this.#work;
    const meter = new RequestMeter(metrics, { dialect: 'jan', route }, exchange.startedAtMs);
    const request = decoded.requests[prompt];
    if (request === undefined) throw new RangeError(`there is no prompt ${prompt}`);
    const events = engine.generate(request, this.#abort.signal)[Symbol.asyncIterator]();
    try {
      const next = await events.next();
      const first = next.done === true ? failed(CUT) : next.value;
      return { prompt, events, meter, first };
    } catch (error) {
      this.failBy(error);
      return { prompt, events, meter, first: failed(toFailure(error)) };
    }
  }
}

/** What a stream is made from, as soon as that is known. */
export interface StreamParts {
  readonly exchange: Exchange;
  readonly asked: Asked;
  /** Called right before the answer leaves. */
  readonly sign: () => void;
  /** Waits for the model where it has to be loaded. What it throws reaches the front door while there is a status. */
  readonly prepare: () => Promise<{ readonly work: Generation; readonly encoder: StreamEncoder }>;
}

/** Streams the reply. */
export async function streamReply({ exchange, asked, sign, prepare }: StreamParts): Promise<void> {
  const open = (): SseStream => {
    sign();
    return exchange.openSse({ comment: PING, headers: { 'cache-control': 'no-store' } });
  };
  const beginning = begin(prepare);
  // Who has to wait long for a model or a place is kept company by comments, at the price of a status.
  const early = (await isWithin(beginning, exchange.keepAliveMs)) ? undefined : open();
  const begun = await beginning.catch((error: unknown) => {
    if (early === undefined) throw error;
    early.end(failureFrame(failureBy(exchange, error), asked));
  });
  if (begun === undefined) return;
  const { batch, runs, encoder } = begun;
  if (batch.failure !== undefined && early === undefined) {
    sendFailure(exchange, batch.failure, asked);
    return;
  }
  const stream = early ?? open();
  if (batch.failure === undefined) {
    await Promise.all(runs.map((run) => relay(stream, batch, run, encoder)));
  }
  const { failure } = batch;
  stream.end(failure === undefined ? encoder.end(batch.usage) : failureFrame(failure, asked));
}

async function begin(prepare: StreamParts['prepare']) {
  const { work, encoder } = await prepare();
  const batch = new Batch(work);
  return { batch, encoder, runs: await batch.begin() };
}

/** What is wrong with a body can come too late for a status of its own. */
function failureBy(exchange: Exchange, error: unknown): Failure {
  if (error instanceof InvalidBody) return { code: 'invalid_request', message: error.message };
  return logged(exchange, error);
}

/** Passes the events of one prompt on to the stream. */
async function relay(stream: SseStream, batch: Batch, run: Run, encoder: StreamEncoder): Promise<void> {
  const { prompt, meter } = run;
  let isFinished = false;
  const frames = (event: GenerateEvent): string => {
    if (!batch.accepts(run, event)) return '';
    isFinished ||= event.kind === 'finished';
    return encoder.frames(event, prompt);
  };
  try {
    stream.send(frames(run.first));
    await stream.pump(run.events, frames);
    if (!isFinished) batch.fail(CUT);
  } catch (error) {
    batch.failBy(error);
  } finally {
    meter.end();
  }
}

/** Answers with one body. */
export async function wholeReply(work: Generation, encoder: ReplyEncoder): Promise<void> {
  const { exchange, asked, sign } = work;
  const batch = new Batch(work);
  const runs = await batch.begin();
  if (batch.failure === undefined) await Promise.all(runs.map((run) => gather(batch, run, encoder)));
  if (batch.failure === undefined) {
    sign();
    exchange.send(200, 'application/json', encoder.body(batch.usage));
  } else sendFailure(exchange, batch.failure, asked);
}

/** Feeds one prompt's events to the encoder. */
async function gather(batch: Batch, run: Run, encoder: ReplyEncoder): Promise<void> {
  const { prompt, meter, events } = run;
  try {
    for (let event = run.first; batch.accepts(run, event); ) {
      if (event.kind === 'finished') return;
      encoder.take(event, prompt);
      const next: IteratorResult<GenerateEvent> = await events.next();
      event = next.done === true ? failed(CUT) : next.value;
    }
  } catch (error) {
    batch.failBy(error);
  } finally {
    meter.end();
  }
}

/** A choice that was cut off is a failure here: no finish reason of this wire says so. */
function failureOf(event: GenerateEvent): Failure | undefined {
  if (event.kind === 'failed') return event.failure;
  return event.kind === 'choice' && event.reason === 'cancelled' ? CUT : undefined;
}

function failed(failure: Failure): GenerateEvent {
  return { kind: 'failed', failure };
}
