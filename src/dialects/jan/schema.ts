// The wire bodies of this dialect, checked and completed with the contract's defaults. One description per body is the
// source of its type, of its checks and of the words of its refusals.

import {
  anything,
  type Bounds,
  byShape,
  flag,
  INVALID,
  integer,
  nullable,
  number,
  oneOf,
  type ReadBy,
  type Reader,
  text,
} from './check/reader.js';
import { anyObject, listOf, mapOf, type ObjectOf, object, optional, required } from './check/structure.js';
import { messages } from './schema/messages.js';
import { functionCall, functions, toolChoice, tools } from './schema/tools.js';

const textOrList: Reader<string | readonly string[]> = byShape<string | readonly string[]>({
  string: text,
  list: listOf(text),
  otherwise: ['string_type', 'Input should be a valid string or list of strings'],
});

const words = nullable(text);
const penalty = optional(nullable(number({ ge: -2, le: 2 })), 0);
const share = (value: number) => optional(number({ ge: 0, le: 1 }), value);
const count = (value: number) => optional(integer({ ge: 0 }), value);
/** Choices per prompt; the contract sets no bound, a machine does. */
const CHOICES: Bounds = { ge: 1, le: 128 };

const streamOptions = object({ include_usage: optional(nullable(flag), false) });

/** Fields of both kinds of generation. */
const common = {
  model: optional(words, null),
  min_tokens: count(0),
  temperature: optional(number(), 0.8),
  top_p: share(0.95),
  min_p: share(0.05),
  top_k: count(40),
  repeat_penalty: optional(number({ ge: 0 }), 1.1),
  presence_penalty: penalty,
  frequency_penalty: penalty,
  mirostat_mode: optional(integer({ ge: 0, le: 2 }), 0),
  mirostat_tau: optional(number({ ge: 0, le: 10 }), 5),
  mirostat_eta: optional(number({ ge: 0.001, le: 1 }), 0.1),
  logit_bias: optional(nullable(mapOf(number())), null),
  logit_bias_type: optional(nullable(oneOf('input_ids', 'tokens')), null),
  grammar: optional(words, null),
  stop: optional(nullable(textOrList), null),
  seed: optional(nullable(integer()), null),
  stream: optional(flag, false),
  stream_options: optional(nullable(streamOptions), null),
  n: optional(nullable(integer(CHOICES)), 1),
  user: optional(words, null),
};

/** POST /v1/completions */
export const completionBody = object({
  ...common,
  prompt: optional(textOrList, ''),
  suffix: optional(words, null),
  max_tokens: optional(nullable(integer({ ge: 0 })), 16),
  echo: optional(flag, false),
  logprobs: optional(nullable(integer({ ge: 0 })), null),
  best_of: optional(nullable(integer(CHOICES)), 1),
});

const jsonSchemaFormat = object({
  name: optional(words, null),
  schema: optional(anything, null),
  strict: optional(nullable(flag), null),
});

const responseFormat = object({
  type: required(oneOf('text', 'json_object', 'json_schema')),
  schema: optional(anything, null),
  json_schema: optional(nullable(jsonSchemaFormat), null),
});

/** POST /v1/chat/completions */
export const chatBody = object({
  ...common,
  messages: optional(messages, []),
  functions: optional(nullable(functions), null),
  function_call: optional(nullable(functionCall), null),
  tools: optional(nullable(tools), null),
  tool_choice: optional(nullable(toolChoice), null),
  parallel_tool_calls: optional(nullable(flag), null),
  max_tokens: optional(nullable(integer()), null),
  max_completion_tokens: optional(nullable(integer()), null),
  logprobs: optional(nullable(flag), false),
  top_logprobs: optional(nullable(integer({ ge: 0 })), null),
  response_format: optional(nullable(responseFormat), null),
  chat_template_kwargs: optional(nullable(anyObject), null),
});

const tokenIds = listOf(integer({ ge: 0 }));

/** A list of texts, of token ids, or of lists of token ids; the first item tells which. */
const inputList: Reader<readonly (string | readonly number[])[]> = (value, loc, faults) => {
  const first: unknown = Array.isArray(value) ? value[0] : undefined;
  if (typeof first === 'number') {
    const ids = tokenIds(value, loc, faults);
    return ids === INVALID ? ids : [ids];
  }
  return Array.isArray(first) ? listOf(tokenIds)(value, loc, faults) : listOf(text)(value, loc, faults);
};

/** POST /v1/embeddings */
export const embeddingBody = object({
  model: optional(words, null),
  input: required(
    byShape<string | readonly (string | readonly number[])[]>({
      string: text,
      list: inputList,
      otherwise: ['string_type', 'Input should be a valid string or list of strings'],
    }),
  ),
  user: optional(words, null),
  encoding_format: optional(nullable(oneOf('float', 'base64')), null),
  dimensions: optional(nullable(integer({ ge: 1 })), null),
  normalize: optional(nullable(flag), null),
});

/** POST /extras/tokenize and /extras/tokenize/count */
export const tokenizeBody = object({ model: optional(words, null), input: required(text) });

/** POST /extras/detokenize */
export const detokenizeBody = object({
  model: optional(words, null),
  tokens: required(tokenIds),
});

export type CompletionBody = ReadBy<typeof completionBody>;
export type ChatBody = ReadBy<typeof chatBody>;
export type EmbeddingBody = ReadBy<typeof embeddingBody>;
/** Fields chat and completion bodies share. */
export type CommonBody = ObjectOf<typeof common>;
export type ResponseFormat = ReadBy<typeof responseFormat>;
