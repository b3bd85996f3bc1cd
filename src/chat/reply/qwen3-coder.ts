// Qwen3-Coder: <tool_call>\n<function=name>\n<parameter=key>\nvalue\n</parameter>\n</function>\n</tool_call>.
// Values stand on lines of their own.

import { kindOf, Members } from './elements.js';
import { closing, literal, type Reading, type Step, spaces, type ToolReader, until } from './reading.js';

const VALUE = { end: '</parameter>', isOnLinesOfItsOwn: true };

function* parameters(r: Reading, tool: string): Step<boolean> {
  const members = new Members(r, VALUE);
  yield* spaces(r);
  while (yield* literal(r, '<')) {
    if (r.c === '/') break;
    if (!(yield* literal(r, 'parameter='))) return false;
    const key = yield* until(r, '>\n');
    if (key === undefined || !(yield* literal(r, '>'))) return false;
    if (!(yield* members.value(key, kindOf(r, tool, key)))) return false;
    yield* spaces(r);
  }
  if (!(yield* literal(r, '/function>'))) return false;
  members.end();
  return true;
}

export const qwen3Coder: ToolReader = {
  openers: ['<tool_call>'],
  unmarked: [],
  *read(r: Reading): Step<boolean> {
    yield* spaces(r);
    if (!(yield* literal(r, '<function='))) return false;
    const name = yield* until(r, '><\n');
    if (name === undefined || !r.accepts(name) || !(yield* literal(r, '>'))) return false;
    r.begin(name);
    return (yield* parameters(r, name)) && (yield* closing(r, '</tool_call>'));
  },
};
