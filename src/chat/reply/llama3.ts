// Llama 3.1 to 3.3: the whole reply is {"name": ..., "parameters": {...}}, or such objects joined by `;`, with or
// without <|python_tag|> in front. Without it only a given tool's name makes it a call. Python behind the tag
// (the built-in interpreter) is content.

import { callObject, literal, type Reading, type Step, spaces, type ToolReader } from './reading.js';

export const llama3: ToolReader = {
  openers: ['<|python_tag|>'],
  unmarked: ['{'],
  *read(r: Reading): Step<boolean> {
    do {
      r.closing = false;
      yield* spaces(r);
      if (!(yield* callObject(r))) return false;
      r.closing = true;
      yield* spaces(r);
    } while (yield* literal(r, ';'));
    return true;
  },
};
