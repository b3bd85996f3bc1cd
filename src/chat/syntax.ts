// How each format writes calls, as data: what a constraint makes the model write, and what reply/ reads back.

import { type ReplyFormat, startsInReasoning, type ToolFormat } from './format.js';

/** One call is `begin` name `middle` arguments `end`; a reply is `opening` calls joined by `separator` `closing`. */
export interface ToolCallSyntax {
  readonly opening: string;
  readonly begin: string;
  readonly middle: string;
  readonly end: string;
  readonly separator: string;
  readonly closing: string;
  /** Arguments as a JSON object, or as an element per parameter. */
  readonly arguments: 'json' | ElementSyntax;
  /** May stand in front of the first call, in formats that have no marker of their own. */
  readonly tag?: string;
}

/** One parameter is `open` name, `text` or `json` by the kind of its value, the value, `close`. */
export interface ElementSyntax {
  readonly open: string;
  readonly text: string;
  readonly json: string;
  readonly close: string;
  /** The tag at which a value is taken to end. */
  readonly tag: string;
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
  llama3: { ...JSON_CALL, middle: '", "parameters": ', separator: '; ', tag: '<|python_tag|>' },
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
    end: '</function>\n</tool_call>',
    separator: '\n',
    arguments: {
      open: '<parameter=',
      text: '>\n',
      json: '>\n',
      close: '\n</parameter>\n',
      tag: '</parameter>',
    },
  },
  glm: {
    ...JSON_CALL,
    begin: '<tool_call>',
    middle: '\n',
    end: '</tool_call>',
    separator: '\n',
    arguments: {
      open: '<arg_key>',
      text: '</arg_key>\n<arg_value>',
      json: '</arg_key>\n<arg_value>',
      close: '</arg_value>\n',
      tag: '</arg_value>',
    },
  },
  'deepseek-v3.2': {
    opening: '<｜DSML｜function_calls>\n',
    begin: '<｜DSML｜invoke name="',
    middle: '">\n',
    end: '</｜DSML｜invoke>',
    separator: '\n',
    closing: '\n</｜DSML｜function_calls>',
    arguments: {
      open: '<｜DSML｜parameter name="',
      text: '" string="true">',
      json: '" string="false">',
      close: '</｜DSML｜parameter>\n',
      tag: '</｜DSML｜parameter>',
    },
  },
  'functionary-v3.2': {
    ...JSON_CALL,
    begin: '',
    middle: '\n',
    end: '',
    separator: '>>>',
  },
  // The token that ends a call ends the reply too, so there is one at a time.
  harmony: {
    ...JSON_CALL,
    begin: '<|channel|>commentary to=functions.',
    middle: ' <|constrain|>json<|message|>',
    end: '',
    separator: '',
  },
  json: { ...JSON_CALL, middle: '", "arguments": ', separator: '' },
};

/** How a format writes calls; undefined for `none`. */
export function toolCallSyntax(format: ToolFormat): ToolCallSyntax | undefined {
  return format === 'none' ? undefined : SYNTAX[format];
}

/** What a model writes in front of its answer, where a constraint rules the answer alone. */
export interface ReplyLead {
  /** Free text up to `tag` and what is fixed `behind` it; `begin` is empty where the prompt has opened it. */
  readonly reasoning?: { readonly begin: string; readonly tag: string; readonly behind: string };
  /** In front of an answer, and in front of calls. */
  readonly answer: string;
  readonly calls: string;
}

/** Shorter than its real tag, <|end|>: no other marker may stand in the reasoning either. */
const ANALYSIS = {
  begin: '<|channel|>analysis<|message|>',
  tag: '<|',
  behind: 'end|><|start|>assistant',
};

/**
 * What stands in front of the answer to this prompt, which begins a reply; undefined = nothing. `mayReason` says
 * whether the model is expected to open its reasoning by itself.
 */
export function replyLead(format: ReplyFormat, prompt: string, mayReason: boolean): ReplyLead | undefined {
  if (format.tools === 'harmony') {
    return { reasoning: ANALYSIS, answer: '<|channel|>final<|message|>', calls: '' };
  }
  if (format.tools === 'functionary-v3.2') {
    const mark = prompt.endsWith('>>>') ? '' : '>>>';
    return { answer: `${mark}all\n`, calls: mark };
  }
  if (format.reasoning === 'none') return undefined;
  const isOpen = startsInReasoning(prompt);
  if (!isOpen && (!mayReason || /<\/think>\s*$/.test(prompt.slice(-64)))) return undefined;
  const reasoning = { begin: isOpen ? '' : '<think>', tag: '</think>', behind: '' };
  return { reasoning, answer: '', calls: '' };
}
