// InternLM 2.5 and 3: <|action_start|><|plugin|>\n{"name": ..., "parameters": {...}}<|action_end|>
// <|interpreter|> in place of <|plugin|> is code for a built-in interpreter: content.

import { callObject, closing, type Reading, type Step, spaces, type ToolReader } from './reading.js';

export const internlm: ToolReader = {
  openers: ['<|action_start|><|plugin|>', '<|action_start|> <|plugin|>'],
  unmarked: [],
  *read(r: Reading): Step<boolean> {
    yield* spaces(r);
    return (yield* callObject(r)) && (yield* closing(r, '<|action_end|>'));
  },
};
