// Reads the text of a chat reply as it comes: content, reasoning and tool calls, one parser per choice. Server
// process; no promise of its own per event.

import { randomUUID } from 'node:crypto';
import { createReplyParser, type ReplyFormat, type ReplyParser, startsInReasoning } from '../chat/index.js';
import { type ChatInput, type GenerateEvent, KoineError, toFailure } from '../protocol/index.js';

export interface ReplyContext {
  readonly chat: ChatInput;
  readonly format: ReplyFormat;
  /** The rendered prompt: a template may open the reasoning itself. */
  readonly promptText: string;
}

/** The same events with `parts` on deltas, and calls and their finish reason on choices. */
export function readReply(
  events: AsyncIterable<GenerateEvent>,
  context: ReplyContext,
): AsyncIterableIterator<GenerateEvent> {
  const source = events[Symbol.asyncIterator]();
  const parsers = new Map<number, ReplyParser>();
  const ready: GenerateEvent[] = [];
  const parserOf = (choice: number): ReplyParser => {
    const known = parsers.get(choice);
    if (known !== undefined) return known;
    const parser = newParser(context);
    parsers.set(choice, parser);
    return parser;
  };
  const next = async (): Promise<IteratorResult<GenerateEvent>> => {
    for (;;) {
      const waiting = ready.shift();
      if (waiting !== undefined) return { value: waiting, done: false };
      const result = await source.next();
      if (result.done === true) return result;
      read(result.value, parserOf, ready);
    }
  };
  return {
    next,
    return: async () => (await source.return?.()) ?? { value: undefined, done: true },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** One event that tells of a failure, and nothing else. Throws what is a bug: whoever runs the request logs it. */
export async function* failedEvents(error: unknown): AsyncGenerator<GenerateEvent> {
  if (!(error instanceof KoineError)) throw error;
  yield { kind: 'failed', failure: toFailure(error) };
}

function newParser({ chat, format, promptText }: ReplyContext): ReplyParser {
  const isInside = format.reasoning === 'think' && startsInReasoning(promptText);
  return createReplyParser(format.tools, {
    tools: chat.toolChoice.kind === 'none' ? [] : chat.tools,
    reasoning: isInside ? 'inside' : format.reasoning,
    isCallEnforced: chat.toolChoice.kind === 'required' || chat.toolChoice.kind === 'named',
    parallel: chat.parallelToolCalls,
    idFor: () => `call_${randomUUID().replaceAll('-', '').slice(0, 24)}`,
  });
}

/** Puts what becomes of an event into `out`. */
function read(event: GenerateEvent, parserOf: (choice: number) => ReplyParser, out: GenerateEvent[]): void {
  if (event.kind === 'delta') {
    const parts = parserOf(event.choice).push(event.text);
    // Text that is held back (it may begin a marker) makes an event without parts, which says nothing.
    if (parts.length > 0 || event.tokens !== undefined) out.push({ ...event, parts });
    return;
  }
  if (event.kind !== 'choice') {
    out.push(event);
    return;
  }
  const { parts, toolCalls } = parserOf(event.choice).finish();
  if (parts.length > 0) out.push({ kind: 'delta', choice: event.choice, text: '', parts });
  const isCall = toolCalls.length > 0;
  const endsWithCall = isCall && event.reason !== 'length';
  out.push({ ...event, ...(isCall ? { toolCalls } : {}), ...(endsWithCall ? { reason: 'tool_calls' } : {}) });
}
