// DeepSeek V3.2. Between <｜DSML｜function_calls> and its end tag, per call:
// <｜DSML｜invoke name="name">\n<｜DSML｜parameter name="key" string="true|false">value</｜DSML｜parameter>\n</｜DSML｜invoke>

import { Members } from './elements.js';
import { literal, type Reading, type Step, spaces, type ToolReader, until } from './reading.js';

const VALUE = { end: '</｜DSML｜parameter>', isOnLinesOfItsOwn: false };

/** The value of an attribute; the reader stands behind its opening quote. */
function* attribute(r: Reading): Step<string | undefined> {
  const text = yield* until(r, '"\n');
  return text !== undefined && (yield* literal(r, '"')) ? text : undefined;
}

function* parameters(r: Reading): Step<boolean> {
  const members = new Members(r, VALUE);
  yield* spaces(r);
  while (yield* literal(r, '<')) {
    if (r.c === '/') break;
    if (!(yield* literal(r, '｜DSML｜parameter name="'))) return false;
    const key = yield* attribute(r);
    if (key === undefined || !(yield* literal(r, ' string="'))) return false;
    const isString = yield* attribute(r);
    if (isString === undefined || !(yield* literal(r, '>'))) return false;
    const kind =
      isString === 'true' ? ({ kind: 'text' } as const) : ({ kind: 'json', types: undefined } as const);
    if (!(yield* members.value(key, kind))) return false;
    yield* spaces(r);
  }
  if (!(yield* literal(r, '/｜DSML｜invoke>'))) return false;
  members.end();
  return true;
}

export const deepseekDsml: ToolReader = {
  openers: ['<｜DSML｜function_calls>'],
  unmarked: [],
  *read(r: Reading): Step<boolean> {
    for (;;) {
      yield* spaces(r);
      if (!(yield* literal(r, '<'))) return false;
      if (r.c === '/' && r.completed) return yield* literal(r, '/｜DSML｜function_calls>');
      if (!(yield* literal(r, '｜DSML｜invoke name="'))) return false;
      r.closing = false;
      const name = yield* attribute(r);
      if (name === undefined || !r.accepts(name) || !(yield* literal(r, '>'))) return false;
      r.begin(name);
      if (!(yield* parameters(r))) return false;
      // What follows only closes, unless another call begins.
      r.closing = true;
    }
  },
};
