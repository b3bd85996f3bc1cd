// Chat messages as they are sent: one shape per role, and content as text, as parts, or as null.

import type { Fault, Loc } from '../check/fault.js';
import {
  byShape,
  fail,
  INVALID,
  isObject,
  nullable,
  oneOf,
  type ReadBy,
  type Reader,
  text,
} from '../check/reader.js';
import { listOf, object, optional, required } from '../check/structure.js';

const textPart = object({ type: required(oneOf('text')), text: required(text) });

const imageAddress = object({
  url: required(text),
  detail: optional(nullable(oneOf('auto', 'low', 'high')), null),
});

const imagePart = object({
  type: required(oneOf('image_url')),
  image_url: required(
    byShape<{ readonly url: string; readonly detail: 'auto' | 'low' | 'high' | null }>({
      string: (value) => ({ url: String(value), detail: null }),
      object: imageAddress,
      otherwise: ['string_type', 'Input should be a valid string or an object with a url'],
    }),
  ),
});

const PART_TYPES = ['text', 'image_url'] as const;

const part: Reader<ReadBy<typeof textPart> | ReadBy<typeof imagePart>> = (value, loc, faults) =>
  isObject(value) && value['type'] === 'image_url'
    ? imagePart(value, loc, faults)
    : isObject(value) && value['type'] !== 'text'
      ? unknownKind(value, 'type', PART_TYPES, { loc, faults })
      : textPart(value, loc, faults);

const content = nullable(
  byShape<string | readonly WirePart[]>({
    string: text,
    list: listOf(part),
    otherwise: ['string_type', 'Input should be a valid string or list of content parts'],
  }),
);

const calledFunction = object({ name: required(text), arguments: required(text) });
const toolCall = object({
  id: required(text),
  type: required(oneOf('function')),
  function: required(calledFunction),
});

const system = object({ role: required(oneOf('system', 'developer')), content: required(content) });
const user = object({ role: required(oneOf('user')), content: required(content) });
const assistant = object({
  role: required(oneOf('assistant')),
  content: optional(content, null),
  tool_calls: optional(nullable(listOf(toolCall)), null),
  function_call: optional(nullable(calledFunction), null),
});
const tool = object({
  role: required(oneOf('tool')),
  content: required(content),
  tool_call_id: required(text),
});
const legacyFunction = object({
  role: required(oneOf('function')),
  content: required(content),
  name: required(text),
});

const BY_ROLE = { system, developer: system, user, assistant, tool, function: legacyFunction } as const;
type Role = keyof typeof BY_ROLE;
const ROLES: readonly Role[] = ['system', 'developer', 'user', 'assistant', 'tool', 'function'];

const message: Reader<WireMessage> = (value, loc, faults) => {
  const role = isObject(value) ? ROLES.find((known) => known === value['role']) : undefined;
  if (role !== undefined) return BY_ROLE[role](value, loc, faults);
  return isObject(value) ? unknownKind(value, 'role', ROLES, { loc, faults }) : user(value, loc, faults);
};

/** Refuses an object whose kind is not known, or not there. */
function unknownKind(
  value: Readonly<Record<string, unknown>>,
  key: string,
  known: readonly string[],
  { loc, faults }: { readonly loc: Loc; readonly faults: Fault[] },
): typeof INVALID {
  if (Object.hasOwn(value, key)) oneOf(...known)(value[key], [...loc, key], faults);
  else fail(faults, 'missing', [...loc, key], 'Field required');
  return INVALID;
}

/** The list of messages; an empty one is fine. */
export const messages = listOf(message);

export type WirePart = ReadBy<typeof textPart> | ReadBy<typeof imagePart>;
export type WireMessage =
  | ReadBy<typeof system>
  | ReadBy<typeof user>
  | ReadBy<typeof assistant>
  | ReadBy<typeof tool>
  | ReadBy<typeof legacyFunction>;
export type WireCall = ReadBy<typeof toolCall>;
