// Events of a chat to chat.completion.chunk frames.

import type { GenerateEvent, ReplyPart, TokenInfo, Usage } from '../../../protocol/index.js';
import type { ReplyShape } from '../decode.js';
import { DONE, membersText, type StreamEncoder, usageText, wireReason } from '../encode.js';
import { callId } from './calls.js';
import { chatLogprobs, shownTokens } from './pieces.js';

type Delta = Extract<GenerateEvent, { kind: 'delta' }>;

/** A delta of a call in which nothing is said. */
const SILENT = '"content":null,"function_call":null,"tool_calls":null}';
const ROLE = '{"role":"assistant"}';
const CALL_ROLE = `{"role":"assistant",${SILENT}`;
const CALL_END = `{"role":null,${SILENT}`;

/** Encodes one chat's stream. */
export class ChatStream implements StreamEncoder {
  readonly #shape: ReplyShape;
  readonly #head: string;
  /** Per choice: a frame up to the value of `delta`. */
  readonly #open: readonly string[];
  /** Per choice: a frame up to the text of `delta.content`. */
  readonly #content: readonly string[];
  /** A frame from after `delta` when there are no log-probabilities. */
  readonly #close: string;
  /** The same, from after the text of `delta.content`. */
  readonly #contentClose: string;
  readonly #usage: string;
  /** Per choice: tokens whose text is still to come. */
  readonly #held: TokenInfo[][];

  constructor(shape: ReplyShape) {
    this.#shape = shape;
    const { id, model, created, n, includeUsage } = shape;
    this.#head = `data: {${membersText({ id, model, created, object: 'chat.completion.chunk' })},"choices":[`;
    this.#usage = includeUsage ? ',"usage":null' : '';
    this.#open = Array.from({ length: n }, (_, index) => `${this.#head}{"index":${index},"delta":`);
    this.#content = this.#open.map((open) => `${open}{"content":`);
    this.#close = this.#tail('null', 'null');
    this.#contentClose = `}${this.#close}`;
    this.#held = this.#open.map(() => []);
  }

  frames(event: GenerateEvent): string {
    switch (event.kind) {
      case 'delta':
        return this.#delta(event);
      case 'started': {
        const role = this.#shape.isForcedCall ? CALL_ROLE : ROLE;
        return this.#open.map((open) => `${open}${role}${this.#close}`).join('');
      }
      case 'choice': {
        const open = this.#open[event.choice] ?? '';
        const delta = event.reason === 'tool_calls' ? CALL_END : '{}';
        const rest = this.#take(event.choice);
        const scored = rest === 'null' ? '' : `${open}{"content":""}${this.#tail(rest, 'null')}`;
        return `${scored}${open}${delta}${this.#tail('null', `"${wireReason(event.reason)}"`)}`;
      }
      default:
        return '';
    }
  }

  end(usage: Usage): string {
    if (!this.#shape.includeUsage) return DONE;
    return `${this.#head}],"usage":${usageText(usage)}}\n\n${DONE}`;
  }

  #delta(event: Delta): string {
    const { parts, choice, text } = event;
    const part = parts?.[0];
    if (
      !this.#shape.hasLogprobs &&
      (parts === undefined || (parts.length === 1 && part?.kind === 'content'))
    ) {
      const shown = part?.kind === 'content' ? part.text : text;
      return shown === '' ? '' : this.#content[choice] + JSON.stringify(shown) + this.#contentClose;
    }
    return this.#slowDelta(event);
  }

  /** Several parts, calls, reasoning or log-probabilities; the latter go with the first text that follows them. */
  #slowDelta({ parts, choice, text, tokens = [] }: Delta): string {
    if (this.#shape.hasLogprobs) this.#held[choice]?.push(...shownTokens(tokens));
    const said: readonly ReplyPart[] = parts ?? (text === '' ? [] : [{ kind: 'content', text }]);
    const open = this.#open[choice] ?? '';
    let frames = '';
    for (const part of said) {
      const close = frames === '' ? this.#tail(this.#take(choice), 'null') : this.#close;
      frames += `${open}${this.#deltaText(part)}${close}`;
    }
    return frames;
  }

  #deltaText(part: ReplyPart): string {
    switch (part.kind) {
      case 'content':
        return `{"content":${JSON.stringify(part.text)}}`;
      case 'reasoning':
        return `{"reasoning_content":${JSON.stringify(part.text)}}`;
      case 'tool-call': {
        const id = JSON.stringify(callId(part.index, part.name, this.#shape.callId));
        const call = `{"name":${JSON.stringify(part.name)},"arguments":""}`;
        return this.#callDelta(part.index, `"id":${id},"type":"function",`, call);
      }
      case 'tool-arguments':
        return this.#callDelta(part.index, '', `{"arguments":${JSON.stringify(part.text)}}`);
    }
  }

  /**
   * The older form is mirrored for clients that asked in it. Others would take it for the whole answer: the official
   * clients drop `tool_calls` from a stream that has both.
   */
  #callDelta(index: number, identity: string, call: string): string {
    const mirror = this.#shape.isLegacyCall && index === 0 ? `"function_call":${call},` : '';
    return `{"role":null,"content":null,${mirror}"tool_calls":[{"index":${index},${identity}"function":${call}}]}`;
  }

  /** Log-probabilities of the held tokens as JSON text. */
  #take(choice: number): string {
    const held = this.#held[choice] ?? [];
    return held.length === 0 ? 'null' : chatLogprobs(held.splice(0));
  }

  #tail(logprobs: string, reason: string): string {
    return `,"logprobs":${logprobs},"finish_reason":${reason}}]${this.#usage}}\n\n`;
  }
}
