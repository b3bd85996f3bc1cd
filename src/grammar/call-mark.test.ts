import { describe, expect, it } from 'vitest';
import { REPLY_FORMATS, type ToolFormat, toolCallSyntax } from '../chat/index.js';
import { callMarks } from './call-mark.js';
import { withoutRepeats } from './ebnf.js';
import { toGrammar } from './index.js';

const tools = [{ name: 'f' }, { name: 'g"h' }];
const syntaxOf = (format: ToolFormat) => {
  const syntax = toolCallSyntax(format);
  if (syntax === undefined) throw new Error(`${format} has no syntax`);
  return syntax;
};
const piecesOf = (format: ToolFormat) =>
  callMarks(tools.slice(0, 1), syntaxOf(format)).marks.map(({ pieces, isFirst }) => [...pieces, isFirst]);
const HEAD = ['{', '"name"', ':', '"'];

describe('the mark of a call', () => {
  it.each<[ToolFormat, ...(readonly (string | boolean)[])[]]>([
    ['hermes', ['<tool_call>', ...HEAD, false]],
    ['mistral', ['[TOOL_CALLS]', '[', ...HEAD, false]],
    ['mistral-args', ['[TOOL_CALLS]', false]],
    ['internlm', ['<|action_start|>', '<|plugin|>', ...HEAD, false]],
    ['qwen3-coder', ['<tool_call>', '<function=', false]],
    ['glm', ['<tool_call>', false]],
    ['harmony', ['<|channel|>commentary', 'to=functions.', false]],
    ['functionary-v3.2', ['f\n', '{', true], ['>>>f\n', '{', false]],
    ['json', ['{', '"name"', ':', '"f"', ',', '"arguments"', ':', true]],
    [
      'llama3',
      ['<|python_tag|>', ...HEAD, false],
      ['{', '"name"', ':', '"f"', ',', '"parameters"', ':', true],
    ],
  ])('in %s is what only a call begins with', (format, ...marks) => {
    expect(piecesOf(format)).toEqual(marks);
  });

  it('is in every format how its grammar begins', () => {
    for (const format of REPLY_FORMATS) {
      if (format === 'none') continue;
      const syntax = syntaxOf(format);
      const { marks } = callMarks(tools.slice(0, 1), syntax);
      const whole = `${syntax.opening}${syntax.begin}f${syntax.middle}{`;
      for (const { written, pieces } of marks) {
        expect(whole.startsWith(written), format).toBe(true);
        if (!written.startsWith('f')) expect(pieces.join('').endsWith(written.replace(/\s/g, ''))).toBe(true);
      }
    }
  });

  it('writes names as calls do', () => {
    expect(callMarks(tools, syntaxOf('json')).marks[1]?.pieces).toContain(String.raw`"g\"h"`);
    expect(() => callMarks(tools, syntaxOf('glm'))).toThrow('cannot be written');
  });
});

describe('rules that are repeated', () => {
  it('stand in a grammar once, and those that refer to them too', () => {
    const text = [
      'root ::= a_s "a_s" | b_s [b_s] | c',
      'a_s ::= "\\"" a_t',
      'a_t ::= [^"] a_t | "\\""',
      'b_s ::= "\\"" b_t',
      'b_t ::= [^"] b_t | "\\""',
      'c ::= a_t b_t',
    ];
    expect(withoutRepeats(text.join('\n')).split('\n')).toEqual([
      'root ::= a_s "a_s" | a_s [b_s] | c',
      'a_s ::= "\\"" a_t',
      'a_t ::= [^"] a_t | "\\""',
      'c ::= a_t a_t',
    ]);
  });

  it('are few in a grammar of many tools', () => {
    const parameters = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'number' } } };
    const grammar = (count: number) => {
      const many = Array.from({ length: count }, (_, index) => ({ name: `t${index}`, parameters }));
      return toGrammar({ kind: 'tool-call', mode: 'auto', parallel: true, tools: many }, syntaxOf('hermes'))
        .text;
    };
    expect(grammar(30).split('\n')).toHaveLength(grammar(1).split('\n').length);
  });
});
