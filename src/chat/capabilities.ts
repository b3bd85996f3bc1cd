// What a chat template can say, found out by rendering small probes: templates do not declare it, and reading
// their source would guess. A probe counts only when its text comes out.

import type { MessageShape, TemplateMessage } from './messages.js';
import { shortId } from './messages.js';

/** Renders template variables; throws what the template throws. */
export type RenderVariables = (variables: Record<string, unknown>) => string;

/** What a template knows, and the shape it wants it in. */
export interface Capabilities extends MessageShape {
  readonly system: boolean;
  /** Shows the list of tools. */
  readonly tools: boolean;
  /** Shows calls in assistant messages and results in tool messages. */
  readonly toolMessages: boolean;
  /** The model reasons unless `enable_thinking` is false: the template then closes the reasoning for it. */
  readonly reasonsByDefault: boolean;
}

const USER = { role: 'user', content: 'probe-user' };
const PROBE_TOOL = {
  type: 'function',
  function: {
    name: 'probe_tool',
    description: 'probe',
    parameters: { type: 'object', properties: { probe_key: { type: 'string', description: 'probe' } } },
  },
};
/** The probe call's arguments as JSON or as elements, not as JSON inside a string or as some language's own notation. */
const ARGUMENTS = /probe_key[^\\'{}]{1,40}?probe-value/;

function says(render: RenderVariables, variables: Record<string, unknown>, wanted: string | RegExp): boolean {
  try {
    const text = render(variables);
    return typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text);
  } catch {
    return false;
  }
}

function toolTurn(asText: boolean, id: string): readonly TemplateMessage[] {
  const value = { probe_key: 'probe-value' };
  const call = { name: 'probe_tool', arguments: asText ? JSON.stringify(value) : value };
  return [
    USER,
    { role: 'assistant', content: '', tool_calls: [{ id, type: 'function', function: call }] },
    { role: 'tool', content: 'probe-result', name: 'probe_tool', tool_call_id: id },
  ];
}

/** Finds out what a template can say. Renders about ten short prompts. */
export function probeCapabilities(render: RenderVariables): Capabilities {
  const plain = says(render, { messages: [USER] }, USER.content);
  const asList = { role: 'user', content: [{ type: 'text', text: USER.content }] };
  const contentAsList = !plain && says(render, { messages: [asList] }, USER.content);
  const wrap = (message: TemplateMessage): TemplateMessage =>
    contentAsList ? { ...message, content: [{ type: 'text', text: message['content'] }] } : message;

  const system = { role: 'system', content: 'probe-system' };
  const ids = ['call_probe', shortId('call_probe')];
  const turns = ids.flatMap((id, index) =>
    [false, true].map((asText) => ({ asText, short: index === 1, messages: toolTurn(asText, id).map(wrap) })),
  );
  const turn = turns.find(
    ({ messages }) =>
      says(render, { messages, tools: [PROBE_TOOL] }, ARGUMENTS) &&
      says(render, { messages, tools: [PROBE_TOOL] }, 'probe-result'),
  );
  const question = { messages: [USER].map(wrap) };
  const isClosed = (variables: Record<string, unknown>): boolean =>
    says(render, { ...question, ...variables }, /<\/think>\s*$/);
  const thought = (turn?.messages ?? []).map((message) =>
    message['role'] === 'assistant' ? { ...message, thinking: 'probe-thought' } : message,
  );
  return {
    contentAsList,
    readsThinking: says(render, { messages: thought, tools: [PROBE_TOOL] }, 'probe-thought'),
    system: says(render, { messages: [system, USER].map(wrap) }, 'probe-system'),
    tools: says(render, { messages: [USER].map(wrap), tools: [PROBE_TOOL] }, 'probe_tool'),
    toolMessages: turn !== undefined,
    reasonsByDefault: !isClosed({}) && isClosed({ enable_thinking: false }),
    argumentsAsText: turn?.asText ?? false,
    shortIds: turn?.short ?? false,
  };
}
