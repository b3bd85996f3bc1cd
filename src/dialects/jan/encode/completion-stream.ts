// Events of completions (one or several prompts) to text_completion chunks.

import type { GenerateEvent, Usage } from '../../../protocol/index.js';
import type { ReplyShape } from '../decode.js';
import { DONE, membersText, type StreamEncoder, usageText, wireReason } from '../encode.js';
import { startLogprobs } from './completion.js';
import type { CompletionLogprobs } from './completion-logprobs.js';
import { shownTokens } from './pieces.js';

/** Encodes the stream of one or several prompts; choice c of prompt p has index p * n + c. */
export class CompletionStream implements StreamEncoder {
  readonly #shape: ReplyShape;
  readonly #head: string;
  /** A frame up to the text. */
  readonly #open: string;
  /** Per index: a frame from after the text when there are no log-probabilities. */
  readonly #close: readonly string[];
  readonly #usage: string;
  /** Log-probabilities of tokens whose text is still to come, per index. */
  readonly #logprobs: (CompletionLogprobs | undefined)[] = [];

  constructor(shape: ReplyShape) {
    this.#shape = shape;
    const { id, created, model, includeUsage, prompts, n } = shape;
    this.#head = `data: {${membersText({ id, object: 'text_completion', created, model })},"choices":[`;
    this.#open = `${this.#head}{"text":`;
    this.#usage = includeUsage ? ',"usage":null' : '';
    this.#close = Array.from({ length: prompts.length * n }, (_, index) => this.#tail(index, 'null', 'null'));
  }

  frames(event: GenerateEvent, prompt: number): string {
    const base = prompt * this.#shape.n;
    switch (event.kind) {
      case 'delta': {
        const index = base + event.choice;
        const logprobs = this.#logprobs[index];
        if (logprobs !== undefined && event.tokens !== undefined) logprobs.add(shownTokens(event.tokens));
        if (event.text === '') return '';
        if (logprobs !== undefined) return this.#scored(index, event.text, logprobs);
        return this.#open + JSON.stringify(event.text) + this.#close[index];
      }
      case 'started':
        return this.#start(event, prompt);
      case 'choice': {
        const index = base + event.choice;
        const logprobs = this.#logprobs[index];
        // Tokens whose text never came: they belong to a stop string, or to a character that was cut off.
        const rest = logprobs === undefined || logprobs.isEmpty ? '' : this.#scored(index, '', logprobs);
        return `${rest}${this.#open}""${this.#tail(index, 'null', `"${wireReason(event.reason)}"`)}`;
      }
      default:
        return '';
    }
  }

  end(usage: Usage): string {
    if (!this.#shape.includeUsage) return DONE;
    return `${this.#head}],"usage":${usageText(usage)}}\n\n${DONE}`;
  }

  /** The echoed prompt, where it was asked for. */
  #start(event: Extract<GenerateEvent, { kind: 'started' }>, prompt: number): string {
    const { n, echo, hasLogprobs, prompts } = this.#shape;
    let frames = '';
    for (let index = prompt * n; index < (prompt + 1) * n; index += 1) {
      const logprobs = startLogprobs(event, this.#shape, prompt);
      if (hasLogprobs) this.#logprobs[index] = logprobs;
      if (!echo) continue;
      const text = prompts[prompt] ?? '';
      if (logprobs !== undefined && !logprobs.isEmpty) frames += this.#scored(index, text, logprobs);
      else frames += this.#open + JSON.stringify(text) + this.#close[index];
    }
    return frames;
  }

  #scored(index: number, text: string, logprobs: CompletionLogprobs): string {
    return (
      this.#open +
      JSON.stringify(text) +
      this.#tail(index, logprobs.isEmpty ? 'null' : logprobs.take(), 'null')
    );
  }

  #tail(index: number, logprobs: string, reason: string): string {
    return `,"index":${index},"logprobs":${logprobs},"finish_reason":${reason}}]${this.#usage}}\n\n`;
  }
}
