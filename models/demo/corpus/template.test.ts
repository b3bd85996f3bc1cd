// The generator writes chats exactly as the chat template does: what was trained is what is asked.
import { readFileSync } from 'node:fs';
import { Template } from '@huggingface/jinja';
import { describe, expect, it } from 'vitest';
import { renderCall, renderChat, type Tool } from './render.js';

const template = new Template(readFileSync(new URL('../training/template.jinja', import.meta.url), 'utf8'));

function generated(...chat: Parameters<typeof renderChat>): string {
  return renderChat(...chat)
    .map(([text]) => text)
    .join('');
}

const TOOL: Tool = {
  name: 'get_weather',
  description: 'Get the "current" weather',
  parameters: { city: { type: 'string' }, unit: { type: 'string', choices: ['celsius', 'fahrenheit'] } },
};
const WIRE_TOOL = {
  type: 'function',
  function: {
    name: TOOL.name,
    description: TOOL.description,
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, unit: { type: 'string', enum: ['celsius', 'fahrenheit'] } },
    },
  },
};

describe('template.jinja', () => {
  it('renders a chat with a system prompt', () => {
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello!' },
    ];
    const ours = generated(
      [
        { role: 'user', text: 'Hi' },
        { role: 'assistant', text: 'Hello!' },
      ],
      { system: 'Be brief.' },
    );
    expect(template.render({ messages })).toBe(`${ours}\n`);
  });

  it('renders tools, calls, results and the wish to think', () => {
    const call = { function: { name: 'get_weather', arguments: '{"city": "Oslo"}' } };
    const messages = [
      { role: 'user', content: 'Weather in Oslo?' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', content: '5 degrees' },
    ];
    const ours = generated(
      [
        { role: 'user', text: 'Weather in Oslo?' },
        { role: 'assistant', text: renderCall('get_weather', { city: 'Oslo' }) },
        { role: 'tool', text: '5 degrees' },
        { role: 'assistant', text: '' },
      ],
      { tools: [TOOL], thinking: true },
    );
    const rendered = template.render({
      messages,
      tools: [WIRE_TOOL],
      enable_thinking: true,
      add_generation_prompt: true,
    });
    expect(`${rendered}<|im_end|>`).toBe(ours);
  });

  it('thinks only when told to', () => {
    const messages = [{ role: 'user', content: 'Hi' }];
    expect(template.render({ messages })).not.toContain('/think');
    expect(template.render({ messages, enable_thinking: false })).not.toContain('/think');
    expect(template.render({ messages, enable_thinking: true })).toContain('/think');
  });
});
