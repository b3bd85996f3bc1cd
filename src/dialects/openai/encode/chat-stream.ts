// Events of a chat to chat.completion.chunk frames.

import type { GenerateEvent, ReplyPart, Usage } from '../../../protocol/index.js';
import type { ReplyShape } from '../decode.js';
import { DONE, envelope, type StreamEncoder, tokenIdsText, usageText, wireReason } from '../encode.js';
import { chatLogprobs, shownTokens } from './logprobs.js';

type Delta = Extract<GenerateEvent, { kind: 'delta' }>;

/** Encodes one chat's stream. */
export class ChatStream implements StreamEncoder {
  readonly #shape: ReplyShape;
  /** Per choice: a frame up to the value of `delta`. */
  readonly #open: readonly string[];
  /** Per choice: a frame up to the text of `delta.content`. */
  readonly #content: readonly string[];
  /** A frame from after `delta` when there are no log-probabilities. */
  readonly #close: string;
  /** The same, from after the text of `delta.content`. */
  readonly #contentClose: string;
  readonly #usage: string;
  readonly #head: string;
  readonly #isPlain: boolean;

  constructor(shape: ReplyShape) {
    this.#shape = shape;
    this.#head = `data: {${envelope(shape, 'chat.completion.chunk')}`;
    this.#usage = shape.includeUsage ? ',"usage":null' : '';
    this.#open = Array.from({ length: shape.n }, (_, i) => `${this.#head},"choices":[{"index":${i},"delta":`);
    this.#content = this.#open.map((open) => `${open}{"content":`);
    this.#close = `,"logprobs":null,"finish_reason":null}]${this.#usage}}\n\n`;
    this.#contentClose = `}${this.#close}`;
    this.#isPlain = !shape.hasLogprobs && !shape.returnTokenIds;
  }

  frames(event: GenerateEvent): string {
    switch (event.kind) {
      case 'delta':
        return this.#delta(event);
      case 'started':
        return this.#start(event);
      case 'choice': {
        const reason = wireReason(event.reason, this.#shape.isLegacyCall);
        return `${this.#open[event.choice] ?? ''}{},"logprobs":null,"finish_reason":"${reason}"}]${this.#usage}}\n\n`;
      }
      default:
        return '';
    }
  }

  end(usage: Usage): string {
    if (!this.#shape.includeUsage) return DONE;
    return `${this.#head},"choices":[],"usage":${usageText(usage)}}\n\n${DONE}`;
  }

  /** The role of every choice, before any text. */
  #start(event: Extract<GenerateEvent, { kind: 'started' }>): string {
    const ids = event.prompt?.map(({ id }) => id) ?? [];
    const promptIds = this.#shape.returnTokenIds ? `,"prompt_token_ids":${JSON.stringify(ids)}` : '';
    const close = `,"logprobs":null,"finish_reason":null}]${promptIds}${this.#usage}}\n\n`;
    return this.#open
      .map((open) => `${open}{"role":"assistant","content":"","refusal":null}${close}`)
      .join('');
  }

  #delta(event: Delta): string {
    const { parts, choice, text } = event;
    if (this.#isPlain) {
      const part = parts?.[0];
      if (parts === undefined || (parts.length === 1 && part?.kind === 'content')) {
        const shown = part?.kind === 'content' ? part.text : text;
        if (shown === '') return '';
        return (this.#content[choice] ?? '') + JSON.stringify(shown) + this.#contentClose;
      }
    }
    return this.#slowDelta(event);
  }

  /** Several parts, calls, reasoning, log-probabilities or token ids. */
  #slowDelta({ parts, choice, text, tokens = [] }: Delta): string {
    const { hasLogprobs, returnTokenIds, isLegacyCall, showsSpecial } = this.#shape;
    const open = this.#open[choice] ?? '';
    const said: readonly ReplyPart[] = parts ?? (text === '' ? [] : [{ kind: 'content', text }]);
    const deltas = said.map((part) => deltaText(part, isLegacyCall));
    const scored = hasLogprobs ? shownTokens(tokens, showsSpecial) : [];
    // A token whose text is still held back carries its log-probability, or its id, on a chunk without text.
    const isNews = scored.length > 0 || (returnTokenIds && tokens.length > 0);
    if (deltas.length === 0 && isNews) deltas.push('{"content":""}');
    const [first, ...rest] = deltas;
    if (first === undefined) return '';
    const logprobs = scored.length > 0 ? chatLogprobs(scored) : 'null';
    const ids = tokenIdsText(
      this.#shape,
      tokens.map(({ id }) => id),
    );
    const close = `,"logprobs":${logprobs},"finish_reason":null${ids}}]${this.#usage}}\n\n`;
    return `${open}${first}${close}${rest.map((delta) => `${open}${delta}${this.#close}`).join('')}`;
  }
}

function deltaText(part: ReplyPart, isLegacyCall: boolean): string {
  switch (part.kind) {
    case 'content':
      return `{"content":${JSON.stringify(part.text)}}`;
    case 'reasoning':
      return `{"reasoning_content":${JSON.stringify(part.text)}}`;
    case 'tool-call': {
      const call = `{"name":${JSON.stringify(part.name)},"arguments":""}`;
      if (isLegacyCall) return `{"function_call":${call}}`;
      const id = JSON.stringify(part.id);
      return `{"tool_calls":[{"index":${part.index},"id":${id},"type":"function","function":${call}}]}`;
    }
    case 'tool-arguments': {
      const call = `{"arguments":${JSON.stringify(part.text)}}`;
      return isLegacyCall
        ? `{"function_call":${call}}`
        : `{"tool_calls":[{"index":${part.index},"function":${call}}]}`;
    }
  }
}
