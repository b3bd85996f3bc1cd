// Events of a chat to one chat.completion body.

import {
  type FinishReason,
  type GenerateEvent,
  KoineError,
  type ReplyPart,
  type TokenInfo,
  type Usage,
} from '../../../protocol/index.js';
import type { ReplyShape } from '../decode.js';
import { membersText, type ReplyEncoder, usageText, wireReason } from '../encode.js';
import { type Call, callId, messageOf } from './calls.js';
import { chatLogprobs, shownTokens } from './pieces.js';

interface Choice {
  content: string;
  reasoning: string;
  readonly calls: Call[];
  readonly tokens: TokenInfo[];
  reason: FinishReason;
}

/** Gathers one chat. */
export class ChatReply implements ReplyEncoder {
  readonly #shape: ReplyShape;
  readonly #choices: readonly Choice[];

  constructor(shape: ReplyShape) {
    this.#shape = shape;
    this.#choices = Array.from({ length: shape.n }, () => ({
      content: '',
      reasoning: '',
      calls: [],
      tokens: [],
      reason: 'cancelled',
    }));
  }

  take(event: GenerateEvent): void {
    if (event.kind === 'delta') {
      const choice = this.#choice(event.choice);
      if (event.tokens !== undefined) choice.tokens.push(...event.tokens);
      for (const part of event.parts ?? [{ kind: 'content' as const, text: event.text }])
        this.#add(choice, part);
    } else if (event.kind === 'choice') {
      const choice = this.#choice(event.choice);
      choice.reason = event.reason;
      // An engine that reports whole calls at the end need not have sent them in parts.
      if (choice.calls.length === 0) {
        for (const call of event.toolCalls ?? []) this.#begin(choice, call.name, call.arguments);
      }
    }
  }

  body(usage: Usage): string {
    const { id, created, model, hasLogprobs } = this.#shape;
    const head = membersText({ id, object: 'chat.completion', created, model });
    const choices = this.#choices.map((choice, index) => {
      const logprobs = hasLogprobs ? chatLogprobs(shownTokens(choice.tokens)) : 'null';
      const message = JSON.stringify(messageOf(choice.content, choice.reasoning, choice.calls));
      const reason = wireReason(choice.reason);
      return `{"index":${index},"message":${message},"logprobs":${logprobs},"finish_reason":"${reason}"}`;
    });
    return `{${head},"choices":[${choices.join(',')}],"usage":${usageText(usage)}}`;
  }

  #choice(index: number): Choice {
    const choice = this.#choices[index];
    if (choice === undefined) throw new KoineError('internal', `choice ${index} was not asked for`);
    return choice;
  }

  #add(choice: Choice, part: ReplyPart): void {
    switch (part.kind) {
      case 'content':
        choice.content += part.text;
        return;
      case 'reasoning':
        choice.reasoning += part.text;
        return;
      case 'tool-call':
        this.#begin(choice, part.name, '');
        return;
      case 'tool-arguments': {
        const call = choice.calls[part.index];
        if (call !== undefined) call.arguments += part.text;
        return;
      }
    }
  }

  #begin(choice: Choice, name: string, text: string): void {
    const id = callId(choice.calls.length, name, this.#shape.callId);
    choice.calls.push({ id, name, arguments: text });
  }
}
