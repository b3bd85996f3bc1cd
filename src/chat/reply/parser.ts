// The reply parser: reasoning layer, then tool layer, then parts. The same parts come out, joined, however the
// text was cut into pieces.

import type { ReplyPart, ToolCall, ToolDefinition } from '../../protocol/index.js';
import type { ToolFormat } from '../format.js';
import { deepseek } from './deepseek.js';
import { functionary } from './functionary.js';
import { hermes } from './hermes.js';
import { internlm } from './internlm.js';
import { llama3 } from './llama3.js';
import { mistral } from './mistral.js';
import { Parts } from './parts.js';
import { plainJson } from './plain-json.js';
import { qwen3Coder } from './qwen3-coder.js';
import type { ToolReader } from './reading.js';
import { ThinkLayer } from './think.js';
import { ToolLayer } from './tool-layer.js';

const READERS: Readonly<Record<Exclude<ToolFormat, 'none'>, ToolReader>> = {
  hermes,
  llama3,
  mistral,
  'mistral-args': mistral,
  internlm,
  deepseek,
  'deepseek-v3.1': deepseek,
  functionary,
  'qwen3-coder': qwen3Coder,
  json: plainJson,
};

export interface ReplyParserOptions {
  /** Tools of the request; without any, calls are not looked for. */
  readonly tools: readonly ToolDefinition[];
  /** `inside` = the prompt already opened the reasoning (`startsInReasoning`). */
  readonly reasoning: 'none' | 'think' | 'inside';
  /** False keeps only the first call. Default true. */
  readonly parallel?: boolean;
  /** A fresh id for the call with this index (0-based). */
  idFor(index: number): string;
}

/** Reads one reply. Not to be used any more after `finish`. */
export interface ReplyParser {
  /** Takes the next piece of text, returns what is certain by now. */
  push(text: string): ReplyPart[];
  /** The reply is over: the remaining parts, and all calls whole (a call cut short has arguments cut short). */
  finish(): { readonly parts: ReplyPart[]; readonly toolCalls: ToolCall[] };
}

/** A parser for one reply in the given format. */
export function createReplyParser(format: ToolFormat, options: ReplyParserOptions): ReplyParser {
  const parts = new Parts({ parallel: options.parallel ?? true, idFor: (index) => options.idFor(index) });
  const reader = format === 'none' || options.tools.length === 0 ? undefined : READERS[format];
  const tools = reader && new ToolLayer(reader, options.tools, parts);
  const content = (text: string): void => (tools ? tools.push(text) : parts.content(text));
  const isInside = options.reasoning === 'inside';
  const think =
    options.reasoning === 'none'
      ? undefined
      : new ThinkLayer(isInside, reader?.openers ?? [], parts, content);
  return {
    push: (text) => {
      if (think) think.push(text);
      else content(text);
      return parts.drain();
    },
    finish: () => {
      think?.finish();
      tools?.finish();
      parts.end();
      return { parts: parts.drain(), toolCalls: parts.toolCalls() };
    },
  };
}

/** Texts of special tokens that must reach the parser although they are not shown to clients. */
export function replyMarkers(format: ToolFormat): readonly string[] {
  const openers = format === 'none' ? [] : READERS[format].openers;
  const inside: Partial<Record<ToolFormat, readonly string[]>> = {
    hermes: ['</tool_call>'],
    'qwen3-coder': ['</tool_call>'],
    mistral: ['[CALL_ID]', '[ARGS]'],
    'mistral-args': ['[CALL_ID]', '[ARGS]'],
    internlm: ['<|action_start|>', '<|plugin|>', '<|action_end|>'],
    deepseek: ['<｜tool▁calls▁end｜>', '<｜tool▁call▁begin｜>', '<｜tool▁call▁end｜>', '<｜tool▁sep｜>'],
    'deepseek-v3.1': [
      '<｜tool▁calls▁end｜>',
      '<｜tool▁call▁begin｜>',
      '<｜tool▁call▁end｜>',
      '<｜tool▁sep｜>',
    ],
  };
  return ['<think>', '</think>', ...openers, ...(inside[format] ?? [])];
}
