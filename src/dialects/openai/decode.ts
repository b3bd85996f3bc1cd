// Checked wire bodies to GenerateRequests, and the shape the reply must have.

import {
  type GenerateInput,
  type GenerateRequest,
  KoineError,
  type ModelDescription,
} from '../../protocol/index.js';
import { decodeConstraint } from './decode/constraint.js';
import { decodeMessages } from './decode/messages.js';
import { decodeOutput, decodeSampling, decodeStop } from './decode/sampling.js';
import { decodeTools } from './decode/tools.js';
import type { ChatBody, CommonBody, CompletionBody } from './schema.js';

/** What the encoder must know about a request beside its events. */
export interface ReplyShape {
  /** `chatcmpl-...` or `cmpl-...`. */
  readonly id: string;
  /** Seconds since the epoch. */
  readonly created: number;
  readonly model: string;
  readonly fingerprint: string;
  /** Choices per prompt. */
  readonly n: number;
  readonly includeUsage: boolean;
  readonly hasLogprobs: boolean;
  readonly returnTokenIds: boolean;
  /** Special tokens are part of the text. */
  readonly showsSpecial: boolean;
  /** Completions: the prompt is part of the text. */
  readonly echo: boolean;
  /** Chat: calls are worded as `function_call`. */
  readonly isLegacyCall: boolean;
}

/** A request ready to run: one per prompt. */
export interface Decoded {
  readonly requests: readonly GenerateRequest[];
  readonly shape: ReplyShape;
  /** The field that set a rule for the output, for messages about it. */
  readonly ruleField?: string;
}

/** What decoding needs from outside the body. */
export interface DecodeContext {
  /** The exchange's id; requests of several prompts add their number. */
  readonly requestId: string;
  readonly created: number;
  readonly description: ModelDescription;
  readonly fingerprint: string;
  /** Fresh text for the reply's id. */
  readonly replyId: string;
}

/** Completions end after this many tokens unless told otherwise, as OpenAI's do. */
const COMPLETION_TOKENS = 16;

/** Chat body to request. Throws `KoineError` for what no schema can say. */
export function decodeChat(body: ChatBody, context: DecodeContext): Decoded {
  if (body.top_logprobs !== undefined && body.top_logprobs > 0 && body.logprobs !== true) {
    throw new KoineError('invalid_request', "'top_logprobs' needs 'logprobs' to be true.", {
      field: 'top_logprobs',
    });
  }
  const { tools, choice, isLegacy } = decodeTools(body);
  const parallelToolCalls = !isLegacy && (body.parallel_tool_calls ?? true);
  const messages = decodeMessages(body.messages);
  const input: GenerateInput = {
    kind: 'chat',
    messages,
    tools,
    toolChoice: choice,
    parallelToolCalls,
    continueFinal: continuesFinal(body),
    variables: templateVariables(body),
    parseReply: true,
  };
  const n = body.n ?? 1;
  const logprobs = body.logprobs === true ? (body.top_logprobs ?? 0) : undefined;
  const rule = decodeConstraint(body, tools, choice, parallelToolCalls);
  const request: GenerateRequest = {
    ...commonRequest(body, context),
    input,
    stop: decodeStop(body),
    output: decodeOutput(body, logprobs),
    ...(rule !== undefined && { constraint: rule.constraint }),
    n,
    bestOf: n,
  };
  const shape = { ...commonShape(body, context), echo: false, isLegacyCall: isLegacy };
  return {
    requests: [request],
    shape: { ...shape, id: `chatcmpl-${context.replyId}`, hasLogprobs: logprobs !== undefined },
    // Today's name of the field and the older one.
    ...(rule !== undefined && { ruleField: isLegacy && rule.field === 'tools' ? 'functions' : rule.field }),
  };
}

/** Completion body to requests, one per prompt. Throws `KoineError` for what no schema can say. */
export function decodeCompletion(body: CompletionBody, context: DecodeContext): Decoded {
  const n = body.n ?? 1;
  const bestOf = body.best_of ?? n;
  if (bestOf < n)
    throw new KoineError('invalid_request', "'best_of' must not be less than 'n'.", { field: 'best_of' });
  if (bestOf > n && body.stream === true) {
    const message = "'best_of' greater than 'n' cannot be streamed: the best is known at the end.";
    throw new KoineError('unsupported', message, { field: 'best_of' });
  }
  const echo = body.echo ?? false;
  const rule = decodeConstraint(body);
  const { logprobs } = body;
  const output = decodeOutput(body, logprobs);
  const shared: Omit<GenerateRequest, 'input'> = {
    ...commonRequest(body, context),
    stop: decodeStop(body, COMPLETION_TOKENS),
    output: {
      ...output,
      // Offsets of log-probabilities count from the start of the prompt.
      prompt: output.prompt || echo || logprobs !== undefined,
      ...(echo && logprobs !== undefined && { promptLogprobs: logprobs }),
    },
    ...(rule !== undefined && { constraint: rule.constraint }),
    n,
    bestOf,
  };
  const inputs = completionInputs(body, context.description);
  const requests = inputs.map((input, index) => ({
    ...shared,
    id: inputs.length === 1 ? shared.id : `${shared.id}-${index}`,
    input,
  }));
  const shape = { ...commonShape(body, context), echo, isLegacyCall: false };
  return {
    requests,
    shape: { ...shape, id: `cmpl-${context.replyId}`, hasLogprobs: logprobs !== undefined },
    ...(rule !== undefined && { ruleField: rule.field }),
  };
}

function completionInputs(body: CompletionBody, description: ModelDescription): readonly GenerateInput[] {
  const { prompt = '', suffix } = body;
  const addSpecial = body.add_special_tokens ?? true;
  if (suffix !== undefined && suffix !== '') {
    if (!description.canInfill) {
      const message = `The model '${description.id}' cannot fill in the middle, so 'suffix' is not supported.`;
      throw new KoineError('unsupported', message, { field: 'suffix' });
    }
    if (typeof prompt === 'string') return [{ kind: 'infill', prefix: prompt, suffix }];
    throw new KoineError('unsupported', "'suffix' needs 'prompt' to be one string.", { field: 'suffix' });
  }
  const text = (value: string): GenerateInput => ({
    kind: 'text',
    text: value,
    addSpecial,
    parseSpecial: true,
  });
  if (typeof prompt === 'string') return [text(prompt)];
  const tokens = prompt.filter((item) => typeof item === 'number');
  if (tokens.length > 0) return [{ kind: 'tokens', tokens }];
  return prompt.flatMap((item): readonly GenerateInput[] => {
    if (typeof item === 'string') return [text(item)];
    return typeof item === 'number' ? [] : [{ kind: 'tokens', tokens: item }];
  });
}

function commonRequest(body: CommonBody, { requestId, description }: DecodeContext) {
  const adapter = body.adapter ?? body.lora;
  return {
    id: requestId,
    model: description.id,
    sampling: decodeSampling(body),
    ...(adapter !== undefined && { adapter }),
    priority: body.priority ?? 0,
    ...(body.truncate_prompt_tokens !== undefined && { truncateTo: body.truncate_prompt_tokens }),
    usePrefixCache: body.cache_prompt ?? true,
  };
}

function commonShape(body: CommonBody, { created, description, fingerprint }: DecodeContext) {
  return {
    created,
    model: description.id,
    fingerprint,
    n: body.n ?? 1,
    includeUsage: body.stream_options?.include_usage ?? false,
    returnTokenIds: body.return_token_ids ?? false,
    showsSpecial: body.skip_special_tokens === false,
  };
}

/** vLLM's two flags for one wish; without a generation prompt, an assistant's last message is continued. */
function continuesFinal({ messages, continue_final_message, add_generation_prompt }: ChatBody): boolean {
  const isLast = messages.at(-1)?.role === 'assistant';
  if (continue_final_message === true && !isLast) {
    const message = "'continue_final_message' needs the last message to be the assistant's.";
    throw new KoineError('invalid_request', message, { field: 'continue_final_message' });
  }
  if (continue_final_message === true && add_generation_prompt === true) {
    const message = "'continue_final_message' and 'add_generation_prompt' exclude each other.";
    throw new KoineError('invalid_request', message, { field: 'continue_final_message' });
  }
  return continue_final_message ?? (add_generation_prompt === false && isLast);
}

function templateVariables(body: ChatBody): Readonly<Record<string, unknown>> {
  const { reasoning_effort, enable_thinking, add_generation_prompt, chat_template_kwargs } = body;
  return {
    ...(reasoning_effort !== undefined && { reasoning_effort }),
    ...(enable_thinking !== undefined && { enable_thinking }),
    ...(add_generation_prompt !== undefined && { add_generation_prompt }),
    ...chat_template_kwargs,
  };
}
