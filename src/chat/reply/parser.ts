// The reply parser: reasoning layer, then tool layer, then parts. The same parts come out, joined, however the
// text was cut into pieces.

import type { ReplyPart, ToolCall, ToolDefinition } from '../../protocol/index.js';
import type { ToolFormat } from '../format.js';
import { deepseek } from './deepseek.js';
import { deepseekDsml } from './deepseek-dsml.js';
import { functionary } from './functionary.js';
import { functionaryHeaders } from './functionary-headers.js';
import { glm } from './glm.js';
import { HARMONY_MARKERS, HarmonyLayer } from './harmony.js';
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

/** Formats whose calls stand in text. Harmony is a language of its own. */
const READERS: Readonly<Record<Exclude<ToolFormat, 'none' | 'harmony'>, ToolReader>> = {
  hermes,
  llama3,
  mistral,
  'mistral-args': mistral,
  internlm,
  deepseek,
  'deepseek-v3.1': deepseek,
  'deepseek-v3.2': deepseekDsml,
  functionary,
  'functionary-v3.2': functionaryHeaders,
  glm,
  'qwen3-coder': qwen3Coder,
  json: plainJson,
};

export interface ReplyParserOptions {
  /** Tools of the request; without any, calls are not looked for. */
  readonly tools: readonly ToolDefinition[];
  /** `inside` = the prompt already opened the reasoning (`startsInReasoning`). */
  readonly reasoning: 'none' | 'think' | 'inside';
  /**
   * A call is enforced, and reasoning closed before it: what looks like one inside the reasoning is none. Default
   * false: some models forget the closing tag.
   */
  readonly isCallEnforced?: boolean;
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
  const layer = createLayer(format, options, parts);
  return {
    push: (text) => {
      layer.push(text);
      return parts.drain();
    },
    finish: () => {
      layer.finish();
      parts.end();
      return { parts: parts.drain(), toolCalls: parts.toolCalls() };
    },
  };
}

/** Takes the text of a reply and fills the parts. */
interface Layer {
  push(text: string): void;
  finish(): void;
}

function createLayer(format: ToolFormat, options: ReplyParserOptions, parts: Parts): Layer {
  if (format === 'harmony') return new HarmonyLayer(options.tools, parts);
  const reader = readerOf(format, options.tools);
  const tools: Layer =
    reader === undefined
      ? { push: (text) => parts.content(text), finish: () => undefined }
      : new ToolLayer(reader, options.tools, parts);
  if (options.reasoning === 'none') return tools;
  const isInside = options.reasoning === 'inside';
  const endsAtCalls = options.tools.length > 0 && options.isCallEnforced !== true;
  const openers = endsAtCalls ? (reader?.openers ?? []) : [];
  const think = new ThinkLayer(isInside, openers, parts, (text) => tools.push(text));
  return {
    push: (text) => think.push(text),
    finish: () => {
      think.finish();
      tools.finish();
    },
  };
}

/** Without tools calls are not looked for, but headers stand in front of text all the same. */
function readerOf(
  format: Exclude<ToolFormat, 'harmony'>,
  tools: readonly ToolDefinition[],
): ToolReader | undefined {
  if (format === 'none') return undefined;
  const reader = READERS[format];
  return tools.length > 0 || reader.startsInside === true ? reader : undefined;
}

/** Texts of special tokens that must reach the parser although they are not shown to clients. */
export function replyMarkers(format: ToolFormat): readonly string[] {
  if (format === 'harmony') return HARMONY_MARKERS;
  const openers = format === 'none' ? [] : READERS[format].openers;
  const inside: Partial<Record<ToolFormat, readonly string[]>> = {
    hermes: ['</tool_call>'],
    'qwen3-coder': ['</tool_call>'],
    glm: ['</tool_call>', '<arg_key>', '</arg_key>', '<arg_value>', '</arg_value>'],
    'deepseek-v3.2': ['｜DSML｜'],
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
