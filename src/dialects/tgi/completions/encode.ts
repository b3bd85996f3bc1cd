// 3.3.6's completions on the wire.

import { type ChatHead, chatFinish, headJson, type UsageCount, usageJson } from '../chat/encode-v3.js';
import { finishReason } from '../encode.js';
import type { Sequence } from '../run/collect.js';
import type { WriteToken } from '../run/token-feed.js';

const OPEN = '{"object":"text_completion","id":"",';

/** One prompt's finished text. */
export function choiceJson(index: number, { text, result }: Sequence): string {
  return `{"index":${index},"text":${JSON.stringify(text)},"logprobs":null,"finish_reason":"${chatFinish(result.reason)}"}`;
}

/** The whole answer; choices stand in the order in which they were done. */
export function completionsJson(head: ChatHead, choices: readonly string[], usage: UsageCount): string {
  return `${OPEN}${headJson(head)},"choices":[${choices.join(',')}],"usage":${usageJson(usage)}}`;
}

/** Writes the chunks of one prompt, special tokens without text, as in the whole answer; its last chunk has the raw finish reason and its own usage. */
export function chunkWriter(head: ChatHead, index: number, promptTokens: () => number): WriteToken {
  const open = `data: ${OPEN}"created":${head.created},"choices":[{"index":${index},"text":`;
  const close = `,"logprobs":null,"finish_reason":""}],"model":${JSON.stringify(head.model)},"system_fingerprint":${JSON.stringify(head.fingerprint)}}\n\n`;
  return (token, _index, ending) => {
    const text = token.special ? '""' : JSON.stringify(token.text);
    if (ending === null) return open + text + close;
    const usage = usageJson({ prompt: promptTokens(), completion: ending.generatedTokens });
    return `data: ${OPEN}${headJson(head)},"choices":[{"index":${index},"text":${text},"logprobs":null,"finish_reason":"${finishReason(ending.result.reason)}"}],"usage":${usage}}\n\n`;
  };
}
