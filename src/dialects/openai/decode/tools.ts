// Tools and the choice among them, in today's form and in the older one of `functions` and `function_call`.

import { KoineError, type ToolChoice, type ToolDefinition } from '../../../protocol/index.js';
import type { ChatBody, WireFunction } from '../schema.js';

/** What a chat body says about tools. */
export interface DecodedTools {
  readonly tools: readonly ToolDefinition[];
  readonly choice: ToolChoice;
  /** The body speaks of `functions`, so the reply does too. */
  readonly isLegacy: boolean;
}

/** Tools and choice. Throws where a choice names what is not there. */
export function decodeTools(body: ChatBody): DecodedTools {
  const isLegacy = body.tools === undefined && body.functions !== undefined;
  const all = isLegacy
    ? (body.functions ?? []).map((definition) => toolOf(definition))
    : (body.tools ?? []).map(decodeTool);
  const field = isLegacy ? 'function_call' : 'tool_choice';
  const { choice, only } = isLegacy ? { choice: legacyChoice(body), only: undefined } : currentChoice(body);
  const tools = only === undefined ? all : all.filter(({ name }) => only.includes(name));
  const kind = choice?.kind ?? (tools.length > 0 ? 'auto' : 'none');
  if (tools.length === 0 && (kind === 'required' || kind === 'named')) {
    const message = `'${field}' asks for a call, but there are no tools to call.`;
    throw new KoineError('invalid_request', message, { field });
  }
  if (choice?.kind === 'named' && !tools.some(({ name }) => name === choice.name)) {
    throw new KoineError(
      'invalid_request',
      `'${field}' names '${choice.name}', which is not among the tools.`,
      {
        field,
      },
    );
  }
  return { tools, choice: choice ?? (tools.length > 0 ? { kind: 'auto' } : { kind: 'none' }), isLegacy };
}

type WireTool = NonNullable<ChatBody['tools']>[number];

function decodeTool(tool: WireTool, index: number): ToolDefinition {
  const field = `tools[${index}]`;
  if (tool.type !== 'function') {
    throw new KoineError(
      'unsupported',
      `'${field}.type' must be 'function'; '${tool.type}' tools are not known.`,
      {
        field: `${field}.type`,
      },
    );
  }
  if (tool.function !== undefined) return toolOf(tool.function);
  throw new KoineError('invalid_request', `'${field}.function' is required.`, { field: `${field}.function` });
}

function toolOf({ name, description, parameters, strict }: WireFunction): ToolDefinition {
  return {
    name,
    ...(description !== undefined && { description }),
    ...(parameters !== undefined && { parameters }),
    ...(strict !== undefined && { strict }),
  };
}

function currentChoice({ tool_choice: choice }: ChatBody): {
  readonly choice: ToolChoice | undefined;
  readonly only?: readonly string[];
} {
  if (choice === undefined || typeof choice === 'string') return { choice: choice && { kind: choice } };
  if (choice.type === 'function' && choice.function !== undefined) {
    return { choice: { kind: 'named', name: choice.function.name } };
  }
  if (choice.type === 'allowed_tools' && choice.allowed_tools !== undefined) {
    const { mode, tools } = choice.allowed_tools;
    return { choice: { kind: mode }, only: tools.flatMap((tool) => tool.function?.name ?? []) };
  }
  throw new KoineError('invalid_request', "'tool_choice' must name a function: {type, function: {name}}.", {
    field: 'tool_choice',
  });
}

function legacyChoice({ function_call: choice }: ChatBody): ToolChoice | undefined {
  if (choice === undefined) return undefined;
  return typeof choice === 'string' ? { kind: choice } : { kind: 'named', name: choice.name };
}
