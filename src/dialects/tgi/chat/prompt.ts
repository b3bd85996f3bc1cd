// A conversation to prompt text by the engine's template, with what goes wrong in TGI's words.

import {
  type ChatInput,
  type ChatMessage,
  KoineError,
  type ToolDefinition,
} from '../../../protocol/index.js';
import { templateError } from '../errors.js';
import type { Target } from '../service.js';

/** A rendered conversation. */
export interface ChatPrompt {
  /** The prompt; the bare texts where only the engine itself can render. */
  readonly text: string;
  /** What the engine is given when it renders by itself. */
  readonly input: ChatInput | undefined;
}

/** Renders. Throws `TgiError` for what the template refuses. */
export async function renderPrompt(
  { engine, model }: Target,
  messages: readonly ChatMessage[],
  tools: readonly ToolDefinition[],
): Promise<ChatPrompt> {
  const chat: ChatInput = {
    kind: 'chat',
    messages,
    tools,
    toolChoice: { kind: 'auto' },
    parallelToolCalls: false,
    continueFinal: messages.at(-1)?.role === 'assistant',
    variables: {},
    parseReply: false,
  };
  try {
    return { text: await engine.renderChat(chat), input: undefined };
  } catch (error) {
    if (!(error instanceof KoineError)) throw error;
    if (error.code === 'unsupported') return { text: textsOf(messages), input: chat };
    if (error.code !== 'template') throw error;
    throw templateError(explain(error.message, model.chatTemplate));
  }
}

/** Whether the model's template shows tools by itself. */
export function showsTools({ model }: Target): boolean {
  return model.chatTemplate !== undefined && /\btools\b/.test(model.chatTemplate);
}

/** The reason as TGI's template engine words it, with the line where the template raises it. */
function explain(message: string, template: string | undefined): string {
  if (template === undefined) return 'template not found';
  const reason = message.slice(message.indexOf(': ') + 1).trim();
  const line = template.split('\n').findIndex((text) => reason !== '' && text.includes(reason)) + 1;
  return line === 0 ? `syntax error: ${reason}` : `syntax error: ${reason} (in <string>:${line})`;
}

function textsOf(messages: readonly ChatMessage[]): string {
  return messages
    .flatMap(({ content }) => content.map((part) => (part.kind === 'text' ? part.text : '')))
    .join('\n');
}
