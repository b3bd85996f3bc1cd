// Events of completions (one or several prompts) to one body. Choice c of prompt p has index p * n + c.

import type { FinishReason, GenerateEvent, Usage } from '../../../protocol/index.js';
import { lengthOf } from '../../openai/index.js';
import type { ReplyShape } from '../decode.js';
import { membersText, type ReplyEncoder, usageText, wireReason } from '../encode.js';
import { CompletionLogprobs } from './completion-logprobs.js';
import { shownTokens } from './pieces.js';

interface Choice {
  text: string;
  logprobs: CompletionLogprobs | undefined;
  reason: FinishReason;
}

/** Gathers the completions of one or several prompts. */
export class CompletionReply implements ReplyEncoder {
  readonly #shape: ReplyShape;
  readonly #choices: readonly Choice[];

  constructor(shape: ReplyShape) {
    this.#shape = shape;
    const { prompts, n, echo } = shape;
    this.#choices = prompts.flatMap((prompt) =>
      Array.from({ length: n }, () => ({
        text: echo ? prompt : '',
        logprobs: undefined,
        reason: 'cancelled' as const,
      })),
    );
  }

  take(event: GenerateEvent, prompt: number): void {
    const base = prompt * this.#shape.n;
    switch (event.kind) {
      case 'started':
        for (const choice of this.#choices.slice(base, base + this.#shape.n)) {
          choice.logprobs = startLogprobs(event, this.#shape, prompt);
        }
        return;
      case 'delta': {
        const choice = this.#choices[base + event.choice];
        if (choice === undefined) return;
        choice.text += event.text;
        if (event.tokens !== undefined) choice.logprobs?.add(shownTokens(event.tokens));
        return;
      }
      case 'choice': {
        const choice = this.#choices[base + event.choice];
        if (choice !== undefined) choice.reason = event.reason;
        return;
      }
      default:
        return;
    }
  }

  body(usage: Usage): string {
    const { id, created, model } = this.#shape;
    const head = membersText({ id, object: 'text_completion', created, model });
    const choices = this.#choices.map(({ text, logprobs, reason }, index) => {
      const scored = logprobs === undefined ? 'null' : logprobs.take();
      const why = wireReason(reason);
      return `{"text":${JSON.stringify(text)},"index":${index},"logprobs":${scored},"finish_reason":"${why}"}`;
    });
    return `{${head},"choices":[${choices.join(',')}],"usage":${usageText(usage)}}`;
  }
}

/** With echo the prompt's own tokens come first; without it offsets begin where the prompt ends. */
export function startLogprobs(
  { prompt: tokens = [] }: Extract<GenerateEvent, { kind: 'started' }>,
  { hasLogprobs, prompts, echo }: ReplyShape,
  prompt: number,
): CompletionLogprobs | undefined {
  if (!hasLogprobs) return undefined;
  const text = prompts[prompt] ?? '';
  const logprobs = new CompletionLogprobs(echo ? 0 : lengthOf(text));
  if (echo) logprobs.addPrompt(tokens, text);
  return logprobs;
}
