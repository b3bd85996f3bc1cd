// Which syntax a model uses for tool calls and reasoning, read off its chat template. The syntax itself lives
// in reply/ (reading) and syntax.ts (writing); a flag may name a format where the template does not tell.

/** Ways models write tool calls. `none` = replies are not read at all, `json` = the whole reply is the call. */
export const REPLY_FORMATS = [
  'hermes',
  'llama3',
  'mistral',
  'mistral-args',
  'internlm',
  'deepseek',
  'deepseek-v3.1',
  'deepseek-v3.2',
  'functionary',
  'functionary-v3.2',
  'glm',
  'harmony',
  'qwen3-coder',
  'json',
  'none',
] as const;

export type ToolFormat = (typeof REPLY_FORMATS)[number];

/** How a model's replies are to be read. */
export interface ReplyFormat {
  readonly tools: ToolFormat;
  /** `think` = reasoning stands between `<think>` and `</think>`. */
  readonly reasoning: 'think' | 'none';
}

/** First match wins, so the more special marker stands before the one it contains. */
const TOOL_MARKS: readonly (readonly [ToolFormat, RegExp])[] = [
  ['harmony', /<\|channel\|>[\s\S]*<\|message\|>|<\|message\|>[\s\S]*<\|channel\|>/],
  ['deepseek-v3.2', /｜DSML｜/],
  ['glm', /<tool_call>[\s\S]*<arg_key>[\s\S]*<arg_value>/],
  ['qwen3-coder', /<tool_call>[\s\S]*<function=[\s\S]*<parameter=/],
  ['hermes', /<tool_call>/],
  ['deepseek', /<｜tool▁calls▁begin｜>[\s\S]*```json/],
  ['deepseek-v3.1', /<｜tool▁calls▁begin｜>/],
  ['internlm', /<\|action_start\|>/],
  ['mistral-args', /\[TOOL_CALLS\][\s\S]*\[ARGS\]/],
  ['mistral', /\[TOOL_CALLS\]/],
  ['functionary', /<function=/],
  ['functionary-v3.2', />>>(all|['"]\s*[+~])/],
  ['llama3', /<\|python_tag\|>|<\|start_header_id\|>[\s\S]*"parameters"/],
];

/**
 * Reads the reply format off a chat template. A template that shows tools in a way not known here is taken to
 * ask for plain JSON; one that ignores tools gets the Hermes instruction of `fallback.ts`, so its replies are
 * read as Hermes.
 */
export function detectReplyFormat(template: string | undefined): ReplyFormat {
  if (template === undefined) return { tools: 'none', reasoning: 'none' };
  const reasoning = /<\/?think>/.test(template) ? 'think' : 'none';
  const marked = TOOL_MARKS.find(([, mark]) => mark.test(template));
  if (marked !== undefined) return { tools: marked[0], reasoning };
  return { tools: /\btools\b/.test(template) ? 'json' : 'hermes', reasoning };
}

/** Whether a rendered prompt leaves the model inside its reasoning, so that the reply opens without `<think>`. */
export function startsInReasoning(prompt: string): boolean {
  return /<think>\s*$/.test(prompt.slice(-64));
}

/**
 * Whether the tokenizer should still add BOS to a rendered prompt: templates usually write it themselves, and
 * two of them harm the reply. Pass the result as `addSpecial`, with `parseSpecial` true.
 */
export function promptNeedsBos(prompt: string, bosText: string): boolean {
  return bosText === '' || !prompt.startsWith(bosText);
}
