// Mistral: [TOOL_CALLS][{"name": ..., "arguments": {...}}, ...] up to tokenizer v7, and since v11 one
// [TOOL_CALLS]name[ARGS]{...} per call, some with [CALL_ID]id before [ARGS]. Both are read.

import {
  argumentsObject,
  callObject,
  closing,
  literal,
  type Reading,
  type Step,
  spaces,
  type ToolReader,
  until,
} from './reading.js';

function* list(r: Reading): Step<boolean> {
  yield* literal(r, '[');
  do {
    yield* spaces(r);
    if (!(yield* callObject(r))) return false;
    r.closing = true;
    yield* spaces(r);
    r.closing = r.isAtEnd;
  } while (yield* literal(r, ','));
  return yield* closing(r, ']');
}

function* named(r: Reading): Step<boolean> {
  const name = (yield* until(r, '[{'))?.trim();
  if (name === undefined || !r.accepts(name)) return false;
  while (r.c === '[') {
    if ((yield* until(r, ']')) === undefined) return false;
    yield* literal(r, ']');
    if ((yield* until(r, '[{')) === undefined) return false;
  }
  r.begin(name);
  if (!(yield* argumentsObject(r))) return false;
  r.complete();
  return true;
}

export const mistral: ToolReader = {
  openers: ['[TOOL_CALLS]'],
  unmarked: [],
  *read(r: Reading): Step<boolean> {
    yield* spaces(r);
    return r.c === '[' ? yield* list(r) : yield* named(r);
  },
};
