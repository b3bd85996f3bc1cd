// GLM 4.5 to 4.7: <tool_call>name\n<arg_key>key</arg_key>\n<arg_value>value</arg_value>\n</tool_call>, the line
// breaks between the tags optional.

import { kindOf, Members } from './elements.js';
import { literal, type Reading, type Step, spaces, type ToolReader, until } from './reading.js';

const VALUE = { end: '</arg_value>', isOnLinesOfItsOwn: false };

function* parameters(r: Reading, tool: string): Step<boolean> {
  const members = new Members(r, VALUE);
  yield* spaces(r);
  while (yield* literal(r, '<')) {
    if (r.c === '/') break;
    if (!(yield* literal(r, 'arg_key>'))) return false;
    const key = yield* until(r, '<');
    if (key === undefined || !(yield* literal(r, '</arg_key>'))) return false;
    yield* spaces(r);
    if (!(yield* literal(r, '<arg_value>'))) return false;
    if (!(yield* members.value(key, kindOf(r, tool, key)))) return false;
    yield* spaces(r);
  }
  if (!(yield* literal(r, '/tool_call>'))) return false;
  members.end();
  return true;
}

export const glm: ToolReader = {
  openers: ['<tool_call>'],
  unmarked: [],
  *read(r: Reading): Step<boolean> {
    yield* spaces(r);
    const name = (yield* until(r, '\n<{'))?.trim();
    if (name === undefined || !/^\S+$/.test(name) || !r.accepts(name)) return false;
    yield* spaces(r);
    if (r.c !== '<') return false;
    r.begin(name);
    return yield* parameters(r, name);
  },
};
