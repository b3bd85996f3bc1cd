// Tools and the choice among them. The older functions and function_call are today's tools under another name, and win
// where both are sent.

import { KoineError, type ToolChoice, type ToolDefinition } from '../../../protocol/index.js';
import type { WireFunction } from '../schema/tools.js';
import type { ChatBody } from '../schema.js';

/** What a chat body says about tools. */
export interface DecodedTools {
  readonly tools: readonly ToolDefinition[];
  readonly choice: ToolChoice;
  /** The body speaks the older language. */
  readonly isLegacy: boolean;
}

/** Tools and choice. Throws where a choice names what is not there. */
export function decodeTools(body: ChatBody): DecodedTools {
  const { functions } = body;
  const isLegacy = functions !== null;
  const given = functions ?? (body.tools ?? []).map((tool) => tool.function);
  const tools = given.map(toolOf);
  const asked = askedChoice(body);
  const field = body.function_call === null ? 'tool_choice' : 'function_call';
  if (asked?.kind === 'named' && !tools.some(({ name }) => name === asked.name)) {
    throw new KoineError('invalid_request', `Tool choice '${asked.name}' not found in tools.`, { field });
  }
  if (asked?.kind === 'required' && tools.length === 0) {
    throw new KoineError('invalid_request', `Tool choice 'required' needs tools to choose from.`, { field });
  }
  return { tools, choice: asked ?? { kind: tools.length > 0 ? 'auto' : 'none' }, isLegacy };
}

function askedChoice({ function_call: legacy, tool_choice: current }: ChatBody): ToolChoice | undefined {
  if (legacy !== null) return typeof legacy === 'string' ? { kind: legacy } : named(legacy.name);
  if (current === null) return undefined;
  return typeof current === 'string' ? { kind: current } : named(current.function.name);
}

function named(name: string): ToolChoice {
  return { kind: 'named', name };
}

function toolOf({ name, description, parameters, strict }: WireFunction): ToolDefinition {
  return {
    name,
    ...(description !== null && { description }),
    ...(parameters !== null && { parameters }),
    ...(strict !== null && { strict }),
  };
}
