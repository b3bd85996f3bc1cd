// Tools and the choice among them as they are sent, in today's form and in the older one of functions.

import { byShape, flag, nullable, oneOf, type ReadBy, text } from '../check/reader.js';
import { anyObject, listOf, object, optional, required } from '../check/structure.js';

const definition = object({
  name: required(text),
  description: optional(nullable(text), null),
  parameters: optional(nullable(anyObject), null),
  strict: optional(nullable(flag), null),
});

/** `functions` */
export const functions = listOf(definition);

/** `tools` */
export const tools = listOf(object({ type: required(oneOf('function')), function: required(definition) }));

const name = object({ name: required(text) });

/** `function_call` */
export const functionCall = byShape<'none' | 'auto' | ReadBy<typeof name>>({
  string: oneOf('none', 'auto'),
  object: name,
  otherwise: ['literal_error', "Input should be 'none', 'auto' or an object with the name of a function"],
});

const namedChoice = object({ type: required(oneOf('function')), function: required(name) });

/** `tool_choice` */
export const toolChoice = byShape<'none' | 'auto' | 'required' | ReadBy<typeof namedChoice>>({
  string: oneOf('none', 'auto', 'required'),
  object: namedChoice,
  otherwise: [
    'literal_error',
    "Input should be 'none', 'auto', 'required' or an object that names a function",
  ],
});

export type WireFunction = ReadBy<typeof definition>;
export type FunctionCall = ReadBy<typeof functionCall>;
export type WireToolChoice = ReadBy<typeof toolChoice>;
