// 1.4.2's chat on the wire: called text_completion throughout, raw finish reasons, the token's number as index.

import { finishReason, generatedTokens } from '../encode.js';
import type { Generation } from '../run/collect.js';
import type { WriteToken } from '../run/token-feed.js';
import { type ChatHead, headJson, sequenceLogprobs, tokenLogprobs, usageJson } from './encode-v3.js';

const OPEN = '{"id":"","object":"text_completion",';

/** The whole answer. */
export function completionJsonV1(head: ChatHead, generation: Generation, hasLogprobs: boolean): string {
  const [best] = generation.sequences;
  const logprobs = hasLogprobs ? sequenceLogprobs(best) : 'null';
  const usage = usageJson({ prompt: generation.promptTokens, completion: generatedTokens(best) });
  const message = `{"role":"assistant","content":${JSON.stringify(best.text)},"name":null}`;
  return `${OPEN}${headJson(head)},"choices":[{"index":0,"message":${message},"logprobs":${logprobs},"finish_reason":"${finishReason(best.result.reason)}"}],"usage":${usage}}`;
}

/** Writes chunks. Special tokens show no text. */
export function chunkWriterV1(head: ChatHead, hasLogprobs: boolean): WriteToken {
  const open = `data:${OPEN}${headJson(head)},"choices":[{"index":`;
  return (token, index, ending) => {
    const text = token.special ? '""' : JSON.stringify(token.text);
    const logprobs = hasLogprobs ? tokenLogprobs(token) : 'null';
    const finish = ending === null ? 'null' : `"${finishReason(ending.result.reason)}"`;
    return `${open}${index},"delta":{"role":"assistant","content":${text}},"logprobs":${logprobs},"finish_reason":${finish}}]}\n\n`;
  };
}
