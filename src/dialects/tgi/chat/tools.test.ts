import { describe, expect, it } from 'vitest';
import type { ChatBody } from '../schema.js';
import { readChatV3 } from '../schema.js';
import { readText } from '../wire/body.js';
import { ToolStream } from './tool-stream.js';
import { planTools, readCall, toDefinitions, toolConstraint, toolText } from './tools.js';

const weather = {
  name: 'get_weather',
  description: 'Weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const body = (more: object): ChatBody =>
  readText(
    JSON.stringify({ messages: [], tools: [{ type: 'function', function: weather }], ...more }),
    readChatV3,
  );

describe('planTools', () => {
  it('adds the way out to auto alone', () => {
    const names = (more: object) => planTools(body(more))?.functions.map(({ name }) => name);
    expect(names({})).toEqual(['get_weather', 'no_tool']);
    expect(names({ tool_choice: null })).toEqual(['get_weather', 'no_tool']);
    expect(names({ tool_choice: 'required' })).toEqual(['get_weather']);
    expect(names({ tool_choice: 'get_weather' })).toEqual(['get_weather']);
    expect(names({ tool_choice: { type: 'function', function: { name: 'get_weather' } } })).toEqual([
      'get_weather',
    ]);
    expect(names({ tool_choice: 'none' })).toBeUndefined();
    expect(names({ tools: [] })).toBeUndefined();
    expect(names({ tools: null })).toBeUndefined();
  });

  it('refuses unknown functions and tools beside a grammar', () => {
    expect(() => planTools(body({ tool_choice: 'other' }))).toThrow(
      'Tool error: Tool with name other not found',
    );
    const format = { response_format: { type: 'regex', value: 'a' } };
    expect(() => planTools(body({ ...format, tools: [] }))).toThrow(
      'Tool error: Grammar and tools are mutually exclusive',
    );
  });
});

describe('toolConstraint', () => {
  it('is a function by name with its closed arguments', () => {
    const plan = planTools(body({ tool_choice: 'required' }));
    if (plan === null) throw new Error('no plan');
    expect(toolConstraint(plan)).toEqual({
      kind: 'json-schema',
      strict: false,
      whitespace: 'single',
      schema: {
        type: 'object',
        properties: {
          function: {
            type: 'object',
            properties: { _name: { type: 'string', const: 'get_weather' }, city: { type: 'string' } },
            required: ['_name', 'city'],
            additionalProperties: false,
          },
        },
        required: ['function'],
        additionalProperties: false,
      },
    });
  });

  it("moves a function's own definitions to the root", () => {
    const parameters = {
      type: 'object',
      properties: { at: { $ref: '#/$defs/place' } },
      $defs: { place: { type: 'object', properties: { lat: { type: 'number' } } } },
    };
    const tools = [{ type: 'function', function: { name: 'f', parameters } }];
    const plan = planTools(body({ tools, tool_choice: 'required' }));
    const text = JSON.stringify(plan === null ? null : toolConstraint(plan));
    expect(text).toContain('"at":{"$ref":"#/$defs/0.place"}');
    expect(text).toContain('"$defs":{"0.place":{"type":"object"');
  });
});

describe('toolText', () => {
  const plan = planTools(body({ tool_choice: 'required', tool_prompt: 'Pick.' }));
  if (plan === null) throw new Error('no plan');

  it('shows the tools only where the template does not', () => {
    expect(toolText(plan, true)).toBe('\n---\nPick.');
    expect(toolText(plan, false)).toBe(
      `\n---\n[{"type":"function","function":{"description":"Weather","name":"get_weather","arguments":${JSON.stringify(JSON.stringify(weather.parameters))}}}]\nPick.`,
    );
    expect(toDefinitions(plan)).toEqual([weather]);
  });
});

describe('readCall', () => {
  it('gives compact arguments in their order', () => {
    expect(readCall('{ "function": { "_name": "f", "b": 1, "a": [ 2 ] } }')).toEqual({
      name: 'f',
      arguments: '{"b":1,"a":[2]}',
    });
  });

  it('refuses what was cut off or is no call', () => {
    expect(() => readCall('{"function":')).toThrow(
      'Tool error: Failed to parse generated text: EOF while parsing a value at line 1 column 12 "{\\"function\\":"',
    );
    expect(() => readCall('[]')).toThrow('Tool error: Failed to parse generated text: no function call "[]"');
  });
});

describe('ToolStream', () => {
  const text = '{"function": {"_name": "f\\"x", "city": "Pa}r\\"is", "list": [{"a": 1}]}}';
  const whole = '{"city": "Pa}r\\"is", "list": [{"a": 1}]}';

  it.each([1, 2, 3, 7, 100])('joins to the arguments in pieces of %i', (size) => {
    const call = new ToolStream();
    let name = '';
    let joined = '';
    for (let at = 0; at < text.length; at += size) {
      const piece = call.push(text.slice(at, at + size));
      if (piece.kind === 'begin') name = piece.name;
      if (piece.kind !== 'nothing') joined += piece.arguments;
    }
    expect([name, joined]).toEqual(['f"x', whole]);
  });

  it('handles a call without arguments', () => {
    const call = new ToolStream();
    expect(call.push('{"function": {"_name": "f"')).toEqual({ kind: 'nothing' });
    expect(call.push('}}')).toEqual({ kind: 'begin', name: 'f', arguments: '{}' });
    expect(call.push('\n')).toEqual({ kind: 'nothing' });
  });
});
