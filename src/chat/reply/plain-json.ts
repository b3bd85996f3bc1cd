// Models without markers of their own: the whole reply is one call object or an array of them, alone or in a
// ```json fence. Only names of given tools count, so that an ordinary JSON answer stays content.

import { callObject, literal, type Reading, type Step, spaces, type ToolReader } from './reading.js';

function* calls(r: Reading): Step<boolean> {
  if (r.c !== '[') return yield* callObject(r);
  yield* literal(r, '[');
  do {
    yield* spaces(r);
    if (!(yield* callObject(r))) return false;
    r.closing = true;
    yield* spaces(r);
    r.closing = r.isAtEnd;
  } while (yield* literal(r, ','));
  r.closing = true;
  return yield* literal(r, ']');
}

export const plainJson: ToolReader = {
  openers: [],
  unmarked: ['{', '[', '```json'],
  *read(r: Reading): Step<boolean> {
    const isFenced = r.c === '`';
    if (isFenced && !(yield* literal(r, '```json'))) return false;
    yield* spaces(r);
    if (!(yield* calls(r))) return false;
    if (!isFenced) return true;
    r.closing = true;
    yield* spaces(r);
    return yield* literal(r, '```');
  },
};
