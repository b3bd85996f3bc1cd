// ChatML exactly as training/template.jinja writes it: the model must meet at inference what it met in training.
// Leaves to others what is said; here is only how turns and tools are written down.
import { context, type Exchange, type Piece, target } from './document.js';

/** JSON values as tools and extraction use them. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** A parameter of a tool, reduced to what the template shows of it. */
export interface ToolParameter {
  readonly type: string;
  readonly choices?: readonly string[];
}

/** A tool as the template shows it. */
export interface Tool {
  readonly name: string;
  readonly description?: string;
  readonly parameters: Readonly<Record<string, ToolParameter>>;
}

/** One turn of a chat; only assistant turns are learned. */
export interface Turn {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly text: string;
  /** An assistant turn that is read only, because its form is a server's and not the model's. */
  readonly given?: boolean;
}

/** What a chat is rendered with besides its turns. */
export interface ChatOptions {
  readonly system?: string | undefined;
  readonly tools?: readonly Tool[];
  readonly thinking?: boolean;
}

const TOOLS_OPEN = 'Tools:\n<tools>\n';
const TOOLS_CLOSE = '</tools>';

/** JSON with a space after each colon and comma, as Jinja's tojson and Python's json write it. */
export function toJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map((item: Json) => toJson(item)).join(', ')}]`;
  if (value !== null && typeof value === 'object') {
    const fields = Object.entries(value as Readonly<Record<string, Json>>);
    return `{${fields.map(([key, field]) => `${JSON.stringify(key)}: ${toJson(field)}`).join(', ')}}`;
  }
  return JSON.stringify(value);
}

/** One line of the tools block. */
export function renderTool(tool: Tool): string {
  const parameters: Record<string, Json> = {};
  for (const [name, parameter] of Object.entries(tool.parameters)) {
    parameters[name] = parameter.choices === undefined ? parameter.type : parameter.choices.join('|');
  }
  return tool.description === undefined
    ? toJson({ name: tool.name, parameters })
    : toJson({ name: tool.name, description: tool.description, parameters });
}

/** The text of an assistant turn that calls a tool. */
export function renderCall(name: string, args: { readonly [key: string]: Json }): string {
  return `<tool_call>\n{"name": ${toJson(name)}, "arguments": ${toJson(args)}}\n</tool_call>`;
}

/** The text of an assistant turn that thinks first. */
export function renderThought(thought: string, answer: string): string {
  return `<think>\n${thought}\n</think>\n\n${answer}`;
}

/** Writes a whole chat as pieces. */
export function renderChat(turns: readonly Turn[], options: ChatOptions = {}): Piece[] {
  const pieces: Piece[] = [];
  const system = systemText(options);
  if (system !== '') pieces.push(context(`<|im_start|>system\n${system}<|im_end|>\n`));
  for (const turn of turns) {
    if (turn.role === 'assistant') {
      const said = `${turn.text}<|im_end|>`;
      pieces.push(
        context('<|im_start|>assistant\n'),
        turn.given === true ? context(said) : target(said),
        context('\n'),
      );
    } else if (turn.role === 'tool') {
      pieces.push(context(`<|im_start|>tool\n<tool_response>\n${turn.text}\n</tool_response><|im_end|>\n`));
    } else {
      pieces.push(context(`<|im_start|>${turn.role}\n${turn.text}<|im_end|>\n`));
    }
  }
  pieces.pop();
  return pieces;
}

/** Turns of plain questions and answers. */
export function turnsOf(exchanges: readonly Exchange[]): Turn[] {
  return exchanges.flatMap(({ user, assistant }): Turn[] => [
    { role: 'user', text: user },
    { role: 'assistant', text: assistant },
  ]);
}

function systemText({ system, tools, thinking }: ChatOptions): string {
  const parts: string[] = [];
  if (system !== undefined && system !== '') parts.push(system);
  if (tools !== undefined && tools.length > 0) {
    parts.push(`${TOOLS_OPEN}${tools.map((tool) => `${renderTool(tool)}\n`).join('')}${TOOLS_CLOSE}`);
  }
  const text = parts.join('\n\n');
  if (thinking !== true) return text;
  return text === '' ? '/think' : `${text}\n/think`;
}
