// The wire bodies of both versions as tables of fields: what is required, what may be null, what defaults apply.
// Limits and combinations are left to request/parameters.ts.

import { type GrammarBody, readGrammarV1, readGrammarV3 } from './schema/grammar.js';
import { type MessageBody, readMessageV1, readMessageV3 } from './schema/message.js';
import { readTool, readToolChoice, type ToolChoiceBody } from './schema/tools.js';
import type { JsonNode } from './wire/json-text.js';
import {
  defaulted,
  documented,
  list,
  optional,
  type Place,
  type Read,
  readBoolean,
  readF32,
  readI32,
  readString,
  readU32,
  readU64,
  readUsize,
  refuse,
  required,
  ShapeError,
  struct,
} from './wire/shape.js';

/** 1.4.2 answers with this many new tokens when not told otherwise. */
const V1_MAX_NEW_TOKENS = 100;

function parameterFields(grammar: Read<GrammarBody>, maxNewTokens: number | null) {
  return {
    bestOf: optional('best_of', readUsize),
    temperature: optional('temperature', readF32),
    repetitionPenalty: optional('repetition_penalty', readF32),
    frequencyPenalty: optional('frequency_penalty', readF32),
    topK: optional('top_k', readI32),
    topP: optional('top_p', readF32),
    typicalP: optional('typical_p', readF32),
    doSample: defaulted('do_sample', readBoolean, false),
    maxNewTokens: optional('max_new_tokens', readU32, [], maxNewTokens),
    returnFullText: optional('return_full_text', readBoolean),
    stop: defaulted('stop', list(readString), []),
    truncate: optional('truncate', readUsize),
    watermark: defaulted('watermark', readBoolean, false),
    details: defaulted('details', readBoolean, false),
    decoderInputDetails: defaulted('decoder_input_details', readBoolean, false),
    seed: optional('seed', readU64),
    topNTokens: optional('top_n_tokens', readU32),
    grammar: optional('grammar', grammar),
  };
}

const readParametersV3 = struct('GenerateParameters', {
  ...parameterFields(readGrammarV3, null),
  adapterId: optional('adapter_id', readString),
});

/** Sampling parameters of a generate request, defaults applied. */
export type GenerateParameters = ReturnType<typeof readParametersV3>;

const readParametersOfV1 = struct('GenerateParameters', parameterFields(readGrammarV1, V1_MAX_NEW_TOKENS));
const readParametersV1: Read<GenerateParameters> = documented(
  (node, place) => ({ ...readParametersOfV1(node, place), adapterId: null }),
  readParametersOfV1.schema ?? {},
);

/** Parameters with nothing set. */
export const NO_PARAMETERS: GenerateParameters = {
  bestOf: null,
  temperature: null,
  repetitionPenalty: null,
  frequencyPenalty: null,
  topK: null,
  topP: null,
  typicalP: null,
  doSample: false,
  maxNewTokens: null,
  returnFullText: null,
  stop: [],
  truncate: null,
  watermark: false,
  details: false,
  decoderInputDetails: false,
  seed: null,
  topNTokens: null,
  grammar: null,
  adapterId: null,
};

// Leaving `parameters` out samples; an empty object is greedy. Both versions.
const ABSENT_V3: GenerateParameters = { ...NO_PARAMETERS, doSample: true };
const ABSENT_V1: GenerateParameters = { ...ABSENT_V3, maxNewTokens: V1_MAX_NEW_TOKENS };

function generateFields(parameters: Read<GenerateParameters>, absent: GenerateParameters) {
  return {
    inputs: required('inputs', readString),
    parameters: defaulted('parameters', parameters, absent),
  };
}

/** Body of `/generate`, `/generate_stream` and `/tokenize`. */
export const readGenerateV3 = struct('GenerateRequest', generateFields(readParametersV3, ABSENT_V3));
export const readGenerateV1 = struct('GenerateRequest', generateFields(readParametersV1, ABSENT_V1));
export type GenerateBody = ReturnType<typeof readGenerateV3>;

/** Body of POST `/` and, in its first shape, `/invocations`. */
export const readCompatV3 = struct('CompatGenerateRequest', {
  ...generateFields(readParametersV3, ABSENT_V3),
  stream: defaulted('stream', readBoolean, false),
});
export const readCompatV1 = struct('CompatGenerateRequest', {
  ...generateFields(readParametersV1, ABSENT_V1),
  stream: defaulted('stream', readBoolean, false),
});
export type CompatBody = ReturnType<typeof readCompatV3>;

const readStreamOptions = struct('StreamOptions', {
  includeUsage: required('include_usage', readBoolean),
});

const chatFields = {
  frequencyPenalty: optional('frequency_penalty', readF32),
  logitBias: optional('logit_bias', list(readF32)),
  logprobs: optional('logprobs', readBoolean),
  topLogprobs: optional('top_logprobs', readU32),
  n: optional('n', readU32),
  presencePenalty: optional('presence_penalty', readF32),
  stream: defaulted('stream', readBoolean, false),
  seed: optional('seed', readU64),
  temperature: optional('temperature', readF32),
  topP: optional('top_p', readF32),
};

/** Body of `/v1/chat/completions` and `/chat_tokenize`. */
export const readChatV3 = struct('ChatRequest', {
  ...chatFields,
  model: optional('model', readString),
  messages: required('messages', list(readMessageV3)),
  maxTokens: optional('max_tokens', readU32, ['max_completion_tokens']),
  stop: optional('stop', list(readString)),
  streamOptions: defaulted('stream_options', readStreamOptions, { includeUsage: false }),
  tools: optional('tools', list(readTool)),
  toolPrompt: optional('tool_prompt', readString),
  toolChoice: defaulted<ToolChoiceBody>('tool_choice', readToolChoice, { kind: 'auto' }),
  responseFormat: optional('response_format', readGrammarV3),
});
export type ChatBody = ReturnType<typeof readChatV3>;

/** 1.4.2 answers this when a request has no messages. */
const DEMO_MESSAGES: readonly MessageBody[] = [
  { role: 'user', content: 'My name is David and I', toolCalls: null },
];

export const readChatV1 = struct('ChatRequest', {
  ...chatFields,
  model: required('model', readString),
  messages: defaulted('messages', list(readMessageV1), DEMO_MESSAGES),
  maxTokens: optional('max_tokens', readU32),
});
export type ChatBodyV1 = ReturnType<typeof readChatV1>;

const readAnyPrompts: Read<readonly string[]> = (node, place) => {
  if (node.kind === 'string') return [node.value];
  const isList = node.kind === 'array' && node.items.every((item) => item.kind === 'string');
  if (!isList) {
    throw refuse(node, place, 'data did not match any variant of untagged enum PromptDeserializer');
  }
  const prompts = list(readString)(node, place);
  if (prompts.length === 0) {
    throw refuse(node, place, 'Empty array detected. Do not use an empty array for the prompt.');
  }
  return prompts;
};
const readPrompts = documented(readAnyPrompts, {
  oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, minItems: 1 }],
});

/** Body of `/v1/completions`. */
export const readCompletion = struct('CompletionRequest', {
  model: optional('model', readString),
  prompt: required('prompt', readPrompts),
  maxTokens: optional('max_tokens', readU32),
  temperature: optional('temperature', readF32),
  topP: optional('top_p', readF32),
  stream: defaulted('stream', readBoolean, false),
  seed: optional('seed', readU64),
  suffix: optional('suffix', readString),
  repetitionPenalty: optional('repetition_penalty', readF32),
  frequencyPenalty: optional('frequency_penalty', readF32),
  stop: optional('stop', list(readString)),
});
export type CompletionBody = ReturnType<typeof readCompletion>;

/** Body of 3.3.6's `/invocations`: the first shape that fits. */
export type InvocationBody =
  | { readonly kind: 'generate'; readonly body: CompatBody }
  | { readonly kind: 'chat'; readonly body: ChatBody }
  | { readonly kind: 'completion'; readonly body: CompletionBody };

export const readInvocation: Read<InvocationBody> = documented(
  (node, place) =>
    firstFit<InvocationBody>(node, place, 'SagemakerRequest', [
      (n, p) => ({ kind: 'generate', body: readCompatV3(n, p) }),
      (n, p) => ({ kind: 'chat', body: readChatV3(n, p) }),
      (n, p) => ({ kind: 'completion', body: readCompletion(n, p) }),
    ]),
  { oneOf: [readCompatV3.schema, readChatV3.schema, readCompletion.schema] },
);

function instanceFields(parameters: Read<GenerateParameters>) {
  return { inputs: required('inputs', readString), parameters: optional('parameters', parameters) };
}

const readInstanceV3 = struct('GenerateVertexInstance', instanceFields(readParametersV3));
const readInstanceV1 = struct('VertexInstance', instanceFields(readParametersV1));

/** One of `/vertex`'s instances. */
export type VertexInstance =
  | { readonly kind: 'generate'; readonly body: ReturnType<typeof readInstanceV3> }
  | { readonly kind: 'chat'; readonly body: ChatBody };

const readVertexInstanceV3: Read<VertexInstance> = (node, place) =>
  firstFit<VertexInstance>(node, place, 'VertexInstance', [
    (n, p) => ({ kind: 'generate', body: readInstanceV3(n, p) }),
    (n, p) => ({ kind: 'chat', body: readChatV3(n, p) }),
  ]);
const readVertexInstanceV1: Read<VertexInstance> = (node, place) => ({
  kind: 'generate',
  body: readInstanceV1(node, place),
});

/** Body of `/vertex`. */
export const readVertexV3 = struct('VertexRequest', {
  instances: required('instances', list(readVertexInstanceV3)),
});
export const readVertexV1 = struct('VertexRequest', {
  instances: required('instances', list(readVertexInstanceV1)),
});
export type VertexBody = ReturnType<typeof readVertexV3>;

/** Body of `POST /extras/watermark/detect`: a text or its token ids. */
export const readDetect = struct('DetectRequest', {
  inputs: optional('inputs', readString),
  tokens: optional('tokens', list(readU32)),
  threshold: optional('threshold', readF32),
  gamma: optional('gamma', readF32),
});
export type DetectBody = ReturnType<typeof readDetect>;

function firstFit<T>(node: JsonNode, place: Place, name: string, reads: readonly Read<T>[]): T {
  for (const read of reads) {
    try {
      return read(node, place);
    } catch (error) {
      if (!(error instanceof ShapeError)) throw error;
    }
  }
  throw refuse(node, place, `data did not match any variant of untagged enum ${name}`);
}
