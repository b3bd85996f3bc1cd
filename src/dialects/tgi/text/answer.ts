// POST /, /generate and /generate_stream.

import { TEXT_ONLY } from '../decode.js';
import { generateJson, type ReplyShape, streamErrorFrame, streamWriter } from '../encode.js';
import { checkBestOf, checkStreaming } from '../request/parameters.js';
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
import type { GenerateBody, GenerateParameters } from '../schema.js';
import type { Target } from '../service.js';
import { answerHeaders, countCharacters } from '../wire/headers.js';

/** How a whole answer is wrapped: POST `/` gives an array. */
export type Wrap = 'object' | 'array';

/** Answers with everything at once. */
export async function answerWhole(context: RunContext, body: GenerateBody, wrap: Wrap): Promise<void> {
  const { service, exchange } = context;
  const { inputs, parameters } = body;
  service.figures.countRequest();
  try {
    const target = await service.target();
    const sequences = checkBestOf(parameters, target.limits);
    await withSlots(service, sequences, async () => {
      const prepared = await prepare(service, exchange, target, {
        inputs,
        parameters,
        addSpecial: true,
        reply: wantsDetails(parameters) ? { stream: false, tokens: true, logprobs: true } : TEXT_ONLY,
      });
      const answer = await runWhole(context, prepared);
      succeed(service, answer);
      const { generation, figures } = answer;
      const json = generateJson(generation, replyShape(body, target));
      const computeTime = service.version.encoding.computeTime(figures.totalMs);
      const headers = answerHeaders(service.options.computeType, figures, computeTime);
      for (const [name, value] of Object.entries(headers)) exchange.setHeader(name, value);
      exchange.send(200, 'application/json', wrap === 'array' ? `[${json}]` : json);
    });
  } catch (error) {
    throw fail(context, error);
  }
}

/** Answers token by token. The status is 200 whatever happens; a failure is an event. */
export async function answerStream(context: RunContext, body: GenerateBody): Promise<void> {
  const { service, exchange } = context;
  const { inputs, parameters } = body;
  const { encoding } = service.version;
  service.figures.countRequest();
  const stream = openStream(context, countCharacters(inputs));
  try {
    checkStreaming(parameters);
    const target = await service.target();
    await withSlots(service, 1, async () => {
      const job: Job = {
        inputs,
        parameters,
        addSpecial: true,
        reply: { stream: true, tokens: true, logprobs: true },
      };
      const prepared = await prepare(service, exchange, target, job);
      const shape = replyShape(body, target);
      const write = streamWriter(encoding, shape, () => feed.promptTokens);
      const feed = new TokenFeed(prepared.signs, write);
      await runStream(context, prepared, stream, feed);
    });
    stream.end();
  } catch (error) {
    stream.end(streamErrorFrame(encoding, fail(context, error)));
  }
}

/** `return_full_text` on POST `/`: true for text-generation models and unknown ones unless the client says. */
export function withFullText(body: GenerateBody, pipelineTag: string | null): GenerateBody {
  if (body.parameters.returnFullText !== null) return body;
  const returnFullText = pipelineTag === null || pipelineTag === 'text-generation';
  return { ...body, parameters: { ...body.parameters, returnFullText } };
}

function wantsDetails(parameters: GenerateParameters): boolean {
  return parameters.details || parameters.decoderInputDetails;
}

function replyShape({ inputs, parameters }: GenerateBody, target: Target): ReplyShape {
  return {
    details: wantsDetails(parameters),
    topTokens: (parameters.topNTokens ?? 0) > 0,
    before: parameters.returnFullText === true ? inputs : '',
    eog: target.eog,
  };
}
