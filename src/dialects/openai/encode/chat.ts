// Events of a chat to one chat.completion body.

import {
  type FinishReason,
  type GenerateEvent,
  KoineError,
  type TokenInfo,
  type Usage,
} from '../../../protocol/index.js';
import type { ReplyShape } from '../decode.js';
import { envelope, type ReplyEncoder, tokenIdsText, usageText, wireReason } from '../encode.js';
import { chatLogprobs, shownTokens } from './logprobs.js';

interface Call {
  readonly id: string;
  readonly name: string;
  arguments: string;
}

interface Choice {
  content: string;
  reasoning: string;
  readonly calls: Call[];
  readonly tokens: TokenInfo[];
  reason: FinishReason | undefined;
}

/** Gathers one chat. */
export class ChatReply implements ReplyEncoder {
  readonly #shape: ReplyShape;
  readonly #choices: readonly Choice[];
  #promptIds: readonly number[] = [];

  constructor(shape: ReplyShape) {
    this.#shape = shape;
    this.#choices = Array.from({ length: shape.n }, () => ({
      content: '',
      reasoning: '',
      calls: [],
      tokens: [],
      reason: undefined,
    }));
  }

  take(event: GenerateEvent): void {
    if (event.kind === 'started') this.#promptIds = event.prompt?.map(({ id }) => id) ?? [];
    if (event.kind === 'choice') {
      const choice = this.#choice(event.choice);
      choice.reason = event.reason;
      // An engine that reports whole calls at the end need not have sent them in parts.
      if (choice.calls.length === 0)
        choice.calls.push(...(event.toolCalls ?? []).map((call) => ({ ...call })));
    }
    if (event.kind === 'delta') this.#add(this.#choice(event.choice), event);
  }

  body(usage: Usage): string {
    const choices = this.#choices.map((choice, index) => this.#choiceText(choice, index)).join(',');
    const ids = this.#shape.returnTokenIds ? `,"prompt_token_ids":${JSON.stringify(this.#promptIds)}` : '';
    return `{${envelope(this.#shape, 'chat.completion')},"choices":[${choices}],"usage":${usageText(usage)}${ids}}`;
  }

  #choice(index: number): Choice {
    const choice = this.#choices[index];
    if (choice === undefined) throw new KoineError('internal', `choice ${index} was not asked for`);
    return choice;
  }

  #add(choice: Choice, { text, parts, tokens }: Extract<GenerateEvent, { kind: 'delta' }>): void {
    if (tokens !== undefined) choice.tokens.push(...tokens);
    for (const part of parts ?? [{ kind: 'content' as const, text }]) {
      switch (part.kind) {
        case 'content':
          choice.content += part.text;
          break;
        case 'reasoning':
          choice.reasoning += part.text;
          break;
        case 'tool-call':
          choice.calls[part.index] = { id: part.id, name: part.name, arguments: '' };
          break;
        case 'tool-arguments': {
          const call = choice.calls[part.index];
          if (call !== undefined) call.arguments += part.text;
          break;
        }
      }
    }
  }

  #choiceText(choice: Choice, index: number): string {
    const { isLegacyCall, hasLogprobs, showsSpecial } = this.#shape;
    const logprobs = hasLogprobs ? chatLogprobs(shownTokens(choice.tokens, showsSpecial)) : 'null';
    const reason = wireReason(choice.reason ?? 'cancelled', isLegacyCall);
    const ids = tokenIdsText(
      this.#shape,
      choice.tokens.map(({ id }) => id),
    );
    const message = JSON.stringify(messageOf(choice, isLegacyCall));
    return `{"index":${index},"message":${message},"logprobs":${logprobs},"finish_reason":"${reason}"${ids}}`;
  }
}

/** `content` is null when there are calls and nothing was said beside them. */
function messageOf({ content, reasoning, calls }: Choice, isLegacyCall: boolean) {
  const [first] = calls;
  return {
    role: 'assistant',
    content: content === '' && first !== undefined ? null : content,
    refusal: null,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(first !== undefined &&
      isLegacyCall && { function_call: { name: first.name, arguments: first.arguments } }),
    ...(first !== undefined && !isLegacyCall && { tool_calls: calls.map(callOf) }),
  };
}

function callOf({ id, name, arguments: text }: Call) {
  return { id, type: 'function', function: { name, arguments: text } };
}
