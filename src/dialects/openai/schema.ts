// The wire bodies of the OpenAI dialect, checked. One TypeBox schema per body is the source of its type, of its
// validation and of the words of its refusals (`description` completes "'field' must be ..."). Unknown fields pass.

import { type Static, type TProperties, Type } from 'typebox';

const number = (minimum: number, maximum: number) => Type.Optional(Type.Number({ minimum, maximum }));
const integer = (minimum: number, maximum?: number) =>
  Type.Optional(Type.Integer(maximum === undefined ? { minimum } : { minimum, maximum }));
const flag = () => Type.Optional(Type.Boolean());
const text = () => Type.Optional(Type.String());
const object = () => Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'an object' }));
const open = <T extends TProperties>(properties: T) =>
  Type.Object(properties, { additionalProperties: true });

const tokenIds = Type.Array(Type.Integer({ minimum: 0 }), { minItems: 1 });
const constraintText = Type.Union([Type.String(), Type.Record(Type.String(), Type.Unknown())], {
  description: 'a JSON schema, as an object or as text',
});

/** Sampling and stopping, as OpenAI, vLLM, llama.cpp and LMDeploy name them. */
const sampling = {
  temperature: number(0, 2),
  top_p: number(0, 1),
  top_k: integer(-1),
  min_p: number(0, 1),
  typical_p: number(0, 1),
  presence_penalty: number(-2, 2),
  frequency_penalty: number(-2, 2),
  repetition_penalty: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
  repeat_penalty: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
  logit_bias: Type.Optional(
    Type.Record(Type.String(), Type.Number({ minimum: -100, maximum: 100 }), {
      description: 'an object of numbers by token id',
    }),
  ),
  seed: Type.Optional(Type.Integer()),
  mirostat: integer(0, 2),
  mirostat_mode: integer(0, 2),
  mirostat_tau: Type.Optional(Type.Number({ minimum: 0 })),
  mirostat_eta: Type.Optional(Type.Number({ minimum: 0 })),
  dry_multiplier: Type.Optional(Type.Number({ minimum: 0 })),
  dry_base: Type.Optional(Type.Number({ minimum: 1 })),
  dry_allowed_length: integer(0),
  dry_penalty_last_n: integer(-1),
  dry_sequence_breakers: Type.Optional(Type.Array(Type.String())),
  xtc_probability: number(0, 1),
  xtc_threshold: number(0, 1),
  max_tokens: integer(-1),
  min_tokens: integer(0),
  min_new_tokens: integer(0),
  ignore_eos: flag(),
  stop: Type.Optional(
    Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: 16 })], {
      description: 'a string or an array of at most 16 strings',
    }),
  ),
  stop_token_ids: Type.Optional(Type.Array(Type.Integer({ minimum: 0 }))),
  include_stop_str_in_output: flag(),
  skip_special_tokens: flag(),
};

/** What every generation request shares beside sampling. */
const common = {
  ...sampling,
  model: text(),
  n: integer(1, 128),
  stream: flag(),
  stream_options: Type.Optional(open({ include_usage: flag(), continuous_usage_stats: flag() })),
  adapter: text(),
  lora: text(),
  priority: Type.Optional(Type.Integer()),
  truncate_prompt_tokens: integer(1),
  cache_prompt: flag(),
  return_token_ids: flag(),
  guided_json: Type.Optional(constraintText),
  guided_regex: text(),
  guided_choice: Type.Optional(Type.Array(Type.String(), { minItems: 1 })),
  guided_grammar: text(),
  grammar: text(),
  response_format: Type.Optional(
    open({
      type: Type.Enum(['text', 'json_object', 'json_schema', 'regex_schema']),
      schema: Type.Optional(constraintText),
      json_schema: Type.Optional(
        open({ name: text(), schema: Type.Optional(Type.Unknown()), strict: flag() }),
      ),
      regex_schema: text(),
    }),
  ),
};

const parts = Type.Array(open({ type: Type.String() }));

const functionCall = open({ name: Type.String(), arguments: text() });

const message = open({
  role: Type.Enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: Type.Optional(
    Type.Union([Type.String(), parts], { description: 'a string or an array of content parts' }),
  ),
  name: text(),
  reasoning_content: text(),
  refusal: text(),
  tool_calls: Type.Optional(Type.Array(open({ id: text(), function: functionCall }))),
  function_call: Type.Optional(functionCall),
  tool_call_id: text(),
});

const functionDefinition = open({
  name: Type.String({ minLength: 1 }),
  description: text(),
  parameters: object(),
  strict: flag(),
});

const namedFunction = open({ name: Type.String() });

/** POST /v1/chat/completions */
export const ChatBody = open({
  ...common,
  messages: Type.Array(message, { minItems: 1 }),
  max_completion_tokens: integer(1),
  logprobs: flag(),
  top_logprobs: integer(0, 20),
  tools: Type.Optional(
    Type.Array(open({ type: Type.String(), function: Type.Optional(functionDefinition) })),
  ),
  tool_choice: Type.Optional(
    Type.Union(
      [
        Type.Enum(['none', 'auto', 'required']),
        open({
          type: Type.String(),
          function: Type.Optional(namedFunction),
          allowed_tools: Type.Optional(
            open({
              mode: Type.Enum(['auto', 'required']),
              tools: Type.Array(open({ function: Type.Optional(namedFunction) })),
            }),
          ),
        }),
      ],
      { description: "'none', 'auto', 'required' or an object that names a function" },
    ),
  ),
  parallel_tool_calls: flag(),
  functions: Type.Optional(Type.Array(functionDefinition)),
  function_call: Type.Optional(
    Type.Union([Type.Enum(['none', 'auto']), namedFunction], {
      description: "'none', 'auto' or an object with the name of a function",
    }),
  ),
  reasoning_effort: text(),
  enable_thinking: flag(),
  chat_template_kwargs: object(),
  add_generation_prompt: flag(),
  continue_final_message: flag(),
});

/** POST /v1/completions */
export const CompletionBody = open({
  ...common,
  prompt: Type.Optional(
    Type.Union(
      [
        Type.String(),
        Type.Array(Type.String(), { minItems: 1 }),
        tokenIds,
        Type.Array(tokenIds, { minItems: 1 }),
      ],
      { description: 'a string, an array of strings, an array of token ids or an array of such arrays' },
    ),
  ),
  suffix: text(),
  max_completion_tokens: integer(0),
  best_of: integer(1, 128),
  echo: flag(),
  logprobs: integer(0, 20),
  add_special_tokens: flag(),
});

/** POST /v1/embeddings */
export const EmbeddingBody = open({
  model: text(),
  input: Type.Union(
    [
      Type.String({ minLength: 1 }),
      Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: 2048 }),
      tokenIds,
      Type.Array(tokenIds, { minItems: 1, maxItems: 2048 }),
    ],
    {
      description:
        'a string, an array of up to 2048 strings, or token ids in the same shapes; none of them empty',
    },
  ),
  encoding_format: Type.Optional(Type.Enum(['float', 'base64'])),
  dimensions: integer(1),
  truncate_prompt_tokens: Type.Optional(Type.Integer({ minimum: -1 })),
  adapter: text(),
  lora: text(),
});

const CommonBody = open(common);

export type ChatBody = Static<typeof ChatBody>;
export type CompletionBody = Static<typeof CompletionBody>;
export type EmbeddingBody = Static<typeof EmbeddingBody>;
/** Fields chat and completion bodies share. */
export type CommonBody = Static<typeof CommonBody>;
export type WireMessage = Static<typeof message>;
export type WireFunction = Static<typeof functionDefinition>;
