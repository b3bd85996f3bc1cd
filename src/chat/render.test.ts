import { describe, expect, it } from 'vitest';
import type { ChatInput, ChatMessage, ContentPart, ToolDefinition } from '../protocol/index.js';
import { KoineError } from '../protocol/index.js';
import { createChatRenderer } from './render.js';

const user = (text: string): ChatMessage => ({ role: 'user', content: [{ kind: 'text', text }] });
const system = (text: string): ChatMessage => ({ role: 'system', content: [{ kind: 'text', text }] });
const assistant = (text: string): ChatMessage => ({ role: 'assistant', content: [{ kind: 'text', text }] });

const weather: ToolDefinition = {
  name: 'get_weather',
  description: 'Weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

const called: readonly ChatMessage[] = [
  user('Weather in Paris?'),
  {
    role: 'assistant',
    content: [],
    toolCalls: [{ id: 'call_abcdef', name: 'get_weather', arguments: '{"city": "Paris"}' }],
  },
  { role: 'tool', toolCallId: 'call_abcdef', content: [{ kind: 'text', text: '18 degrees' }] },
];

function chat(messages: readonly ChatMessage[], more: Partial<ChatInput> = {}): ChatInput {
  return {
    kind: 'chat',
    messages,
    tools: [],
    toolChoice: { kind: 'auto' },
    parallelToolCalls: true,
    continueFinal: false,
    variables: {},
    parseReply: true,
    ...more,
  };
}

function render(template: string | undefined, input: ChatInput): string {
  return createChatRenderer({ template, bosText: '<s>', eosText: '</s>', source: 'test' }).render(input);
}

function refusal(work: () => unknown): KoineError {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof KoineError) return thrown;
    throw thrown;
  }
  throw new Error('nothing was thrown');
}

/** Knows nothing but roles and text. */
const BARE = `{%- for m in messages %}[{{ m.role }}]{{ m.content }}
{% endfor %}{% if add_generation_prompt %}[assistant]{% endif %}`;

/** Shows tools and calls; joins arguments as objects. */
const TOOLED = `{%- if tools %}[tools]{% for t in tools %}{{ t | tojson }}{% endfor %}
{% endif %}{%- for m in messages %}[{{ m.role }}{% if m.name %} {{ m.name }}{% endif %}]{{ m.content }}
{%- for c in m.tool_calls or [] %}<tool_call>{{ c.function.name }} {{ c.function.arguments | tojson }}</tool_call>{% endfor %}
{% endfor %}{% if add_generation_prompt %}[assistant]{% if enable_thinking %}<think>{% endif %}{% endif %}`;

describe('chat rendering', () => {
  it('renders roles, text parts joined, and the generation prompt', () => {
    const twoParts: ChatMessage = {
      role: 'user',
      content: [
        { kind: 'text', text: 'a' },
        { kind: 'text', text: 'b' },
      ],
    };
    expect(render(BARE, chat([system('S'), twoParts]))).toBe('[system]S\n[user]ab\n[assistant]');
  });

  it('gives BOS and EOS to the template', () => {
    expect(render('{{ bos_token }}{{ messages[0].content }}{{ eos_token }}', chat([user('x')]))).toBe(
      '<s>x</s>',
    );
  });

  it('passes client variables, but not those the server owns', () => {
    const variables = { enable_thinking: true, bos_token: 'evil', messages: [] };
    expect(render(TOOLED, chat([user('x')], { variables }))).toBe('[user]x[assistant]<think>');
    expect(render(`{{ bos_token }}${BARE}`, chat([user('x')], { variables }))).toBe(
      '<s>[user]x\n[assistant]',
    );
  });

  it('shows tools, calls with object arguments, and results with the name of the call', () => {
    const text = render(TOOLED, chat(called, { tools: [weather] }));
    expect(text).toContain('"name": "get_weather"');
    expect(text).toContain('<tool_call>get_weather {"city": "Paris"}</tool_call>');
    expect(text).toContain('[tool get_weather]18 degrees');
  });

  it('leaves calls to a template that writes parameters as elements', () => {
    const elements = TOOLED.replace(
      '{{ c.function.name }} {{ c.function.arguments | tojson }}',
      '{{ c.function.name }}{% for k, v in c.function.arguments.items() %}<arg_key>{{ k }}</arg_key>\n<arg_value>{{ v }}</arg_value>{% endfor %}',
    );
    const text = render(elements, chat(called, { tools: [weather] }));
    expect(text).toContain(
      '<tool_call>get_weather<arg_key>city</arg_key>\n<arg_value>Paris</arg_value></tool_call>',
    );
    expect(text).toContain('[tool get_weather]18 degrees');
  });

  it('gives arguments as text to a template that joins strings', () => {
    const joins = TOOLED.replace('c.function.arguments | tojson', "' ' + c.function.arguments");
    expect(render(joins, chat(called, { tools: [weather] }))).toContain('get_weather  {"city": "Paris"}<');
  });

  it('shortens call ids for a template that insists on nine characters', () => {
    const strict = TOOLED.replace(
      '{%- for c in m.tool_calls or [] %}',
      "{%- for c in m.tool_calls or [] %}{% if c.id | length != 9 %}{{ raise_exception('bad id') }}{% endif %}{{ c.id }}",
    ).replace('[{{ m.role }}', '[{{ m.tool_call_id }}{{ m.role }}');
    const text = render(strict, chat(called, { tools: [weather] }));
    const id = /([a-z0-9]{9})<tool_call>/.exec(text)?.[1];
    expect(id).toBeDefined();
    expect(text).toContain(`[${id}tool`);
  });

  it('gives content as a list to a template that wants parts', () => {
    const lists = `{% for m in messages %}[{{ m.role }}]{% for p in m.content %}{{ p.text }}{% endfor %}{% endfor %}`;
    expect(render(lists, chat([user('hello')]))).toBe('[user]hello');
  });

  it('writes an instruction for a template without tools, and reads as Hermes', () => {
    const renderer = createChatRenderer({ template: BARE, bosText: '', eosText: '', source: 'test' });
    expect(renderer.supportsTools).toBe(false);
    const text = renderer.render(chat([system('Be brief.'), ...called], { tools: [weather] }));
    expect(text).toMatch(/^\[system\]Be brief\.\n\nYou can call/);
    expect(text).toContain('{"name":"get_weather","description":"Weather of a city"');
    expect(text).toContain(
      '[assistant]<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>',
    );
    expect(text).toContain('[user]<tool_response>\n18 degrees\n</tool_response>');
  });

  it('merges the system message into the user message where the role is refused', () => {
    const refusing = `{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}${BARE}`;
    expect(render(refusing, chat([system('S'), user('u')]))).toBe('[user]S\n\nu\n[assistant]');
  });

  it('gives earlier reasoning back under the name the template reads', () => {
    const thinks = TOOLED.replace(
      '[{{ m.role }}',
      '{% if m.thinking %}<{{ m.thinking }}>{% endif %}[{{ m.role }}',
    );
    const [question, call, result] = called;
    if (question === undefined || call?.role !== 'assistant' || result === undefined)
      throw new Error('no turn');
    const turn = (content: readonly ContentPart[]): readonly ChatMessage[] => [
      question,
      { ...call, content, reasoning: 'I look.' },
      result,
    ];
    expect(render(thinks, chat(turn([]), { tools: [weather] }))).toContain('<I look.>[assistant]');
    expect(render(thinks, chat(turn([{ kind: 'text', text: 'Hm' }]), { tools: [weather] }))).not.toContain(
      '<I',
    );
    expect(render(TOOLED, chat(turn([]), { tools: [weather] }))).not.toContain('I look');
  });

  it('tells whether the model opens its reasoning by itself', () => {
    const mayReason = (template: string, variables: Record<string, unknown> = {}): boolean =>
      createChatRenderer({ template, bosText: '', eosText: '', source: 'test' }).mayReason(
        chat([user('x')], { variables }),
      );
    const switchedOff = `${BARE}{% if enable_thinking is defined and enable_thinking is false %}<think>\n\n</think>\n\n{% endif %}`;
    expect(mayReason(switchedOff)).toBe(true);
    expect(mayReason(switchedOff, { enable_thinking: false })).toBe(false);
    expect(mayReason(BARE)).toBe(false);
    expect(mayReason(BARE, { enable_thinking: true })).toBe(true);
  });

  it('hides tools when the choice is none and shows one alone when it is named', () => {
    const other: ToolDefinition = { name: 'other' };
    const tools = [weather, other];
    expect(render(TOOLED, chat([user('x')], { tools, toolChoice: { kind: 'none' } }))).not.toContain('tools');
    const named = render(TOOLED, chat([user('x')], { tools, toolChoice: { kind: 'named', name: 'other' } }));
    expect(named).toContain('other');
    expect(named).not.toContain('get_weather');
    const unknown = refusal(() =>
      render(TOOLED, chat([user('x')], { tools, toolChoice: { kind: 'named', name: 'zz' } })),
    );
    expect(unknown.code).toBe('invalid_request');
    expect(unknown.message).toBe("Tool choice 'zz' not found in tools.");
  });

  it('continues the last assistant message right behind its text', () => {
    const input = chat([user('a'), assistant('Once upon')], { continueFinal: true });
    expect(render(BARE, input)).toBe('[user]a\n[assistant]Once upon');
    expect(render(BARE, chat([user('a'), assistant('')], { continueFinal: true }))).toBe(
      '[user]a\n[assistant]',
    );
    expect(render(BARE, chat([user('a')], { continueFinal: true }))).toBe('[user]a\n[assistant]');
  });

  it('names the template of a model without one, of a broken one, and passes on a refusal', () => {
    expect(refusal(() => render(undefined, chat([user('x')])))).toMatchObject({
      code: 'template',
      message: 'the model has no chat template: start with --chat-template FILE or use /v1/completions',
    });
    const broken = refusal(() => render('{% if %}', chat([user('x')])));
    expect(broken.code).toBe('template');
    expect(broken.message).toMatch(/^the chat template of test is not valid Jinja: [^\n]+$/);
    const refuses = "{% if messages|length > 1 %}{{ raise_exception('roles must\nalternate') }}{% endif %}x";
    const refused = refusal(() => render(refuses, chat([user('x'), user('y')])));
    expect(refused).toMatchObject({
      code: 'template',
      message: 'the chat template refused the conversation: roles must alternate',
    });
  });
});
