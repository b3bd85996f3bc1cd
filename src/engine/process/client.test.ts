import { beforeEach, describe, expect, it } from 'vitest';
import {
  type GenerateEvent,
  type KoineError,
  NEUTRAL_OUTPUT,
  NEUTRAL_SAMPLING,
  NEUTRAL_STOP,
} from '../../protocol/index.js';
import { EngineClient } from './client.js';
import type { FromEngine, ProcessStatus, Submission, ToEngine, WireEvent } from './messages.js';

const { seed: _, ...SAMPLING } = NEUTRAL_SAMPLING;
const REQUEST: Omit<Submission, 'key'> = {
  id: 'r',
  prompt: { kind: 'tokens', tokens: [1] },
  sampling: SAMPLING,
  stop: NEUTRAL_STOP,
  output: NEUTRAL_OUTPUT,
  n: 1,
  bestOf: 1,
  priority: 0,
  usePrefixCache: true,
  markers: [],
};
const LOST = { code: 'engine_lost', message: 'gone' } as const;
const STARTED: WireEvent = { kind: 'started', promptTokens: 1, cachedTokens: 0 };
const FINISHED: WireEvent = {
  kind: 'finished',
  usage: { promptTokens: 1, cachedTokens: 0, completionTokens: 1 },
  timings: { queueMs: 0, prefillMs: 0, decodeMs: 0 },
};

let client: EngineClient;
let sent: ToEngine[];
let statuses: ProcessStatus[];

beforeEach(() => {
  sent = [];
  statuses = [];
  client = new EngineClient((status) => statuses.push(status));
  client.connect((message) => sent.push(message));
});

const keysOf = (kind: 'submit' | 'cancel'): number[] =>
  sent.flatMap((message) =>
    message.kind === kind ? [message.kind === 'submit' ? message.submission.key : message.key] : [],
  );

function step(
  events: readonly (readonly [number, WireEvent])[],
  texts: [number, number, string][] = [],
): void {
  client.receive({ kind: 'step', texts, events });
}

async function all(events: AsyncIterable<GenerateEvent>): Promise<GenerateEvent[]> {
  const seen: GenerateEvent[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

const neverAborted = (): AbortSignal => new AbortController().signal;

describe('requests', () => {
  it('go out and their events come back to them', async () => {
    const one = client.start(REQUEST, neverAborted());
    const two = client.start(REQUEST, neverAborted());
    expect(keysOf('submit')).toEqual([1, 2]);
    expect(client.inFlight).toBe(2);
    step([[2, STARTED]], []);
    step(
      [
        [2, { kind: 'choice', choice: 0, reason: 'eos', completionTokens: 1, seed: '18446744073709551615' }],
        [2, FINISHED],
      ],
      [[2, 0, 'hi']],
    );
    expect(await all(two)).toEqual([
      STARTED,
      { kind: 'delta', choice: 0, text: 'hi' },
      { kind: 'choice', choice: 0, reason: 'eos', completionTokens: 1, seed: 18446744073709551615n },
      FINISHED,
    ]);
    expect(client.inFlight).toBe(1);
    step([[1, { kind: 'failed', failure: LOST }]]);
    expect(await all(one)).toEqual([{ kind: 'failed', failure: LOST }]);
    expect(client.inFlight).toBe(0);
  });

  it('that are aborted end without a word and are cancelled in the engine', async () => {
    const abort = new AbortController();
    const events = client.start(REQUEST, abort.signal);
    step([[1, STARTED]]);
    abort.abort();
    expect(await all(events)).toEqual([STARTED]);
    expect(keysOf('cancel')).toEqual([1]);
    expect(client.inFlight).toBe(0);
    step([[1, FINISHED]]);
  });

  it('whose consumer stops are cancelled, once', async () => {
    const abort = new AbortController();
    const events = client.start(REQUEST, abort.signal);
    step([[1, STARTED]]);
    for await (const _ of events) break;
    abort.abort();
    expect(keysOf('cancel')).toEqual([1]);
  });

  it('that were aborted before they began are never sent', async () => {
    const abort = new AbortController();
    abort.abort();
    expect(await all(client.start(REQUEST, abort.signal))).toEqual([]);
    expect(sent).toEqual([]);
    expect(client.inFlight).toBe(0);
  });

  it('that have ended are not cancelled by a late abort', async () => {
    const abort = new AbortController();
    const events = client.start(REQUEST, abort.signal);
    step([[1, FINISHED]]);
    abort.abort();
    expect(keysOf('cancel')).toEqual([]);
    expect(await all(events)).toEqual([FINISHED]);
  });
});

describe('a lost process', () => {
  it('ends what had begun, and the next one gets what had not', async () => {
    const begun = client.start(REQUEST, neverAborted());
    const waiting = client.start(REQUEST, neverAborted());
    step([[1, STARTED]], []);
    client.disconnect(LOST);
    expect(await all(begun)).toEqual([STARTED, { kind: 'failed', failure: LOST }]);
    expect(client.inFlight).toBe(1);
    sent = [];
    client.connect((message) => sent.push(message));
    expect(keysOf('submit')).toEqual([2]);
    step([
      [2, STARTED],
      [2, FINISHED],
    ]);
    expect((await all(waiting)).map(({ kind }) => kind)).toEqual(['started', 'finished']);
  });

  it('twice ends what never began: it may be what brings the process down', async () => {
    const events = client.start(REQUEST, neverAborted());
    client.disconnect(LOST);
    client.connect((message) => sent.push(message));
    client.disconnect(LOST);
    expect(await all(events)).toEqual([{ kind: 'failed', failure: LOST }]);
  });

  it('between two processes requests wait, and can be aborted', async () => {
    client.disconnect(LOST);
    const abort = new AbortController();
    const dropped = client.start(REQUEST, abort.signal);
    client.start(REQUEST, neverAborted());
    abort.abort();
    expect(await all(dropped)).toEqual([]);
    client.connect((message) => sent.push(message));
    expect(keysOf('submit')).toEqual([2]);
  });

  it('that is the last ends everything', async () => {
    const events = client.start(REQUEST, neverAborted());
    const answer = client.query({ kind: 'tokenize', text: 'a', addSpecial: false, parseSpecial: false });
    client.close({ code: 'unavailable', message: 'closing' });
    await expect(answer).rejects.toMatchObject({ code: 'unavailable', message: 'closing' });
    expect(await all(events)).toMatchObject([{ kind: 'failed', failure: { code: 'unavailable' } }]);
  });
});

describe('queries', () => {
  const query = { kind: 'detokenize', tokens: [1], showSpecial: false } as const;

  it('are answered or refused', async () => {
    const answered = client.query<'detokenize'>(query);
    const refused = client.query<'detokenize'>(query);
    const answer: FromEngine = { kind: 'answer', key: 1, result: { kind: 'detokenize', text: 'hi' } };
    client.receive(answer);
    client.receive(answer);
    client.receive({
      kind: 'refused',
      key: 2,
      failure: { code: 'invalid_request', message: 'no', details: { field: 'tokens' } },
    });
    expect(await answered).toEqual({ kind: 'detokenize', text: 'hi' });
    const error = await refused.catch((thrown: KoineError) => thrown);
    expect(error).toMatchObject({ code: 'invalid_request', message: 'no', details: { field: 'tokens' } });
  });

  it('can be cancelled, before and after they are sent', async () => {
    const abort = new AbortController();
    const cancelled = client.query(query, abort.signal);
    abort.abort();
    await expect(cancelled).rejects.toMatchObject({ code: 'cancelled' });
    expect(sent.map(({ kind }) => kind)).toEqual(['query', 'cancel-query']);
    await expect(client.query(query, abort.signal)).rejects.toMatchObject({ code: 'cancelled' });
    expect(sent).toHaveLength(2);
  });

  it('fail with the process, and are refused while there is none', async () => {
    const lost = client.query(query);
    client.disconnect(LOST);
    await expect(lost).rejects.toMatchObject({ code: 'engine_lost' });
    await expect(client.query(query)).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('status', () => {
  it('is passed on, whichever message brings it', () => {
    const status = { running: 1 } as ProcessStatus;
    client.receive({ kind: 'status', status });
    client.receive({ kind: 'step', texts: [], events: [], status });
    expect(statuses).toEqual([status, status]);
  });
});
