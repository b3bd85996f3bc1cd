import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ReplyPart } from '../../protocol/index.js';
import { createReplyParser } from './parser.js';

const tools = [{ name: 'get_weather' }, { name: 'now' }];
const PARIS = '{"city": "Paris"}';

interface Reply {
  content: string;
  reasoning: string;
  readonly calls: [name: string, args: string][];
}

function read(text: string, size = 1, given = tools): Reply {
  const parser = createReplyParser('harmony', { tools: given, reasoning: 'none', idFor: String });
  const parts: ReplyPart[] = [];
  for (let at = 0; at < text.length; at += size) parts.push(...parser.push(text.slice(at, at + size)));
  const end = parser.finish();
  const reply: Reply = { content: '', reasoning: '', calls: [] };
  for (const part of [...parts, ...end.parts]) {
    if (part.kind === 'content') reply.content += part.text;
    else if (part.kind === 'reasoning') reply.reasoning += part.text;
    else if (part.kind === 'tool-call') reply.calls.push([part.name, '']);
    else (reply.calls[part.index] ?? ['', ''])[1] += part.text;
  }
  expect(end.toolCalls.map((call) => [call.name, call.arguments])).toEqual(reply.calls);
  return reply;
}

const message = (channel: string, text: string): string => `<|channel|>${channel}<|message|>${text}`;
const NEXT = '<|end|><|start|>assistant';

describe('harmony replies', () => {
  it.each([1, 3, 1000])('are reasoning, a preamble, calls and an answer, in pieces of %i', (size) => {
    const text = [
      message('analysis', 'I look.'),
      message('analysis', 'Twice.'),
      message('commentary', 'Looking now.'),
      message('commentary to=functions.get_weather <|constrain|>json', PARIS),
      message('final', 'Sunny.'),
    ].join(NEXT);
    expect(read(text, size)).toEqual({
      reasoning: 'I look.\nTwice.',
      content: 'Looking now.\nSunny.',
      calls: [['get_weather', PARIS]],
    });
  });

  it.each([
    [`<|channel|>commentary to=functions.now<|constrain|>json<|message|>{}<|call|>`, 'now', '{}'],
    [` to=functions.now<|channel|>commentary json<|message|> {}\n<|call|>`, 'now', '{}'],
    [`<|start|>assistant to=now<|channel|>analysis code<|message|>{"a": 1} `, 'now', '{"a": 1}'],
    [message('commentary to=functions.now', ''), 'now', '{}'],
    [message('commentary to=functions.now', 'plain words'), 'now', 'plain words'],
    [message('commentary to=functions.now', '{"a": "<|end|> is text"}'), 'now', '{"a": "<|end|> is text"}'],
    [message('commentary to=functions.now', '{"a": "cut'), 'now', '{"a": "cut'],
  ])('call a tool by %s', (text, name, args) => {
    expect(read(text)).toEqual({ content: '', reasoning: '', calls: [[name, args]] });
  });

  it.each([
    ['{"a": 1}', '{"a": 1}'],
    ['a < b', 'a < b'],
    ['', ''],
    ['<', '<'],
    [' to be', ' to be'],
    ['to=nobody', 'to=nobody'],
    [message('final', 'x <'), 'x <'],
    [message('final', 'x <|en'), 'x '],
    ['<|chan', ''],
    ['<|message|>plain', 'plain'],
    [`<|channel|>${'y'.repeat(3000)}`, `<|channel|>${'y'.repeat(3000)}`],
  ])('are content where they are %s', (text, content) => {
    expect(read(text)).toEqual({ content, reasoning: '', calls: [] });
  });

  it('call nobody where there are no tools', () => {
    const text = message('commentary to=functions.now', '{}');
    expect(read(text, 1, [])).toEqual({ content: '{}', reasoning: '', calls: [] });
  });

  it('are what their messages say, however they are cut', () => {
    const words = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !/[<|]|^\s|\s$/.test(text));
    const channel = fc.constantFrom('analysis', 'final', 'commentary', 'commentary to=functions.now');
    const args = fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.stringify(value));
    const part = fc.tuple(channel, words, args);
    fc.assert(
      fc.property(fc.array(part, { maxLength: 5 }), fc.integer({ min: 1, max: 9 }), (parts, size) => {
        const text = parts
          .map(([name, said, json]) => message(name, name.includes('to=') ? json : said))
          .join(NEXT);
        const reply = read(text, size);
        const said = (wanted: (name: string) => boolean): string[] =>
          parts.filter(([name]) => wanted(name)).map(([, words]) => words);
        expect(reply.reasoning).toBe(said((name) => name === 'analysis').join('\n'));
        expect(reply.calls.map(([, json]) => json)).toEqual(
          parts.filter(([name]) => name.includes('to=')).map(([, , json]) => json),
        );
        expect(reply.content).toBe(said((name) => name === 'final' || name === 'commentary').join('\n'));
      }),
    );
  });
});
