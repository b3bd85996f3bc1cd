// What is said to a template that cannot say it itself: tools as an instruction in Hermes' call format, calls
// and results as plain text, a system message inside the first user message. The texts are this project's own.

import type { ChatMessage, ContentPart, ToolDefinition } from '../protocol/index.js';
import { textOf } from './media.js';
import { toTemplateTools } from './messages.js';

const text = (value: string): readonly ContentPart[] => [{ kind: 'text', text: value }];

/** The system instruction that introduces tools to a model whose template knows none. */
export function toolInstruction(tools: readonly ToolDefinition[]): string {
  const lines = toTemplateTools(tools).map((tool) => JSON.stringify(tool['function']));
  return [
    'You can call the functions listed here, one JSON description per line:',
    '<tools>',
    ...lines,
    '</tools>',
    'To call a function, write nothing but this, once per call, with the arguments as a JSON object:',
    '<tool_call>',
    '{"name": "the function\'s name", "arguments": {}}',
    '</tool_call>',
    'Results come back inside <tool_response></tool_response>. Answer in plain text when no call is needed.',
  ].join('\n');
}

/** Puts the instruction at the end of the system message, making one where there is none. */
export function withInstruction(
  messages: readonly ChatMessage[],
  instruction: string,
): readonly ChatMessage[] {
  const [first, ...rest] = messages;
  if (first?.role !== 'system') return [{ role: 'system', content: text(instruction) }, ...messages];
  return [{ ...first, content: [...first.content, { kind: 'text', text: `\n\n${instruction}` }] }, ...rest];
}

/** Calls and results as text, for templates that drop or refuse them. */
export function withoutToolMessages(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const out: ChatMessage[] = [];
  for (const message of messages) {
    if (message.role === 'assistant' && message.toolCalls?.length) {
      const calls = message.toolCalls.map(
        (call) =>
          `<tool_call>\n{"name": ${JSON.stringify(call.name)}, "arguments": ${call.arguments.trim() || '{}'}}\n</tool_call>`,
      );
      const said = textOf(message.content);
      const { toolCalls: _written, ...plain } = message;
      out.push({ ...plain, content: text([...(said === '' ? [] : [said]), ...calls].join('\n')) });
    } else if (message.role === 'tool') {
      appendResult(out, `<tool_response>\n${textOf(message.content)}\n</tool_response>`);
    } else {
      out.push(message);
    }
  }
  return out;
}

/** Results of parallel calls share one user message: many templates insist on alternating roles. */
function appendResult(out: ChatMessage[], result: string): void {
  const last = out.at(-1);
  if (last?.role === 'user' && textOf(last.content).startsWith('<tool_response>')) {
    out[out.length - 1] = { role: 'user', content: text(`${textOf(last.content)}\n${result}`) };
  } else {
    out.push({ role: 'user', content: text(result) });
  }
}

/** Moves system messages into the user message that follows, for templates that refuse the role. */
export function withoutSystemRole(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const out: ChatMessage[] = [];
  let waiting: string[] = [];
  for (const message of messages) {
    if (message.role === 'system') {
      waiting.push(textOf(message.content));
    } else if (message.role === 'user' && waiting.length > 0) {
      const lead: ContentPart = { kind: 'text', text: `${waiting.join('\n\n')}\n\n` };
      out.push({ ...message, content: [lead, ...message.content] });
      waiting = [];
    } else {
      out.push(message);
    }
  }
  if (waiting.length > 0) out.push({ role: 'user', content: text(waiting.join('\n\n')) });
  return out;
}
