// Chat and completion fields to the parameters of a generate request, by each version's rules.

import type { ReplyNeeds } from '../decode.js';
import {
  type ChatBody,
  type ChatBodyV1,
  type CompletionBody,
  type GenerateParameters,
  NO_PARAMETERS,
} from '../schema.js';

/** 1.4.2's chat stops here when not told otherwise. */
const V1_MAX_TOKENS = 100;

/** Temperature 0 is greedy; anything else samples, also when it is absent. */
function temperature(given: number | null): Pick<GenerateParameters, 'doSample' | 'temperature'> {
  return given === 0 ? { doSample: false, temperature: null } : { doSample: true, temperature: given };
}

/** TGI turns the one penalty into the other, shifted by two: 0 becomes 2. */
function repetitionOf(presencePenalty: number | null): number | null {
  return presencePenalty === null ? null : presencePenalty + 2;
}

/** Name of an adapter: any model name but TGI's own. */
function adapterOf(model: string | null): string | null {
  return model === null || model === 'tgi' ? null : model;
}

/** 3.3.6's chat. */
export function chatParametersV3(body: ChatBody): GenerateParameters {
  return {
    ...NO_PARAMETERS,
    ...temperature(body.temperature),
    repetitionPenalty: repetitionOf(body.presencePenalty),
    frequencyPenalty: body.frequencyPenalty,
    topP: body.topP,
    maxNewTokens: body.maxTokens,
    stop: body.stop ?? [],
    details: true,
    seed: body.seed,
    topNTokens: body.topLogprobs,
    grammar: body.responseFormat,
    adapterId: adapterOf(body.model),
  };
}

/** 1.4.2's chat: always samples; temperature 0 is refused by the checks. */
export function chatParametersV1(body: ChatBodyV1): GenerateParameters {
  return {
    ...NO_PARAMETERS,
    doSample: true,
    temperature: body.temperature,
    repetitionPenalty: repetitionOf(body.presencePenalty),
    frequencyPenalty: body.frequencyPenalty,
    topP: body.topP,
    maxNewTokens: body.maxTokens ?? V1_MAX_TOKENS,
    details: true,
    seed: body.seed,
  };
}

/** 3.3.6's completions. */
export function completionParameters(body: CompletionBody): GenerateParameters {
  return {
    ...NO_PARAMETERS,
    ...temperature(body.temperature),
    repetitionPenalty: body.repetitionPenalty,
    frequencyPenalty: body.frequencyPenalty,
    topP: body.topP,
    maxNewTokens: body.maxTokens,
    stop: body.stop ?? [],
    details: true,
    seed: body.seed,
    adapterId: adapterOf(body.model),
  };
}

/** What a chat's answer needs from the engine. */
export function chatReply(body: Pick<ChatBody, 'stream' | 'logprobs'>): ReplyNeeds {
  const logprobs = body.logprobs === true;
  return { stream: body.stream, tokens: body.stream || logprobs, logprobs };
}
