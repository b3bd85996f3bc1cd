// Hermes, Qwen 2.5 and 3, and the built-in demo model: <tool_call>\n{"name": ..., "arguments": {...}}\n</tool_call>

import { callObject, closing, type Reading, type Step, spaces, type ToolReader } from './reading.js';

export const hermes: ToolReader = {
  openers: ['<tool_call>'],
  unmarked: [],
  *read(r: Reading): Step<boolean> {
    yield* spaces(r);
    return (yield* callObject(r)) && (yield* closing(r, '</tool_call>'));
  },
};
