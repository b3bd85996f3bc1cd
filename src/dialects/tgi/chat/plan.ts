// What a chat request of 3.3.6 comes to: parameters, prompt, tools. Everything that is answered with a real status
// before a stream begins is decided here.

import type { Exchange } from '../../../http/index.js';
import type { ChatMessage } from '../../../protocol/index.js';
import type { Job } from '../run/prepare.js';
import type { ChatBody } from '../schema.js';
import type { Service, Target } from '../service.js';
import type { ChatHead } from './encode-v3.js';
import { appendToLast, nextCallId, toMessages } from './messages.js';
import { chatParametersV3, chatReply } from './parameters.js';
import { renderPrompt, showsTools } from './prompt.js';
import { planTools, type ToolPlan, toDefinitions, toolConstraint, toolText } from './tools.js';

/** A chat ready to be checked and run. */
export interface ChatPlan {
  readonly target: Target;
  readonly head: ChatHead;
  readonly job: Job;
  /** Whether the reply has to be a call. */
  readonly mustCall: boolean;
  readonly callId: string;
  /** The same chat without tools, for a model that chose none. */
  readonly withoutTools: () => Promise<Job>;
}

/** Plans a chat. Throws `TgiError`. */
export async function planChat(service: Service, exchange: Exchange, body: ChatBody): Promise<ChatPlan> {
  const target = await service.target(body.model === 'tgi' ? null : body.model);
  const messages = toMessages(body.messages);
  const tools = planTools(body);
  const plain = (): Promise<Job> => plainJob(target, body, messages);
  return {
    target,
    head: {
      created: service.clock.epochSeconds(),
      model: body.model === null || body.model === 'tgi' ? target.model.id : body.model,
      fingerprint: `${service.version.version}-${service.options.dockerLabel ?? 'native'}`,
    },
    job: tools === null ? await plain() : await toolJob(target, body, messages, tools),
    mustCall: tools !== null,
    callId: nextCallId(body.messages, () => exchange.id),
    withoutTools: async () => ({ ...(await plain()), suffix: '-2' }),
  };
}

async function plainJob(target: Target, body: ChatBody, messages: readonly ChatMessage[]): Promise<Job> {
  const prompt = await renderPrompt(target, messages, []);
  return {
    inputs: prompt.text,
    parameters: chatParametersV3(body),
    addSpecial: false,
    reply: chatReply(body),
    ...(prompt.input === undefined ? {} : { input: prompt.input }),
  };
}

async function toolJob(
  target: Target,
  body: ChatBody,
  messages: readonly ChatMessage[],
  tools: ToolPlan,
): Promise<Job> {
  const isShown = showsTools(target);
  const told = appendToLast(messages, toolText(tools, isShown));
  const prompt = await renderPrompt(target, told, isShown ? toDefinitions(tools) : []);
  return {
    inputs: prompt.text,
    parameters: chatParametersV3(body),
    addSpecial: false,
    reply: chatReply(body),
    constraint: toolConstraint(tools),
    ...(prompt.input === undefined ? {} : { input: prompt.input }),
  };
}
