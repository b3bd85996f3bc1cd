// A conversation to prompt text by the model's own Jinja template, with a fallback for what the template cannot
// say. Tokens are not this file's business; see `promptNeedsBos` for the one thing the tokenizer must know.

import { Template } from '@huggingface/jinja';
import { type ChatInput, type ChatMessage, KoineError, type ToolDefinition } from '../protocol/index.js';
import { type Capabilities, probeCapabilities, type RenderVariables } from './capabilities.js';
import { toolInstruction, withInstruction, withoutSystemRole, withoutToolMessages } from './fallback.js';
import { textOf } from './media.js';
import { toTemplateMessages, toTemplateTools } from './messages.js';

export interface ChatRendererOptions {
  /** Jinja source; undefined when the model has none. */
  readonly template: string | undefined;
  readonly bosText: string;
  readonly eosText: string;
  /** Where the template comes from, for messages: a file name or `the model`. */
  readonly source: string;
}

/** Renders conversations of one model. */
export interface ChatRenderer {
  /** Whether the template itself shows tools; otherwise an instruction in the system message does. */
  readonly supportsTools: boolean;
  /** Whether the model is expected to open its reasoning by itself in this conversation. */
  mayReason(chat: ChatInput): boolean;
  /** The prompt. Throws `template` (the template's own refusal, or a fault in it) and `invalid_request`. */
  render(chat: ChatInput): string;
}

const NO_TEMPLATE = 'the model has no chat template: start with --chat-template FILE or use /v1/completions';
const MAX_MESSAGE = 300;

/** Names a client's template variables must not take over. */
const RESERVED = new Set(['messages', 'tools', 'bos_token', 'eos_token', 'raise_exception', 'strftime_now']);

function oneLine(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return text.replace(/\s+/g, ' ').trim().slice(0, MAX_MESSAGE);
}

/** The tools a model is shown, by the request's choice. */
function shownTools(chat: ChatInput): readonly ToolDefinition[] {
  const choice = chat.toolChoice;
  if (choice.kind === 'none') return [];
  if (choice.kind !== 'named') return chat.tools;
  const named = chat.tools.filter((tool) => tool.name === choice.name);
  if (named.length > 0) return named;
  throw new KoineError('invalid_request', `Tool choice '${choice.name}' not found in tools.`, {
    field: 'toolChoice',
  });
}

function clientVariables(chat: ChatInput): Record<string, unknown> {
  const kept = Object.entries(chat.variables).filter(
    ([name, value]) => !RESERVED.has(name) && value !== undefined,
  );
  return Object.fromEntries(kept);
}

/** Cuts a prompt right behind the last assistant text, whatever the template wrote after it. */
function cutBehind(prompt: string, said: string): string | undefined {
  for (const candidate of [said, said.trim()]) {
    const at = candidate === '' ? -1 : prompt.lastIndexOf(candidate);
    if (at >= 0) return prompt.slice(0, at + candidate.length);
  }
  return undefined;
}

/** What is wrong with the source of a template, in one line; undefined for one that can be used. */
export function templateFault(source: string): string | undefined {
  try {
    new Template(source);
    return undefined;
  } catch (thrown) {
    return oneLine(thrown);
  }
}

function compile(options: ChatRendererOptions): Template | KoineError {
  if (options.template === undefined) return new KoineError('template', NO_TEMPLATE);
  try {
    return new Template(options.template);
  } catch (thrown) {
    const message = `the chat template of ${options.source} is not valid Jinja: ${oneLine(thrown)}`;
    return new KoineError('template', message, {}, thrown);
  }
}

/**
 * Compiles a template once. A missing or broken template does not throw here: a model without one still serves
 * completions, and `render` tells why chats cannot be.
 */
export function createChatRenderer(options: ChatRendererOptions): ChatRenderer {
  const template = compile(options);
  if (template instanceof KoineError) {
    return {
      supportsTools: false,
      mayReason: () => false,
      render: () => {
        throw template;
      },
    };
  }
  const run: RenderVariables = (variables) =>
    template.render({
      add_generation_prompt: true,
      ...variables,
      bos_token: options.bosText,
      eos_token: options.eosText,
    });
  const capabilities = probeCapabilities(run);

  const renderMessages = (
    chat: ChatInput,
    messages: readonly ChatMessage[],
    extra: Record<string, unknown>,
  ): string => {
    const tools = shownTools(chat);
    const told = adapt(messages, tools, capabilities);
    const variables = {
      ...clientVariables(chat),
      ...extra,
      messages: toTemplateMessages(told, capabilities),
      ...(tools.length > 0 && capabilities.tools ? { tools: toTemplateTools(tools) } : {}),
    };
    try {
      return run(variables);
    } catch (thrown) {
      throw new KoineError(
        'template',
        `the chat template refused the conversation: ${oneLine(thrown)}`,
        {},
        thrown,
      );
    }
  };

  return {
    supportsTools: capabilities.tools,
    mayReason: ({ variables: { enable_thinking: isWanted } }) =>
      isWanted === true || (isWanted !== false && capabilities.reasonsByDefault),
    render: (chat) => {
      const last = chat.messages.at(-1);
      if (!chat.continueFinal || last?.role !== 'assistant') return renderMessages(chat, chat.messages, {});
      const said = textOf(last.content);
      const whole = renderMessages(chat, chat.messages, { add_generation_prompt: false });
      const cut = cutBehind(whole, said);
      // A template that rewrote the text beyond recognition: open a reply and put the text there ourselves.
      return cut ?? renderMessages(chat, chat.messages.slice(0, -1), {}) + said;
    },
  };
}

/** Rewrites what the template cannot say. */
function adapt(
  messages: readonly ChatMessage[],
  tools: readonly ToolDefinition[],
  can: Capabilities,
): readonly ChatMessage[] {
  let told = messages;
  if (tools.length > 0 && !can.tools) told = withInstruction(told, toolInstruction(tools));
  if (!can.toolMessages) told = withoutToolMessages(told);
  if (!can.system) told = withoutSystemRole(told);
  return told;
}
