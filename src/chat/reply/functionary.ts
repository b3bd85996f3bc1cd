// Functionary v3.1, and Llama 3 with custom functions: <function=name>{...}</function>

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

export const functionary: ToolReader = {
  openers: ['<function='],
  unmarked: [],
  *read(r: Reading): Step<boolean> {
    const name = yield* until(r, '><{\n');
    if (name === undefined || !r.accepts(name) || !(yield* literal(r, '>'))) return false;
    yield* spaces(r);
    if (r.c !== '{') return false;
    r.begin(name);
    if (!(yield* argumentsObject(r))) return false;
    r.complete();
    return yield* closing(r, '</function>');
  },
};
