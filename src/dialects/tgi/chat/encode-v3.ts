// 3.3.6's chat on the wire: answers, chunks and error events. Chunks are put together from parts made once.

import type { FinishReason } from '../../../protocol/index.js';
import { finishReason } from '../encode.js';
import type { TgiError } from '../errors.js';
import type { Sequence } from '../run/collect.js';
import type { FedToken } from '../run/token-feed.js';
import { float32 } from '../wire/float32.js';
import { TokenText } from '../wire/token-text.js';

/** What every part of one answer repeats. */
export interface ChatHead {
  readonly created: number;
  readonly model: string;
  readonly fingerprint: string;
}

/** Tokens in and out. */
export interface UsageCount {
  readonly prompt: number;
  readonly completion: number;
}

export const DONE_V3 = 'data: [DONE]\n\n';

/** `{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}` */
export function usageJson({ prompt, completion }: UsageCount): string {
  return `{"prompt_tokens":${prompt},"completion_tokens":${completion},"total_tokens":${prompt + completion}}`;
}

/** OpenAI's names for all but a stop string. */
export function chatFinish(reason: FinishReason): string {
  const name = finishReason(reason);
  return name === 'eos_token' ? 'stop' : name;
}

/** `"created":..,"model":..,"system_fingerprint":..` */
export function headJson({ created, model, fingerprint }: ChatHead): string {
  return `"created":${created},"model":${JSON.stringify(model)},"system_fingerprint":${JSON.stringify(fingerprint)}`;
}

/** The whole answer around a message. */
export function completionJson(
  head: ChatHead,
  message: string,
  choice: { readonly logprobs: string; readonly finish: string },
  usage: UsageCount,
): string {
  return `{"object":"chat.completion","id":"",${headJson(head)},"choices":[{"index":0,"message":${message},"logprobs":${choice.logprobs},"finish_reason":"${choice.finish}"}],"usage":${usageJson(usage)}}`;
}

/** `{"role":"assistant","content":".."}` */
export function textMessage(text: string): string {
  return `{"role":"assistant","content":${JSON.stringify(text)}}`;
}

/** A message that is one call. */
export function callMessage(id: string, name: string, callArguments: string): string {
  return `{"role":"assistant","tool_calls":[{"id":${JSON.stringify(id)},"type":"function","function":{"description":null,"name":${JSON.stringify(name)},"arguments":${JSON.stringify(callArguments)}}}]}`;
}

/** Log-probabilities of a whole answer. */
export function sequenceLogprobs({ tokens }: Pick<Sequence, 'tokens'>): string {
  const texts = new TokenText();
  const items = tokens.map((token) =>
    logprobJson({ ...token, text: texts.next(token), top: token.top ?? [] }),
  );
  return `{"content":[${items.join(',')}]}`;
}

type Scored = Pick<FedToken, 'text' | 'logprob' | 'top'>;

/** Log-probability of one token. */
export function tokenLogprobs(token: Scored): string {
  return `{"content":[${logprobJson(token)}]}`;
}

function logprobJson({ text, logprob, top }: Scored): string {
  const others = top.map(
    (each) => `{"token":${JSON.stringify(each.text)},"logprob":${float32(each.logprob)}}`,
  );
  return `{"token":${JSON.stringify(text)},"logprob":${float32(logprob)},"top_logprobs":[${others.join(',')}]}`;
}

/** Chunks of one stream. */
export class ChatChunks {
  readonly #open: string;
  readonly #text: string;
  readonly #call: string;

  constructor(
    head: ChatHead,
    private readonly callId: string,
  ) {
    this.#open = `data: {"object":"chat.completion.chunk","id":"",${headJson(head)},"choices":[`;
    this.#text = `${this.#open}{"index":0,"delta":{"role":"assistant","content":`;
    this.#call = `${this.#open}{"index":0,"delta":{"role":"assistant","tool_calls":[{"index":0,"id":${JSON.stringify(this.callId)},"type":"function","function":{"name":`;
  }

  text(text: string, logprobs: string, finish: string | null): string {
    return `${this.#text}${JSON.stringify(text)}},"logprobs":${logprobs},"finish_reason":${quoted(finish)}}],"usage":null}\n\n`;
  }

  /** A piece of a call; `name` only on the first. */
  call(name: string | null, callArguments: string, logprobs: string, finish: string | null): string {
    return `${this.#call}${quoted(name)},"arguments":${JSON.stringify(callArguments)}}}]},"logprobs":${logprobs},"finish_reason":${quoted(finish)}}],"usage":null}\n\n`;
  }

  usage(usage: UsageCount): string {
    return `${this.#open}],"usage":${usageJson(usage)}}\n\n`;
  }
}

/** A failure inside a chat or completion stream, always called 422. */
export function errorEvent(error: TgiError): string {
  return `data: {"error":{"message":${JSON.stringify(error.message)},"http_status_code":422}}\n\n`;
}

function quoted(text: string | null): string {
  return text === null ? 'null' : JSON.stringify(text);
}
