import { describe, expect, it } from 'vitest';
import type { ReplyPart } from '../../protocol/index.js';
import type { ToolFormat } from '../format.js';
import { createReplyParser, type ReplyParserOptions } from './parser.js';

const tools = [
  {
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer' } } },
  },
  { name: 'now' },
];

interface Reply {
  readonly content: string;
  readonly reasoning: string;
  readonly calls: readonly (readonly [name: string, args: string])[];
}

function read(format: ToolFormat, text: string, more: Partial<ReplyParserOptions> = {}, size = 1): Reply {
  const parser = createReplyParser(format, {
    tools,
    reasoning: 'none',
    idFor: (index) => `id${index}`,
    ...more,
  });
  const parts: ReplyPart[] = [];
  for (let at = 0; at < text.length; at += size) parts.push(...parser.push(text.slice(at, at + size)));
  const end = parser.finish();
  parts.push(...end.parts);
  const calls: [string, string][] = [];
  let content = '';
  let reasoning = '';
  for (const part of parts) {
    if (part.kind === 'content') content += part.text;
    else if (part.kind === 'reasoning') reasoning += part.text;
    else if (part.kind === 'tool-call') {
      expect(part).toMatchObject({ index: calls.length, id: `id${calls.length}` });
      calls.push([part.name, '']);
    } else {
      const call = calls[part.index];
      if (call === undefined) throw new Error('arguments before their call');
      call[1] += part.text;
    }
  }
  expect(end.toolCalls.map((call) => [call.name, call.arguments])).toEqual(calls);
  return { content, reasoning, calls };
}

const PARIS = '{"city": "Paris"}';
const weather = ['get_weather', PARIS] as const;

/** Every format's way to write one call, then two. */
const WRITTEN: readonly (readonly [ToolFormat, string, string])[] = [
  [
    'hermes',
    `<tool_call>\n{"name": "get_weather", "arguments": ${PARIS}}\n</tool_call>`,
    `<tool_call>{"name": "get_weather", "arguments": ${PARIS}}</tool_call>\n<tool_call>\n{"arguments": {}, "name": "now"}\n</tool_call>`,
  ],
  [
    'llama3',
    `{"name": "get_weather", "parameters": ${PARIS}}`,
    `<|python_tag|>{"type": "function", "name": "get_weather", "parameters": ${PARIS}}; {"name": "now", "parameters": {}}`,
  ],
  [
    'mistral',
    `[TOOL_CALLS] [{"name": "get_weather", "arguments": ${PARIS}}]`,
    `[TOOL_CALLS][{"name": "get_weather", "arguments": ${PARIS}, "id": "abcdefghi"}, {"name": "now", "arguments": {}}]`,
  ],
  [
    'mistral-args',
    `[TOOL_CALLS]get_weather[ARGS]${PARIS}`,
    `[TOOL_CALLS]get_weather[CALL_ID]abcdefghi[ARGS]${PARIS}[TOOL_CALLS]now[ARGS]{}`,
  ],
  [
    'internlm',
    `<|action_start|><|plugin|>\n{"name": "get_weather", "parameters": ${PARIS}}<|action_end|>`,
    `<|action_start|><|plugin|>{"name": "get_weather", "parameters": ${PARIS}}<|action_end|>\n<|action_start|><|plugin|>{"name": "now"}<|action_end|>`,
  ],
  [
    'deepseek',
    `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n\`\`\`json\n${PARIS}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
    `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n\`\`\`json\n${PARIS}\n\`\`\`<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>now\n\`\`\`json\n{}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
  ],
  [
    'deepseek-v3.1',
    `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>${PARIS}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
    `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>${PARIS}<｜tool▁call▁end｜><｜tool▁call▁begin｜>now<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
  ],
  [
    'functionary',
    `<function=get_weather>${PARIS}</function>`,
    `<function=get_weather>${PARIS}</function>\n<function=now>{}</function>`,
  ],
  [
    'qwen3-coder',
    '<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n</tool_call>',
    '<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n</tool_call>\n<tool_call>\n<function=now>\n</function>\n</tool_call>',
  ],
  [
    'deepseek-v3.2',
    `<｜DSML｜function_calls>\n<｜DSML｜invoke name="get_weather">\n<｜DSML｜parameter name="city" string="true">Paris</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>`,
    `<｜DSML｜function_calls>\n<｜DSML｜invoke name="get_weather">\n<｜DSML｜parameter name="city" string="true">Paris</｜DSML｜parameter>\n</｜DSML｜invoke>\n<｜DSML｜invoke name="now">\n</｜DSML｜invoke>\n</｜DSML｜function_calls>`,
  ],
  ['functionary-v3.2', `get_weather\n${PARIS}`, `>>>get_weather\n${PARIS}>>>now\n{}`],
  [
    'glm',
    '<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n</tool_call>',
    '<tool_call>get_weather<arg_key>city</arg_key><arg_value>Paris</arg_value></tool_call>\n<tool_call>now\n</tool_call>',
  ],
  [
    'json',
    `{"name": "get_weather", "arguments": ${PARIS}}`,
    `\`\`\`json\n[{"name": "get_weather", "arguments": ${PARIS}}, {"name": "now", "parameters": null}]\n\`\`\``,
  ],
];

describe.each(WRITTEN)('%s replies', (format, one, two) => {
  it.each([1, 3, 1000])('reads one call and two, in pieces of %i', (size) => {
    expect(read(format, one, {}, size)).toEqual({ content: '', reasoning: '', calls: [weather] });
    expect(read(format, two, {}, size)).toEqual({
      content: '',
      reasoning: '',
      calls: [weather, ['now', '{}']],
    });
  });

  it('reads a call behind reasoning, and keeps one call alone when calls may not be parallel', () => {
    const reply = read(format, `<think>\nhm\n</think>\n\n${two}`, { reasoning: 'think', parallel: false });
    expect(reply).toEqual({ content: '', reasoning: 'hm', calls: [weather] });
  });

  it('begins the call before its arguments are complete, and keeps what a cut reply has', () => {
    const cut = read(format, one.slice(0, one.indexOf('Paris') + 3));
    expect(cut.content).toBe('');
    expect(cut.calls[0]?.[0]).toBe('get_weather');
    expect(cut.calls[0]?.[1]).toBe('{"city": "Par');
  });

  it('leaves a cut marker and every other text as content', () => {
    const cut = one.slice(0, 6);
    expect(read(format, cut)).toEqual({ content: cut, reasoning: '', calls: [] });
    const text = ' Just <b>text</b> with [brackets], {"a": 1} and ```js\n1 < 2\n```.\n';
    expect(read(format, text).content).toBe(text);
  });

  it('looks for no call where there are no tools', () => {
    expect(read(format, two, { tools: [] }).content).toBe(two);
  });
});

describe('malformed calls', () => {
  it.each<[ToolFormat, string]>([
    ['hermes', 'a <tool_call>\n{"name": 5, "arguments": {}}\n</tool_call> b'],
    ['hermes', '<tool_call>{"arguments": {"x": 1}}</tool_call>'],
    ['hermes', '<tool_call> is how a call begins'],
    ['hermes', '<tool_call><tool_call'],
    ['json', '{"name": "unknown_tool", "arguments": {}}'],
    ['json', '{"answer": 42}'],
    ['json', '[1, 2]'],
    ['llama3', '{"name": "Ann", "age": 3}'],
    ['llama3', '<|python_tag|>print("x")'],
    ['mistral', '[TOOL_CALLS] none'],
    ['functionary', '<function=a b'],
    ['functionary-v3.2', '>>> print(1)\n{'],
    ['functionary-v3.2', 'unknown\n{}'],
    ['glm', '<tool_call>is how a call begins\n<arg'],
    ['glm', '<tool_call>{"name": "now"}</tool_call>'],
    ['deepseek-v3.2', '<｜DSML｜function_calls>\n</｜DSML｜function_calls>'],
    ['deepseek-v3.2', '<｜DSML｜invoke name="now">'],
  ])('%s keeps %s as content', (format, text) => {
    expect(read(format, text)).toEqual({ content: text, reasoning: '', calls: [] });
  });

  it('reads the good call after a bad one', () => {
    const good = `<tool_call>{"name": "get_weather", "arguments": ${PARIS}}</tool_call>`;
    expect(read('hermes', `<tool_call>${good}`)).toMatchObject({ content: '<tool_call>', calls: [weather] });
    expect(read('hermes', `<tool_call>{"nam${good}`)).toMatchObject({
      content: '<tool_call>{"nam',
      calls: [weather],
    });
  });

  it('tells a call from the text behind it', () => {
    const text = `Sure.\n<tool_call>{"name": "now"}</tool_call>\n\nDone.`;
    expect(read('hermes', text)).toEqual({
      content: 'Sure.\n\n\nDone.',
      reasoning: '',
      calls: [['now', '{}']],
    });
    expect(read('hermes', '<tool_call>{"name": "now"}oops').content).toBe('oops');
  });

  it('gives up on text that never becomes a call', () => {
    const text = `<tool_call>{"x": "${'y'.repeat(70_000)}`;
    expect(read('hermes', text, {}, 1000).content).toBe(text);
  });
});

describe('arguments', () => {
  it('keeps them exactly as written', () => {
    const args = '{ "city" :"Z\\u00fcrich \\"x\\" </tool_call>", "n":[1.5e3, -0, {"a":null}] }';
    const text = `<tool_call>{"name":"get_weather","arguments":${args}}</tool_call>`;
    expect(read('hermes', text).calls).toEqual([['get_weather', args]]);
  });

  it('unpacks arguments written as a JSON string', () => {
    const text = `<tool_call>{"name":"get_weather","arguments":${JSON.stringify(PARIS)}}</tool_call>`;
    expect(read('hermes', text).calls).toEqual([weather]);
  });

  it('keep text between headers', () => {
    expect(read('functionary-v3.2', 'all\nSure.\n>>> x\n>>>now\n{}\n>>>all\nDone.')).toEqual({
      content: 'Sure.\n>>> x\nDone.',
      reasoning: '',
      calls: [['now', '{}']],
    });
    expect(read('functionary-v3.2', '>>>all\nHi', { tools: [] }).content).toBe('Hi');
  });

  it('are read as the tag says, or as the schema does', () => {
    const parameter = (key: string, isString: boolean, value: string): string =>
      `<｜DSML｜parameter name="${key}" string="${isString}">${value}</｜DSML｜parameter>\n`;
    const written = [
      parameter('city', true, ' a "b"\n</x>\n'),
      parameter('days', false, '3'),
      parameter('list', false, '["</｜DSML｜parameter>, a"]'),
      parameter('word', false, 'None'),
    ].join('');
    const text = `<｜DSML｜function_calls>\n<｜DSML｜invoke name="get_weather">\n${written}</｜DSML｜invoke>\n</｜DSML｜function_calls>`;
    const [, args] = read('deepseek-v3.2', text).calls[0] ?? [];
    expect(JSON.parse(args ?? '')).toEqual({
      city: ' a "b"\n</x>\n',
      days: 3,
      list: ['</｜DSML｜parameter>, a'],
      word: null,
    });
  });

  it('keep every line of a text, streamed', () => {
    const value = '\nif (a < b) {\n  "</para" 😀\n}\n';
    const text = `<tool_call>\n<function=get_weather>\n<parameter=city>\n${value}\n</parameter>\n</function>\n</tool_call>`;
    for (const size of [1, 2, 7]) {
      expect(JSON.parse(read('qwen3-coder', text, {}, size).calls[0]?.[1] ?? '')).toEqual({ city: value });
    }
    const parser = createReplyParser('qwen3-coder', { tools, reasoning: 'none', idFor: String });
    parser.push('<tool_call>\n<function=get_weather>\n<parameter=city>\nSt. ');
    expect(parser.push('Mary')).toEqual([{ kind: 'tool-arguments', index: 0, text: 'Mary' }]);
  });

  it('types plain-text parameters by the schema', () => {
    const text =
      '<tool_call><function=get_weather><parameter=city>\n12\n</parameter><parameter=days>3</parameter></function></tool_call>';
    expect(read('qwen3-coder', text).calls).toEqual([['get_weather', '{"city": "12", "days": 3}']]);
  });
});

describe('reasoning', () => {
  it.each([1, 4, 1000])('splits it from the answer, in pieces of %i', (size) => {
    const options = { reasoning: 'think' } as const;
    expect(read('none', '<think>\nfirst\nthen\n</think>\n\nAnswer\n', options, size)).toEqual({
      content: 'Answer\n',
      reasoning: 'first\nthen',
      calls: [],
    });
    expect(read('none', '<think>\n\n</think>\n\nHi', options, size)).toMatchObject({
      content: 'Hi',
      reasoning: '',
    });
    expect(read('none', '<thin air', options, size).content).toBe('<thin air');
    expect(read('none', 'a <think>b</think>', options, size).content).toBe('a <think>b</think>');
    expect(read('none', '<think>never closed\n', options, size).reasoning).toBe('never closed\n');
  });

  it.each([1, 5, 1000])('starts inside when the prompt opened it, in pieces of %i', (size) => {
    const options = { reasoning: 'inside' } as const;
    expect(read('none', 'deep\n</think>\nA', options, size)).toMatchObject({
      content: 'A',
      reasoning: 'deep',
    });
    expect(read('none', '<think>deep</think>A', options, size)).toMatchObject({
      content: 'A',
      reasoning: 'deep',
    });
    expect(read('none', '<think><think>x', options, size).reasoning).toBe('<think>x');
  });

  it('ends at the opener of a call', () => {
    const text = `<think>I call it\n<tool_call>{"name": "now"}</tool_call>`;
    expect(read('hermes', text, { reasoning: 'think' })).toEqual({
      content: '',
      reasoning: 'I call it',
      calls: [['now', '{}']],
    });
  });
});

describe('streaming', () => {
  it('passes plain text through at once and holds back only what may be a marker', () => {
    const parser = createReplyParser('hermes', { tools, reasoning: 'none', idFor: String });
    expect(parser.push('Hello')).toEqual([{ kind: 'content', text: 'Hello' }]);
    expect(parser.push(' <tool')).toEqual([{ kind: 'content', text: ' ' }]);
    expect(parser.push('box>')).toEqual([{ kind: 'content', text: '<toolbox>' }]);
  });

  it('streams arguments as they come', () => {
    const parser = createReplyParser('hermes', { tools, reasoning: 'none', idFor: String });
    parser.push('<tool_call>\n{"name": "get_weather", "argu');
    expect(parser.push('ments": {"ci')).toEqual([
      { kind: 'tool-call', index: 0, id: '0', name: 'get_weather' },
      { kind: 'tool-arguments', index: 0, text: '{"ci' },
    ]);
    expect(parser.push('ty": "Paris"}}\n')).toEqual([
      { kind: 'tool-arguments', index: 0, text: 'ty": "Paris"}' },
    ]);
  });

  it('does not hold back an ordinary JSON answer', () => {
    const parser = createReplyParser('json', { tools, reasoning: 'none', idFor: String });
    expect(parser.push('{"answer":')).toEqual([{ kind: 'content', text: '{"answer":' }]);
  });
});
