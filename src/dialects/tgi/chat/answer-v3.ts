// POST /v1/chat/completions of 3.3.6.

import type { SseStream } from '../../../http/index.js';
import {
  type Answer,
  fail,
  openStream,
  type RunContext,
  runStream,
  runWhole,
  succeed,
  withSlots,
} from '../run/generate.js';
import { type Job, prepare } from '../run/prepare.js';
import { TokenFeed, type WriteToken } from '../run/token-feed.js';
import type { ChatBody } from '../schema.js';
import { type AnswerFigures, answerHeaders, countCharacters } from '../wire/headers.js';
import {
  ChatChunks,
  callMessage,
  chatFinish,
  completionJson,
  DONE_V3,
  errorEvent,
  sequenceLogprobs,
  textMessage,
  tokenLogprobs,
} from './encode-v3.js';
import { type ChatPlan, planChat } from './plan.js';
import { ToolStream } from './tool-stream.js';
import { NO_TOOL, readCall } from './tools.js';

/** Answers a chat, whole or streamed. */
export async function answerChatV3(context: RunContext, body: ChatBody): Promise<void> {
  const { service, exchange } = context;
  service.figures.countRequest();
  let plan: ChatPlan;
  try {
    plan = await planChat(service, exchange, body);
  } catch (error) {
    throw fail(context, error);
  }
  return body.stream ? streamChat(context, body, plan) : wholeChat(context, body, plan);
}

async function wholeChat(context: RunContext, body: ChatBody, plan: ChatPlan): Promise<void> {
  const { service, exchange } = context;
  try {
    const answer = await withSlots(service, 1, () => chatAnswer(context, body, plan));
    const { json, figures } = answer;
    const computeTime = service.version.encoding.computeTime(figures.totalMs);
    const headers = answerHeaders(service.options.computeType, figures, computeTime);
    for (const [name, value] of Object.entries(headers)) exchange.setHeader(name, value);
    exchange.send(200, 'application/json', json);
  } catch (error) {
    throw fail(context, error);
  }
}

/** A whole chat answer. */
export interface ChatAnswer {
  readonly json: string;
  readonly figures: AnswerFigures;
  /** What the model wrote. */
  readonly text: string;
}

/** A whole chat answer, also used by `/vertex`. Throws `TgiError` or `KoineError`. */
export async function chatAnswer(context: RunContext, body: ChatBody, plan: ChatPlan): Promise<ChatAnswer> {
  const first = await run(context, plan, plan.job);
  const call = plan.mustCall ? readCall(textOf(first)) : null;
  if (call !== null && call.name !== NO_TOOL) {
    succeed(context.service, first);
    const message = callMessage(plan.callId, call.name, call.arguments);
    return { ...shown(body, plan, first, { message, finish: 'stop' }), text: textOf(first) };
  }
  const answer = call === null ? first : await run(context, plan, await plan.withoutTools());
  const [best] = answer.generation.sequences;
  const message = textMessage(best.text);
  const finish = chatFinish(best.result.reason);
  succeed(context.service, answer);
  return { ...shown(body, plan, answer, { message, finish }), text: best.text };
}

function shown(
  body: ChatBody,
  plan: ChatPlan,
  { generation, figures }: Answer,
  { message, finish }: { readonly message: string; readonly finish: string },
): { readonly json: string; readonly figures: AnswerFigures } {
  const logprobs = body.logprobs === true ? sequenceLogprobs(generation.sequences[0]) : 'null';
  const usage = { prompt: figures.promptTokens, completion: figures.generatedTokens };
  return { json: completionJson(plan.head, message, { logprobs, finish }, usage), figures };
}

async function run(context: RunContext, plan: ChatPlan, job: Job): Promise<Answer> {
  return runWhole(context, await prepare(context.service, context.exchange, plan.target, job));
}

function textOf({ generation }: Answer): string {
  return generation.sequences[0].text;
}

/** What the parts of one stream share. */
interface ChatStream {
  readonly context: RunContext;
  readonly body: ChatBody;
  readonly plan: ChatPlan;
  readonly stream: SseStream;
  readonly chunks: ChatChunks;
}

/** Thrown while a call is read: the model chose to answer in words. */
class ChoseWords extends Error {}

async function streamChat(context: RunContext, body: ChatBody, plan: ChatPlan): Promise<void> {
  const stream = openStream(context, countCharacters(plan.job.inputs));
  const parts: ChatStream = { context, body, plan, stream, chunks: new ChatChunks(plan.head, plan.callId) };
  try {
    await withSlots(context.service, 1, () =>
      plan.mustCall ? streamCall(parts) : streamText(parts, plan.job),
    );
    stream.end(DONE_V3);
  } catch (error) {
    stream.end(errorEvent(fail(context, error)) + DONE_V3);
  }
}

function streamText(parts: ChatStream, job: Job): Promise<void> {
  const { body, chunks } = parts;
  const hasLogprobs = body.logprobs === true;
  return streamJob(parts, job, (token, _index, ending) =>
    chunks.text(
      token.special ? '' : token.text,
      hasLogprobs ? tokenLogprobs(token) : 'null',
      ending === null ? null : chatFinish(ending.result.reason),
    ),
  );
}

/** Streams a call; when the model picks no tool, its words instead. */
async function streamCall(parts: ChatStream): Promise<void> {
  const { plan } = parts;
  try {
    await streamJob(parts, plan.job, callWriter(parts));
  } catch (error) {
    if (!(error instanceof ChoseWords)) throw error;
    await streamText(parts, await plan.withoutTools());
  }
}

// A finished call has no chunk with a finish reason: its closing tokens show nothing.
function callWriter({ body, chunks }: ChatStream): WriteToken {
  const call = new ToolStream();
  return (token, _index, ending) => {
    const piece = call.push(token.special ? '' : token.text);
    if (call.name === NO_TOOL) throw new ChoseWords();
    const logprobs = body.logprobs === true ? tokenLogprobs(token) : 'null';
    const finish = ending?.result.reason === 'length' ? 'length' : null;
    switch (piece.kind) {
      case 'begin':
        return chunks.call(piece.name, piece.arguments, logprobs, finish);
      case 'more':
        return chunks.call(null, piece.arguments, logprobs, finish);
      case 'nothing':
        return finish === null || call.name === undefined ? '' : chunks.call(null, '', logprobs, finish);
    }
  };
}

async function streamJob(parts: ChatStream, job: Job, write: WriteToken): Promise<void> {
  const { context, body, plan, stream, chunks } = parts;
  const prepared = await prepare(context.service, context.exchange, plan.target, job);
  const feed = new TokenFeed(prepared.signs, write);
  await runStream(context, prepared, stream, feed);
  if (!body.streamOptions.includeUsage) return;
  stream.send(chunks.usage({ prompt: feed.promptTokens, completion: feed.generatedTokens }));
}
