// Runs the requests of one exchange and answers with a body or a stream. A failure before the first event gets a
// real status; a later one is an event of the stream, which then ends without `[DONE]`.

import { setMaxListeners } from 'node:events';
import type { Exchange, SseStream } from '../../http/index.js';
import type { Engine, Failure, GenerateEvent, Usage } from '../../protocol/index.js';
import { type Metrics, RequestMeter } from '../../telemetry/index.js';
import type { Decoded } from './decode.js';
import { addUsage, NO_USAGE, type ReplyEncoder, type StreamEncoder } from './encode.js';
import { failureFrame, logged, sendFailure } from './errors.js';
import { isWithin } from './within.js';

/** One exchange's work. */
export interface Generation {
  readonly engine: Engine;
  readonly decoded: Decoded;
  readonly metrics: Metrics;
  /** Path in the metrics. */
  readonly route: string;
  /** The field that holds the prompt, for messages. */
  readonly input: 'messages' | 'prompt';
}

/** One prompt under way: its first event has arrived. */
interface Running {
  readonly prompt: number;
  readonly first: GenerateEvent | undefined;
  readonly rest: AsyncIterator<GenerateEvent>;
  readonly meter: RequestMeter;
}

const CANCELLED: Failure = {
  code: 'cancelled',
  message: 'The server ended the request before it was complete.',
};

/** Gets ready what a stream is made from; waits for the model where it has to be loaded. */
export type Prepare = () => Promise<{ readonly work: Generation; readonly encoder: StreamEncoder }>;

/** Streams the reply. What `prepare` throws reaches the front door while there is a status. */
export async function streamReply(
  exchange: Exchange,
  input: Generation['input'],
  prepare: Prepare,
): Promise<void> {
  const abort = new AbortController();
  const beginning = prepare().then(async ({ work, encoder }) => {
    return { work, encoder, runs: await begin(exchange, work, abort) };
  });
  // Who has to wait long for a model or a place is kept company by comments, at the price of a status.
  const stream = (await isWithin(beginning, exchange.keepAliveMs)) ? undefined : exchange.openSse();
  const begun = await beginning.catch((error: unknown) => {
    if (stream === undefined) throw error;
    stream.end(failureFrame(logged(exchange, error), input));
  });
  if (begun === undefined) return;
  const { work, encoder, runs } = begun;
  const early = worded(firstFailure(runs), work);
  if (early === undefined)
    await relay(stream ?? exchange.openSse(), { exchange, work, encoder, abort, runs });
  else refuseAll({ exchange, work, abort, runs }, early);
}

/** A stream whose first events are there. */
interface Relay {
  readonly exchange: Exchange;
  readonly work: Generation;
  readonly encoder: StreamEncoder;
  readonly abort: AbortController;
  readonly runs: readonly Running[];
}

async function relay(stream: SseStream, { exchange, work, encoder, abort, runs }: Relay): Promise<void> {
  let usage: Usage = NO_USAGE;
  let failure: Failure | undefined;
  let finished = 0;
  const take = ({ prompt, meter }: Running, event: GenerateEvent): string => {
    meter.observe(event);
    if (failure !== undefined) return '';
    if (event.kind === 'finished') {
      usage = addUsage(usage, event.usage);
      finished += 1;
    } else {
      failure = worded(failureOf(event), work);
      if (failure !== undefined) {
        abort.abort();
        return '';
      }
    }
    return encoder.frames(event, prompt);
  };
  try {
    await Promise.all(
      runs.map(async (run) => {
        if (run.first !== undefined) stream.send(take(run, run.first));
        await stream.pump(run.rest, (event) => take(run, event));
      }),
    );
  } catch (error) {
    failure ??= logged(exchange, error);
    abort.abort();
  } finally {
    for (const { meter } of runs) meter.end();
  }
  if (failure === undefined && finished < runs.length) failure = CANCELLED;
  stream.end(failure === undefined ? encoder.end(usage) : failureFrame(failure, work.input));
}

/** Answers with one body. */
export async function wholeReply(exchange: Exchange, work: Generation, encoder: ReplyEncoder): Promise<void> {
  const abort = new AbortController();
  const runs = await begin(exchange, work, abort);
  const early = worded(firstFailure(runs), work);
  if (early !== undefined) {
    refuseAll({ exchange, work, abort, runs }, early);
    return;
  }
  let usage: Usage = NO_USAGE;
  let failure: Failure | undefined;
  const gathered = runs.map(async (run) => {
    const end = await gather(exchange, run, encoder);
    if ('code' in end) {
      // What the others are still computing has no reader any more; their own ends come second.
      failure ??= worded(end, work);
      abort.abort();
    } else usage = addUsage(usage, end);
  });
  await Promise.all(gathered);
  if (failure === undefined) exchange.send(200, 'application/json', encoder.body(usage));
  else sendFailure(exchange, failure, work.input);
}

/** Starts every prompt and waits for its first event, which tells whether it was admitted. */
function begin(
  exchange: Exchange,
  { engine, decoded, metrics, route }: Generation,
  abort: AbortController,
): Promise<readonly Running[]> {
  const { signal } = abort;
  // Every prompt listens, and a list of prompts may be long.
  setMaxListeners(0, signal);
  if (exchange.signal.aborted) abort.abort();
  exchange.signal.addEventListener('abort', () => abort.abort(), { once: true });
  return Promise.all(
    decoded.requests.map(async (request, prompt): Promise<Running> => {
      const meter = new RequestMeter(metrics, { dialect: 'openai', route }, exchange.startedAtMs);
      const rest = engine.generate(request, signal)[Symbol.asyncIterator]();
      try {
        const next = await rest.next();
        const first = next.done === true ? undefined : next.value;
        return { prompt, first, rest, meter };
      } catch (error) {
        return { prompt, first: { kind: 'failed', failure: logged(exchange, error) }, rest, meter };
      }
    }),
  );
}

/** The protocol's word for a rule says less than the field that set it. */
function worded(failure: Failure | undefined, { decoded }: Generation): Failure | undefined {
  const { ruleField } = decoded;
  if (failure?.code !== 'constraint' || ruleField === undefined) return failure;
  const isOfTools = failure.details?.field === 'tools' && ruleField !== 'functions';
  return { ...failure, details: { ...failure.details, field: isOfTools ? 'tools' : ruleField } };
}

/** A choice that was cut off is a failure here: no finish reason of this wire says so. */
function failureOf(event: GenerateEvent): Failure | undefined {
  if (event.kind === 'failed') return event.failure;
  return event.kind === 'choice' && event.reason === 'cancelled' ? CANCELLED : undefined;
}

function firstFailure(runs: readonly Running[]): Failure | undefined {
  for (const { first } of runs) {
    if (first === undefined) return CANCELLED;
    if (first.kind === 'failed') return first.failure;
  }
  return undefined;
}

function refuseAll({ exchange, work, abort, runs }: Omit<Relay, 'encoder'>, failure: Failure): void {
  abort.abort();
  for (const { meter, first } of runs) {
    if (first?.kind === 'failed') meter.observe(first);
    meter.end();
  }
  if (exchange.stream === undefined) sendFailure(exchange, failure, work.input);
  else exchange.stream.end(failureFrame(failure, work.input));
}

/** Feeds one prompt's events to the encoder; resolves with its usage or with what went wrong. */
async function gather(exchange: Exchange, run: Running, encoder: ReplyEncoder): Promise<Usage | Failure> {
  const { prompt, meter, rest } = run;
  try {
    for (let event = run.first; event !== undefined; ) {
      meter.observe(event);
      const failure = failureOf(event);
      if (failure !== undefined) return failure;
      if (event.kind === 'finished') return event.usage;
      encoder.take(event, prompt);
      const next: IteratorResult<GenerateEvent> = await rest.next();
      event = next.done === true ? undefined : next.value;
    }
    return CANCELLED;
  } catch (error) {
    return logged(exchange, error);
  } finally {
    meter.end();
  }
}
