// POST /vertex: several prompts, each answered with its text alone. Every failure looks the same.

import { chatAnswer } from '../chat/answer-v3.js';
import { planChat } from '../chat/plan.js';
import { TEXT_ONLY } from '../decode.js';
import { TgiError } from '../errors.js';
import { fail, type RunContext, runWhole, succeed, withSlots } from '../run/generate.js';
import { prepare } from '../run/prepare.js';
import { NO_PARAMETERS, type VertexBody, type VertexInstance } from '../schema.js';

/** Answers with one prediction per instance, in their order. */
export async function answerVertex(context: RunContext, { instances }: VertexBody): Promise<void> {
  const { service, exchange } = context;
  service.figures.countRequest(Math.max(1, instances.length));
  if (instances.length === 0) {
    throw fail(context, new TgiError(422, 'Input validation error', 'Input validation error', 'validation'));
  }
  const stop = new AbortController();
  const one = { ...context, signal: AbortSignal.any([exchange.signal, stop.signal]) };
  let open = instances.length;
  const runs = instances.map(async (instance, index) => {
    const prediction = await predict(one, instance, index);
    open--;
    return prediction;
  });
  try {
    const predictions = await Promise.all(runs);
    exchange.sendJson(200, { predictions });
  } catch (error) {
    stop.abort();
    await Promise.allSettled(runs);
    fail(context, error, open);
    throw new TgiError(500, 'Incomplete generation', 'Incomplete generation', 'incomplete');
  }
}

async function predict(context: RunContext, instance: VertexInstance, index: number): Promise<string> {
  const { service, exchange } = context;
  if (instance.kind === 'chat') {
    const body = { ...instance.body, stream: false };
    const plan = await planChat(service, exchange, body);
    return withSlots(service, 1, async () => (await chatAnswer(context, body, plan)).text);
  }
  const { inputs, parameters } = instance.body;
  const target = await service.target();
  return withSlots(service, 1, async () => {
    const prepared = await prepare(service, exchange, target, {
      inputs,
      parameters: {
        ...NO_PARAMETERS,
        doSample: true,
        maxNewTokens: parameters === null ? service.version.defaultNewTokens : parameters.maxNewTokens,
        seed: parameters?.seed ?? null,
      },
      addSpecial: true,
      reply: TEXT_ONLY,
      suffix: `-${index}`,
    });
    const answer = await runWhole(context, prepared);
    succeed(service, answer);
    return answer.generation.sequences[0].text;
  });
}
