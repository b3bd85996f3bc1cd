// Tools and tool_choice of 3.3.6's chat on the wire.

import {
  documented,
  optional,
  type Read,
  readAny,
  readString,
  refuse,
  required,
  ShapeError,
  struct,
} from '../wire/shape.js';

/** A function: its schema in a tool, its arguments in a call. */
export const readFunction = struct('FunctionDefinition', {
  description: optional('description', readString),
  name: required('name', readString),
  arguments: required('arguments', readAny, ['parameters']),
});
export type FunctionBody = ReturnType<typeof readFunction>;

export const readTool = struct('Tool', {
  type: required('type', readString),
  function: required('function', readFunction),
});

/** How the model may use the tools. */
export type ToolChoiceBody =
  | { readonly kind: 'auto' }
  | { readonly kind: 'none' }
  | { readonly kind: 'required' }
  | { readonly kind: 'named'; readonly name: string };

const readNamed = struct('FunctionName', { name: required('name', readString) });
const readChoice = struct('TypedChoice', {
  type: required('type', readString),
  function: required('function', readNamed),
});

// Any other string is a function's name.
const readAnyChoice: Read<ToolChoiceBody> = (node, place) => {
  if (node.kind === 'null') return { kind: 'auto' };
  if (node.kind === 'string') {
    const { value } = node;
    if (value === 'auto' || value === 'none' || value === 'required') return { kind: value };
    return { kind: 'named', name: value };
  }
  try {
    const choice = readChoice(node, place);
    if (choice.type === 'function') return { kind: 'named', name: choice.function.name };
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
  }
  throw refuse(node, place, 'data did not match any variant of untagged enum ToolChoice');
};

export const readToolChoice = documented(readAnyChoice, {
  nullable: true,
  oneOf: [{ type: 'string' }, readChoice.schema],
});
