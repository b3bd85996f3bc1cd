// DeepSeek. V3 and R1 write `function<sep>name` and the arguments in a ```json fence; V3.1 writes
// `name<sep>{...}`. Calls stand between begin and end markers, the list of them between another pair.

import {
  argumentsObject,
  closing,
  literal,
  type Reading,
  type Step,
  spaces,
  type ToolReader,
  until,
} from './reading.js';

const CALLS_END = '<｜tool▁calls▁end｜>';
const CALL_BEGIN = '<｜tool▁call▁begin｜>';
const CALL_END = '<｜tool▁call▁end｜>';
const SEPARATOR = '<｜tool▁sep｜>';

function* call(r: Reading): Step<boolean> {
  const before = yield* until(r, '<');
  if (before === undefined || !(yield* literal(r, SEPARATOR))) return false;
  const behind = (yield* until(r, '`{'))?.trim();
  if (behind === undefined) return false;
  const name = behind === '' ? before.trim() : behind;
  if (!r.accepts(name)) return false;
  const isFenced = r.c === '`';
  if (isFenced && !(yield* literal(r, '```json'))) return false;
  yield* spaces(r);
  if (r.c !== '{') return false;
  r.begin(name);
  if (!(yield* argumentsObject(r))) return false;
  r.complete();
  if (isFenced && !(yield* closing(r, '```'))) return false;
  return yield* closing(r, CALL_END);
}

export const deepseek: ToolReader = {
  openers: ['<｜tool▁calls▁begin｜>'],
  unmarked: [],
  *read(r: Reading): Step<boolean> {
    yield* spaces(r);
    if (!(yield* literal(r, CALL_BEGIN)) || !(yield* call(r))) return false;
    for (;;) {
      r.closing = true;
      yield* spaces(r);
      // Both markers begin alike; the character behind `call` tells them apart.
      if (!(yield* literal(r, '<｜tool▁call'))) return false;
      if (r.c === 's') return yield* literal(r, CALLS_END.slice('<｜tool▁call'.length));
      r.closing = false;
      if (!(yield* literal(r, CALL_BEGIN.slice('<｜tool▁call'.length))) || !(yield* call(r))) return false;
    }
  },
};
