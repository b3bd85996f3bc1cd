// POST /v1/completions of 3.3.6: up to four prompts, run side by side.

import type { SseStream } from '../../../http/index.js';
import { type ChatHead, DONE_V3, errorEvent } from '../chat/encode-v3.js';
import { completionParameters } from '../chat/parameters.js';
import { type ReplyNeeds, TEXT_ONLY } from '../decode.js';
import { TgiError } from '../errors.js';
import {
  fail,
  openStream,
  type RunContext,
  runStream,
  runWhole,
  succeed,
  withSlots,
} from '../run/generate.js';
import { type Job, type Prepared, prepare } from '../run/prepare.js';
import { TokenFeed } from '../run/token-feed.js';
import type { CompletionBody } from '../schema.js';
import type { Service, Target } from '../service.js';
import { type AnswerFigures, answerHeaders, countCharacters } from '../wire/headers.js';
import { choiceJson, chunkWriter, completionsJson } from './encode.js';

const STREAM_OF_TEXT: ReplyNeeds = { stream: true, tokens: true, logprobs: false };

/** Answers, whole or streamed. */
export async function answerCompletions(context: RunContext, body: CompletionBody): Promise<void> {
  const { service } = context;
  const { length } = body.prompt;
  service.figures.countRequest(length);
  try {
    refuseEarly(service, body);
  } catch (error) {
    throw fail(context, error, length);
  }
  return body.stream ? streamPrompts(context, body) : answerPrompts(context, body);
}

function refuseEarly(service: Service, body: CompletionBody): void {
  if (body.suffix !== null) {
    const why = 'Suffix is not supported and can be achieved by preprocessing the prompt.';
    throw new TgiError(422, 'suffix not supported', why, 'validation');
  }
  const most = service.options.maxClientBatchSize;
  if (body.prompt.length > most) {
    const why = `Number of prompts exceeds the maximum allowed batch size of ${most}`;
    throw new TgiError(422, 'batch size exceeded', why, 'validation');
  }
}

async function answerPrompts(context: RunContext, body: CompletionBody): Promise<void> {
  const { service, exchange } = context;
  const choices: string[] = [];
  try {
    await withSlots(service, body.prompt.length, async () => {
      const target = await targetOf(service, body);
      const all: AnswerFigures[] = [];
      await sideBySide(context, { body, target, reply: TEXT_ONLY }, async (one, prepared, index) => {
        const answer = await runWhole(one, prepared);
        succeed(service, answer);
        choices.push(choiceJson(index, answer.generation.sequences[0]));
        all.push(answer.figures);
      });
      const figures = all.reduce(addFigures);
      const headers = answerHeaders(service.options.computeType, figures, null);
      for (const [name, value] of Object.entries(headers)) exchange.setHeader(name, value);
      const usage = { prompt: figures.promptTokens, completion: figures.generatedTokens };
      exchange.send(200, 'application/json', completionsJson(headOf(service, target), choices, usage));
    });
  } catch (error) {
    throw fail(context, error, body.prompt.length - choices.length);
  }
}

async function streamPrompts(context: RunContext, body: CompletionBody): Promise<void> {
  const { service } = context;
  const characters = body.prompt.reduce((sum, prompt) => sum + countCharacters(prompt), 0);
  const stream = openStream(context, characters);
  let open = body.prompt.length;
  try {
    await withSlots(service, open, async () => {
      const target = await targetOf(service, body);
      const head = headOf(service, target);
      await sideBySide(context, { body, target, reply: STREAM_OF_TEXT }, async (one, prepared, index) => {
        await streamPrompt(one, prepared, stream, { head, index });
        open--;
      });
    });
    stream.end(DONE_V3);
  } catch (error) {
    stream.end(errorEvent(fail(context, error, open)) + DONE_V3);
  }
}

function streamPrompt(
  context: RunContext,
  prepared: Prepared,
  stream: SseStream,
  { head, index }: { readonly head: ChatHead; readonly index: number },
): Promise<void> {
  const feed: TokenFeed = new TokenFeed(
    prepared.signs,
    chunkWriter(head, index, () => feed.promptTokens),
  );
  return runStream(context, prepared, stream, feed);
}

type RunPrompt = (context: RunContext, prepared: Prepared, index: number) => Promise<void>;

/** The prompts of a body, for a model. */
interface Prompts {
  readonly body: CompletionBody;
  readonly target: Target;
  readonly reply: ReplyNeeds;
}

/** Runs every prompt; the first that fails ends the others. */
async function sideBySide(
  context: RunContext,
  { body, target, reply }: Prompts,
  run: RunPrompt,
): Promise<void> {
  const { service, exchange } = context;
  const parameters = completionParameters(body);
  const jobs = body.prompt.map((inputs, index): Job => {
    const suffix = body.prompt.length === 1 ? '' : `-${index}`;
    return { inputs, parameters, addSpecial: true, reply, suffix };
  });
  const prepared = await Promise.all(jobs.map((job) => prepare(service, exchange, target, job)));
  const stop = new AbortController();
  const one = { ...context, signal: AbortSignal.any([exchange.signal, stop.signal]) };
  const runs = prepared.map((each, index) => run(one, each, index));
  try {
    await Promise.all(runs);
  } catch (error) {
    stop.abort();
    await Promise.allSettled(runs);
    throw error;
  }
}

function targetOf(service: Service, { model }: CompletionBody): Promise<Target> {
  return service.target(model === 'tgi' ? null : model);
}

function headOf(service: Service, { model }: Target): ChatHead {
  return {
    created: service.clock.epochSeconds(),
    model: model.id,
    fingerprint: `${service.version.version}-${service.options.dockerLabel ?? 'native'}`,
  };
}

function addFigures(a: AnswerFigures, b: AnswerFigures): AnswerFigures {
  return {
    characters: a.characters + b.characters,
    totalMs: a.totalMs + b.totalMs,
    validationMs: a.validationMs + b.validationMs,
    timings: {
      queueMs: a.timings.queueMs + b.timings.queueMs,
      prefillMs: a.timings.prefillMs + b.timings.prefillMs,
      decodeMs: a.timings.decodeMs + b.timings.decodeMs,
    },
    promptTokens: a.promptTokens + b.promptTokens,
    generatedTokens: a.generatedTokens + b.generatedTokens,
  };
}
