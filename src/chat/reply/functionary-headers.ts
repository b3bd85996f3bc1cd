// Functionary v3.2: a reply is parts with a header each, `>>>name\n{...}` for a call and `>>>all\n...` for text. The
// prompt ends with the first `>>>`, so that a reply begins inside a header.

import {
  argumentsObject,
  literal,
  type Reading,
  type Step,
  spaces,
  type ToolReader,
  until,
} from './reading.js';

export const functionaryHeaders: ToolReader = {
  openers: ['>>>'],
  unmarked: [],
  startsInside: true,
  *read(r: Reading): Step<boolean> {
    // A repeated mark, where the prompt had one.
    if (r.raw === '' && r.c === '>' && !(yield* literal(r, '>>>'))) return false;
    const name = yield* until(r, '\n >{');
    if (name === undefined || !(yield* literal(r, '\n'))) return false;
    if (name === 'all') return true;
    // Without a marker of its own, only a tool's name makes it a call.
    if (!r.tools.some((tool) => tool.name === name)) return false;
    yield* spaces(r);
    if (r.c !== '{') return false;
    r.begin(name);
    if (!(yield* argumentsObject(r))) return false;
    r.complete();
    r.closing = true;
    yield* spaces(r);
    r.closing = r.isAtEnd;
    return true;
  },
};
