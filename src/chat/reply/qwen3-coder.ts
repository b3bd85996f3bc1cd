// Qwen3-Coder: <tool_call>\n<function=name>\n<parameter=key>\nvalue\n</parameter>\n</function>\n</tool_call>.
// Values are plain text, so the tool's schema says which of them are not strings; each parameter is passed on
// as JSON once it is whole.

import {
  closing,
  literal,
  type Reading,
  type Step,
  spaces,
  type ToolReader,
  take,
  until,
} from './reading.js';

const PARAMETER_END = '</parameter>';

/** The type a schema gives a property; undefined where it gives none. */
function typeOf(r: Reading, tool: string, key: string): unknown {
  const parameters = r.tools.find(({ name }) => name === tool)?.parameters;
  if (typeof parameters !== 'object') return undefined;
  const properties = parameters['properties'];
  if (typeof properties !== 'object' || properties === null) return undefined;
  const property: unknown = (properties as Record<string, unknown>)[key];
  return typeof property === 'object' && property !== null
    ? (property as Record<string, unknown>)['type']
    : undefined;
}

/** A value as JSON: text stays a string unless the schema wants something else and it is that. */
function toJson(value: string, type: unknown): string {
  if (type === undefined || type === 'string') return JSON.stringify(value);
  try {
    JSON.parse(value);
    return value.trim();
  } catch {
    const lower = value.trim().toLowerCase();
    return ['true', 'false', 'null'].includes(lower) ? lower : JSON.stringify(value);
  }
}

function* value(r: Reading): Step<string | undefined> {
  let text = '';
  while (!text.endsWith(PARAMETER_END)) {
    if (r.c === '') return undefined;
    text += r.c;
    yield* take(r);
  }
  return text.slice(0, -PARAMETER_END.length).replace(/^\n/, '').replace(/\n$/, '');
}

function* parameters(r: Reading, tool: string): Step<boolean> {
  let separator = '{';
  yield* spaces(r);
  while (yield* literal(r, '<')) {
    if (r.c === '/') break;
    if (!(yield* literal(r, 'parameter='))) return false;
    const key = yield* until(r, '>\n');
    if (key === undefined || !(yield* literal(r, '>'))) return false;
    const text = yield* value(r);
    if (text === undefined) return false;
    r.argument(`${separator}${JSON.stringify(key)}: ${toJson(text, typeOf(r, tool, key))}`);
    r.raw = '';
    separator = ', ';
    yield* spaces(r);
  }
  if (!(yield* literal(r, '/function>'))) return false;
  r.argument(separator === '{' ? '{}' : '}');
  r.complete();
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
