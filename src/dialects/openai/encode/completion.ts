// Events of completions (one or several prompts) to text_completion chunks, or to one body.

import type { FinishReason, GenerateEvent, TokenInfo, Usage } from '../../../protocol/index.js';
import type { ReplyShape } from '../decode.js';
import {
  DONE,
  envelope,
  type ReplyEncoder,
  type StreamEncoder,
  tokenIdsText,
  usageText,
  wireReason,
} from '../encode.js';
import { CompletionLogprobs, lengthOf, shownTokens } from './logprobs.js';

type Started = Extract<GenerateEvent, { kind: 'started' }>;

/** Encodes the stream of one or several prompts; choice c of prompt p has index p * n + c. */
export class CompletionStream implements StreamEncoder {
  readonly #shape: ReplyShape;
  /** Per index: a frame up to the text. */
  readonly #open: readonly string[];
  readonly #close: string;
  readonly #usage: string;
  readonly #head: string;
  readonly #logprobs: (CompletionLogprobs | undefined)[] = [];
  readonly #isPlain: boolean;

  constructor(shape: ReplyShape, prompts: number) {
    this.#shape = shape;
    this.#head = `data: {${envelope(shape, 'text_completion')}`;
    this.#usage = shape.includeUsage ? ',"usage":null' : '';
    const length = prompts * shape.n;
    this.#open = Array.from({ length }, (_, i) => `${this.#head},"choices":[{"index":${i},"text":`);
    this.#close = `,"logprobs":null,"finish_reason":null}]${this.#usage}}\n\n`;
    this.#isPlain = !shape.hasLogprobs && !shape.returnTokenIds;
  }

  frames(event: GenerateEvent, prompt: number): string {
    const base = prompt * this.#shape.n;
    switch (event.kind) {
      case 'delta': {
        const index = base + event.choice;
        if (!this.#isPlain) return this.#slowDelta(index, event.text, event.tokens ?? []);
        if (event.text === '') return '';
        return (this.#open[index] ?? '') + JSON.stringify(event.text) + this.#close;
      }
      case 'started':
        return this.#start(event, base);
      case 'choice': {
        const reason = wireReason(event.reason, false);
        const open = this.#open[base + event.choice] ?? '';
        return `${open}"","logprobs":null,"finish_reason":"${reason}"}]${this.#usage}}\n\n`;
      }
      default:
        return '';
    }
  }

  end(usage: Usage): string {
    if (!this.#shape.includeUsage) return DONE;
    return `${this.#head},"choices":[],"usage":${usageText(usage)}}\n\n${DONE}`;
  }

  /** The echoed prompt, or its token ids, where one of them was asked for. */
  #start(event: Started, base: number): string {
    const { n, hasLogprobs, echo, returnTokenIds } = this.#shape;
    let frames = '';
    for (let index = base; index < base + n; index += 1) {
      const logprobs = hasLogprobs ? startLogprobs(event, echo) : undefined;
      this.#logprobs[index] = logprobs;
      if (!echo && !returnTokenIds) continue;
      const ids = event.prompt?.map(({ id }) => id) ?? [];
      const promptIds = returnTokenIds ? `,"prompt_token_ids":${JSON.stringify(ids)}` : '';
      const text = JSON.stringify(echo ? (event.promptText ?? '') : '');
      const scored = echo && logprobs !== undefined ? logprobs.take() : 'null';
      const rest = `"logprobs":${scored},"finish_reason":null${promptIds}}]${this.#usage}}\n\n`;
      frames += `${this.#open[index] ?? ''}${text},${rest}`;
    }
    return frames;
  }

  #slowDelta(index: number, text: string, tokens: readonly TokenInfo[]): string {
    if (text === '' && tokens.length === 0) return '';
    const logprobs = this.#logprobs[index];
    const shown = shownTokens(tokens, this.#shape.showsSpecial);
    logprobs?.add(shown);
    const scored = logprobs !== undefined && shown.length > 0 ? logprobs.take() : 'null';
    if (text === '' && scored === 'null' && !this.#shape.returnTokenIds) return '';
    const ids = tokenIdsText(
      this.#shape,
      tokens.map(({ id }) => id),
    );
    const rest = `"logprobs":${scored},"finish_reason":null${ids}}]${this.#usage}}\n\n`;
    return `${this.#open[index] ?? ''}${JSON.stringify(text)},${rest}`;
  }
}

interface Choice {
  text: string;
  readonly ids: number[];
  logprobs: CompletionLogprobs | undefined;
  promptIds: readonly number[];
  reason: FinishReason;
}

/** Gathers the completions of one or several prompts. */
export class CompletionReply implements ReplyEncoder {
  readonly #shape: ReplyShape;
  readonly #choices: readonly Choice[];

  constructor(shape: ReplyShape, prompts: number) {
    this.#shape = shape;
    this.#choices = Array.from({ length: prompts * shape.n }, () => ({
      text: '',
      ids: [],
      logprobs: undefined,
      promptIds: [],
      reason: 'cancelled',
    }));
  }

  take(event: GenerateEvent, prompt: number): void {
    const { n, echo, hasLogprobs } = this.#shape;
    const base = prompt * n;
    if (event.kind === 'started') {
      for (const choice of this.#choices.slice(base, base + n)) {
        if (echo) choice.text = event.promptText ?? '';
        if (hasLogprobs) choice.logprobs = startLogprobs(event, echo);
        choice.promptIds = event.prompt?.map(({ id }) => id) ?? [];
      }
    }
    if (event.kind !== 'delta' && event.kind !== 'choice') return;
    const choice = this.#choices[base + event.choice];
    if (choice === undefined) return;
    if (event.kind === 'choice') {
      choice.reason = event.reason;
      return;
    }
    choice.text += event.text;
    for (const { id } of event.tokens ?? []) choice.ids.push(id);
    choice.logprobs?.add(shownTokens(event.tokens ?? [], this.#shape.showsSpecial));
  }

  body(usage: Usage): string {
    const choices = this.#choices.map((choice, index) => {
      const { text, ids, logprobs, promptIds, reason } = choice;
      const scored = logprobs === undefined ? 'null' : logprobs.take();
      const own = tokenIdsText(this.#shape, ids);
      const prompt = this.#shape.returnTokenIds ? `,"prompt_token_ids":${JSON.stringify(promptIds)}` : '';
      const why = wireReason(reason, false);
      return `{"index":${index},"text":${JSON.stringify(text)},"logprobs":${scored},"finish_reason":"${why}"${own}${prompt}}`;
    });
    return `{${envelope(this.#shape, 'text_completion')},"choices":[${choices.join(',')}],"usage":${usageText(usage)}}`;
  }
}

/** With echo the prompt's own tokens come first; without it offsets begin where the prompt ends. */
function startLogprobs({ prompt, promptText }: Started, echo: boolean): CompletionLogprobs {
  const logprobs = new CompletionLogprobs(echo ? 0 : lengthOf(promptText ?? ''));
  if (echo) logprobs.addPrompt(prompt ?? [], promptText ?? '');
  return logprobs;
}
