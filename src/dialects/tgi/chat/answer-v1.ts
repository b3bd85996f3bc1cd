// POST /v1/chat/completions of 1.4.2.

import { streamErrorFrame } from '../encode.js';
import {
  fail,
  openStream,
  type RunContext,
  runStream,
  runWhole,
  succeed,
  withSlots,
} from '../run/generate.js';
import { type Job, prepare } from '../run/prepare.js';
import { TokenFeed } from '../run/token-feed.js';
import type { ChatBodyV1 } from '../schema.js';
import type { Target } from '../service.js';
import { answerHeaders, countCharacters } from '../wire/headers.js';
import { chunkWriterV1, completionJsonV1 } from './encode-v1.js';
import type { ChatHead } from './encode-v3.js';
import { toMessages } from './messages.js';
import { chatParametersV1, chatReply } from './parameters.js';
import { renderPrompt } from './prompt.js';

interface Plan {
  readonly target: Target;
  readonly head: ChatHead;
  readonly job: Job;
}

/** Answers a chat, whole or streamed. */
export async function answerChatV1(context: RunContext, body: ChatBodyV1): Promise<void> {
  context.service.figures.countRequest();
  let plan: Plan;
  try {
    plan = await planChat(context, body);
  } catch (error) {
    throw fail(context, error);
  }
  return body.stream ? streamChat(context, body, plan) : wholeChat(context, body, plan);
}

async function planChat({ service }: RunContext, body: ChatBodyV1): Promise<Plan> {
  const target = await service.target(body.model);
  const prompt = await renderPrompt(target, toMessages(body.messages), []);
  return {
    target,
    head: {
      created: service.clock.epochSeconds(),
      model: target.model.id,
      fingerprint: `${service.version.version}-${service.options.dockerLabel ?? 'native'}`,
    },
    job: {
      inputs: prompt.text,
      parameters: chatParametersV1(body),
      // 1.4.2 adds BOS on top of the template's own.
      addSpecial: true,
      reply: chatReply(body),
      ...(prompt.input === undefined ? {} : { input: prompt.input }),
    },
  };
}

async function wholeChat(context: RunContext, body: ChatBodyV1, plan: Plan): Promise<void> {
  const { service, exchange } = context;
  try {
    const prepared = await withSlots(service, 1, async () => {
      const ready = await prepare(service, exchange, plan.target, plan.job);
      const answer = await runWhole(context, ready);
      succeed(service, answer);
      return answer;
    });
    const { generation, figures } = prepared;
    const computeTime = service.version.encoding.computeTime(figures.totalMs);
    const headers = answerHeaders(service.options.computeType, figures, computeTime);
    for (const [name, value] of Object.entries(headers)) exchange.setHeader(name, value);
    exchange.send(200, 'application/json', completionJsonV1(plan.head, generation, body.logprobs === true));
  } catch (error) {
    throw fail(context, error);
  }
}

async function streamChat(context: RunContext, body: ChatBodyV1, plan: Plan): Promise<void> {
  const { service, exchange } = context;
  const stream = openStream(context, countCharacters(plan.job.inputs));
  try {
    await withSlots(service, 1, async () => {
      const prepared = await prepare(service, exchange, plan.target, plan.job);
      const write = chunkWriterV1(plan.head, body.logprobs === true);
      await runStream(context, prepared, stream, new TokenFeed(prepared.signs, write));
    });
    stream.end();
  } catch (error) {
    stream.end(streamErrorFrame(service.version.encoding, fail(context, error)));
  }
}
