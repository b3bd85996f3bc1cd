// How each format writes calls, as data: what a constraint makes the model write, and what reply/ reads back.

import type { ToolFormat } from './format.js';

/** One call is `begin` name `middle` arguments `end`; a reply is `opening` calls joined by `separator` `closing`. */
export interface ToolCallSyntax {
  readonly opening: string;
  readonly begin: string;
  readonly middle: string;
  readonly end: string;
  readonly separator: string;
  readonly closing: string;
  /** Arguments as a JSON object, or as Qwen3-Coder's `<parameter=...>` elements. */
  readonly arguments: 'json' | 'qwen-xml';
}

const JSON_CALL = { begin: '{"name": "', end: '}', closing: '', opening: '', arguments: 'json' } as const;

const SYNTAX: Readonly<Record<Exclude<ToolFormat, 'none'>, ToolCallSyntax>> = {
  hermes: {
    ...JSON_CALL,
    begin: '<tool_call>\n{"name": "',
    middle: '", "arguments": ',
    end: '}\n</tool_call>',
    separator: '\n',
  },
  llama3: { ...JSON_CALL, middle: '", "parameters": ', separator: '; ' },
  mistral: {
    ...JSON_CALL,
    opening: '[TOOL_CALLS][',
    middle: '", "arguments": ',
    separator: ', ',
    closing: ']',
  },
  'mistral-args': { ...JSON_CALL, begin: '[TOOL_CALLS]', middle: '[ARGS]', end: '', separator: '' },
  internlm: {
    ...JSON_CALL,
    begin: '<|action_start|><|plugin|>\n{"name": "',
    middle: '", "parameters": ',
    end: '}<|action_end|>',
    separator: '\n',
  },
  deepseek: {
    opening: '<｜tool▁calls▁begin｜>',
    begin: '<｜tool▁call▁begin｜>function<｜tool▁sep｜>',
    middle: '\n```json\n',
    end: '\n```<｜tool▁call▁end｜>',
    separator: '\n',
    closing: '<｜tool▁calls▁end｜>',
    arguments: 'json',
  },
  'deepseek-v3.1': {
    opening: '<｜tool▁calls▁begin｜>',
    begin: '<｜tool▁call▁begin｜>',
    middle: '<｜tool▁sep｜>',
    end: '<｜tool▁call▁end｜>',
    separator: '',
    closing: '<｜tool▁calls▁end｜>',
    arguments: 'json',
  },
  functionary: { ...JSON_CALL, begin: '<function=', middle: '>', end: '</function>', separator: '\n' },
  'qwen3-coder': {
    ...JSON_CALL,
    begin: '<tool_call>\n<function=',
    middle: '>\n',
    end: '\n</function>\n</tool_call>',
    separator: '\n',
    arguments: 'qwen-xml',
  },
  json: { ...JSON_CALL, middle: '", "arguments": ', separator: '' },
};

/** How a format writes calls; undefined for `none`. */
export function toolCallSyntax(format: ToolFormat): ToolCallSyntax | undefined {
  return format === 'none' ? undefined : SYNTAX[format];
}
