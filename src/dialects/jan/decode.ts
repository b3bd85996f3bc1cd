// Checked wire bodies to GenerateRequests, and the shape the reply must have.

import { randomUUID } from 'node:crypto';
import {
  type Engine,
  type GenerateInput,
  type GenerateRequest,
  type ModelDescription,
  NEUTRAL_OUTPUT,
  type SamplingParams,
} from '../../protocol/index.js';
import { fault, InvalidBody, refused } from './check/fault.js';
import { decodeConstraint, decodeGrammar, type OutputRule } from './decode/constraint.js';
import { decodeLogitBias } from './decode/logit-bias.js';
import { decodeMessages } from './decode/messages.js';
import { decodeSampling, decodeStop } from './decode/sampling.js';
import { decodeTools } from './decode/tools.js';
import type { ChatBody, CommonBody, CompletionBody } from './schema.js';

/** What the encoder must know about a request beside its events. */
export interface ReplyShape {
  /** `chatcmpl-...` or `cmpl-...`. */
  readonly id: string;
  /** Seconds since the epoch. */
  readonly created: number;
  readonly model: string;
  /** Choices per prompt. */
  readonly n: number;
  readonly includeUsage: boolean;
  readonly hasLogprobs: boolean;
  /** Completions: the prompts as sent; what `echo` shows and offsets count from. */
  readonly prompts: readonly string[];
  /** Completions: the prompt is part of the text. */
  readonly echo: boolean;
  /** Chat: a call by this name is certain. */
  readonly isForcedCall: boolean;
  /** Chat: the client knows calls as `function_call`. */
  readonly isLegacyCall: boolean;
  /** What call ids end in. */
  readonly callId: string;
}

/** A request ready to run: one per prompt. */
export interface Decoded {
  readonly requests: readonly GenerateRequest[];
  readonly shape: ReplyShape;
  /** The field that set a rule for the output, for messages about it. */
  readonly ruleField?: OutputRule['field'];
}

/** What decoding needs from outside the body. */
export interface DecodeContext {
  /** The exchange's id; requests of several prompts add their number. */
  readonly requestId: string;
  readonly created: number;
  readonly engine: Engine;
  readonly description: ModelDescription;
  /** The model's name in the reply. */
  readonly shownModel: string;
}

/** Chat body to request. Throws `InvalidBody` or `KoineError` for what no check of a field can say. */
export async function decodeChat(body: ChatBody, context: DecodeContext): Promise<Decoded> {
  const { tools, choice, isLegacy } = decodeTools(body);
  const parallel = !isLegacy && (body.parallel_tool_calls ?? true);
  const grammar = decodeGrammar(body);
  const rule = decodeConstraint({ tools, choice, parallel, format: body.response_format, grammar });
  const n = body.n ?? 1;
  const logprobs = body.logprobs === true ? (body.top_logprobs ?? 0) : undefined;
  const request: GenerateRequest = {
    ...(await commonRequest(body, context)),
    input: {
      kind: 'chat',
      messages: decodeMessages(body.messages),
      tools,
      toolChoice: choice,
      parallelToolCalls: parallel,
      continueFinal: false,
      variables: body.chat_template_kwargs ?? {},
      parseReply: true,
    },
    stop: decodeStop(body, body.max_completion_tokens ?? body.max_tokens),
    output: output(body, logprobs, context),
    ...(rule !== undefined && { constraint: rule.constraint }),
    n,
    bestOf: n,
  };
  const shape = {
    ...commonShape(body, context, 'chatcmpl'),
    hasLogprobs: logprobs !== undefined,
    isForcedCall: choice.kind === 'named' || choice.kind === 'required',
    isLegacyCall: isLegacy || body.function_call !== null,
  };
  return { requests: [request], shape, ...(rule !== undefined && { ruleField: rule.field }) };
}

/** Completion body to requests, one per prompt. Throws `InvalidBody` for what no check of a field can say. */
export async function decodeCompletion(body: CompletionBody, context: DecodeContext): Promise<Decoded> {
  const { echo } = body;
  const logprobs = body.logprobs ?? undefined;
  const prompts = promptsOf(body);
  const inputs = await Promise.all(prompts.map((prompt) => inputOf(prompt, body, context)));
  const rule = decodeGrammar(body);
  const plain = output(body, logprobs, context);
  const n = body.n ?? 1;
  const shared = {
    ...(await commonRequest(body, context)),
    stop: decodeStop(body, body.max_tokens),
    output: echo && plain.logprobs !== undefined ? { ...plain, promptLogprobs: plain.logprobs } : plain,
    ...(rule !== undefined && { constraint: rule.constraint }),
    n,
    bestOf: bestOf(body, n),
  };
  const requests = inputs.map((input, index) => ({
    ...shared,
    id: inputs.length === 1 ? shared.id : `${shared.id}-${index}`,
    input,
  }));
  const shape = {
    ...commonShape(body, context, 'cmpl'),
    hasLogprobs: logprobs !== undefined,
    prompts,
    echo,
  };
  return { requests, shape, ...(rule !== undefined && { ruleField: rule.field }) };
}

/** An empty list is an empty prompt. */
function promptsOf({ prompt }: CompletionBody): readonly string[] {
  if (typeof prompt === 'string') return [prompt];
  return prompt.length === 0 ? [''] : prompt;
}

async function inputOf(
  prompt: string,
  { suffix }: CompletionBody,
  { engine, description }: DecodeContext,
): Promise<GenerateInput> {
  if (suffix !== null && suffix !== '') {
    if (description.canInfill) return { kind: 'infill', prefix: prompt, suffix };
    throw refused(
      ['suffix'],
      `The model '${description.id}' has no fill-in-the-middle tokens; leave the suffix out or ask a model that has`,
    );
  }
  const text = { kind: 'text', text: prompt, addSpecial: true, parseSpecial: true } as const;
  if (prompt !== '') return text;
  // A model that adds nothing to a prompt needs at least one token to begin from.
  const { id: model, bosText, eosText } = description;
  const added = await engine.tokenize({ model, text: '', addSpecial: true, parseSpecial: true });
  return added.length > 0 ? text : { ...text, text: bosText === '' ? eosText : bosText };
}

/** 1 is the contract's default and asks for nothing. */
function bestOf({ best_of: given }: CompletionBody, n: number): number {
  if (given === null || given === 1) return n;
  if (given >= n) return given;
  const msg = `Input should be greater than or equal to ${n}, the number of choices`;
  throw new InvalidBody([fault('greater_than_equal', ['body', 'best_of'], msg, given, { ge: n })]);
}

function output({ stream }: CommonBody, logprobs: number | undefined, { description }: DecodeContext) {
  return {
    ...NEUTRAL_OUTPUT,
    stream,
    // There are no more alternatives than tokens.
    ...(logprobs !== undefined && { logprobs: Math.min(logprobs, description.vocabSize) }),
  };
}

async function commonRequest(
  body: CommonBody,
  { requestId, engine, description }: DecodeContext,
): Promise<{
  readonly id: string;
  readonly model: string;
  readonly sampling: SamplingParams;
  readonly priority: number;
  readonly usePrefixCache: boolean;
}> {
  const logitBias = await decodeLogitBias(body, engine, description);
  return {
    id: requestId,
    model: description.id,
    sampling: decodeSampling(body, logitBias),
    priority: 0,
    usePrefixCache: true,
  };
}

function commonShape(body: CommonBody, { created, shownModel }: DecodeContext, kind: 'chatcmpl' | 'cmpl') {
  const uuid = randomUUID();
  return {
    id: `${kind}-${uuid}`,
    created,
    model: shownModel,
    n: body.n ?? 1,
    includeUsage: body.stream_options?.include_usage ?? false,
    prompts: [],
    echo: false,
    isForcedCall: false,
    isLegacyCall: false,
    callId: `cmpl-${uuid}`,
  };
}
