import { describe, expect, it } from 'vitest';
import { detectReplyFormat, promptNeedsBos, startsInReasoning } from './format.js';
import { requireTextOnly } from './media.js';
import { replyLead } from './syntax.js';

describe('reply format detection', () => {
  it.each([
    ['{% if tools %}<tool_call>{"name"</tool_call>{% endif %}', 'hermes', 'none'],
    ['<think> <tool_call>', 'hermes', 'think'],
    ['<tool_call><function=x><parameter=y>', 'qwen3-coder', 'none'],
    ['<|start_header_id|> {"name": x, "parameters": y}', 'llama3', 'none'],
    ['<|python_tag|>', 'llama3', 'none'],
    ['[TOOL_CALLS][', 'mistral', 'none'],
    ['[TOOL_CALLS]x[ARGS]', 'mistral-args', 'none'],
    ['<|action_start|><|plugin|>', 'internlm', 'none'],
    ['<｜tool▁calls▁begin｜>```json', 'deepseek', 'none'],
    ['</think><｜tool▁calls▁begin｜>', 'deepseek-v3.1', 'think'],
    ['<function=', 'functionary', 'none'],
    ["{{ '>>>all\\n' + message.content }}", 'functionary-v3.2', 'none'],
    ["<|start_header_id|>{{ '>>>' + tool_call.function.name }}", 'functionary-v3.2', 'none'],
    ['<think> <tool_call>{f}\n<arg_key>{k}</arg_key>\n<arg_value>', 'glm', 'think'],
    ['{% set dsml = "｜DSML｜" %}<think>', 'deepseek-v3.2', 'think'],
    ['<|start|>assistant<|channel|>final<|message|>', 'harmony', 'none'],
    ['{{ tools | tojson }}', 'json', 'none'],
    ['{{ messages[0].content }}', 'hermes', 'none'],
  ])('reads %s as %s', (template, tools, reasoning) => {
    expect(detectReplyFormat(template)).toEqual({ tools, reasoning });
  });

  it('reads nothing without a template', () => {
    expect(detectReplyFormat(undefined)).toEqual({ tools: 'none', reasoning: 'none' });
  });
});

describe('what stands in front of an answer', () => {
  const think = { tools: 'hermes', reasoning: 'think' } as const;

  it('is reasoning where the prompt has opened it or the model opens it', () => {
    expect(replyLead(think, '<think>\n', false)?.reasoning?.begin).toBe('');
    expect(replyLead(think, 'assistant:', true)?.reasoning?.begin).toBe('<think>');
    expect(replyLead(think, 'assistant:', false)).toBeUndefined();
    expect(replyLead(think, '<think>\n\n</think>\n\n', true)).toBeUndefined();
    expect(replyLead({ tools: 'hermes', reasoning: 'none' }, '<think>', true)).toBeUndefined();
  });

  it('is a header in formats that have one', () => {
    const headed = { tools: 'functionary-v3.2', reasoning: 'none' } as const;
    expect(replyLead(headed, 'x>>>', false)).toEqual({ answer: 'all\n', calls: '' });
    expect(replyLead(headed, 'x', false)).toEqual({ answer: '>>>all\n', calls: '>>>' });
    const harmony = replyLead({ tools: 'harmony', reasoning: 'none' }, '<|start|>assistant', false);
    expect(harmony).toMatchObject({ answer: '<|channel|>final<|message|>', calls: '' });
  });
});

describe('prompt facts', () => {
  it('sees a prompt that ends inside reasoning', () => {
    expect(startsInReasoning('<|assistant|><think>\n')).toBe(true);
    expect(startsInReasoning('<think>\n\n</think>\n')).toBe(false);
  });

  it('adds BOS only where the template did not', () => {
    expect(promptNeedsBos('<s>[INST]', '<s>')).toBe(false);
    expect(promptNeedsBos('[INST]', '<s>')).toBe(true);
    expect(promptNeedsBos('[INST]', '')).toBe(true);
  });

  it('names the part a text model cannot take', () => {
    const image = { kind: 'image', source: { kind: 'url', url: 'http://x/y.png' } } as const;
    const chat = {
      kind: 'chat',
      messages: [
        { role: 'user', content: [{ kind: 'text', text: 'a' }] },
        { role: 'user', content: [image] },
      ],
      tools: [],
      toolChoice: { kind: 'auto' },
      parallelToolCalls: true,
      continueFinal: false,
      variables: {},
      parseReply: true,
    } as const;
    expect(() => requireTextOnly(chat)).toThrow(/messages\[1\] contains an image/);
    expect(() => requireTextOnly({ ...chat, messages: chat.messages.slice(0, 1) })).not.toThrow();
  });
});
