// Reply parsers under random text and random chunk boundaries: the pieces' joined result equals the whole text's,
// nothing is lost, ids and names come once, and valid calls come back exactly.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createReplyParser, REPLY_FORMATS, replyMarkers, type ToolFormat } from '../../src/chat/index.js';
import type { ReplyPart } from '../../src/protocol/index.js';

const RUNS = 300;
const tools = [{ name: 'f' }, { name: 'get_weather', parameters: { type: 'object' } }];

interface Joined {
  content: string;
  reasoning: string;
  calls: { id: string; name: string; text: string }[];
}

function join(parts: readonly ReplyPart[]): Joined {
  const joined: Joined = { content: '', reasoning: '', calls: [] };
  for (const part of parts) {
    switch (part.kind) {
      case 'content':
        joined.content += part.text;
        break;
      case 'reasoning':
        joined.reasoning += part.text;
        break;
      case 'tool-call':
        expect(part.index).toBe(joined.calls.length);
        joined.calls.push({ id: part.id, name: part.name, text: '' });
        break;
      case 'tool-arguments': {
        const call = joined.calls[part.index];
        if (call === undefined) throw new Error('arguments before their call');
        call.text += part.text;
      }
    }
  }
  return joined;
}

function parse(
  format: ToolFormat,
  reasoning: 'none' | 'think' | 'inside',
  chunks: readonly string[],
): Joined {
  const parser = createReplyParser(format, { tools, reasoning, idFor: (index) => `call_${index}` });
  const parts = chunks.flatMap((chunk) => parser.push(chunk));
  const end = parser.finish();
  const joined = join([...parts, ...end.parts]);
  expect(end.toolCalls).toEqual(joined.calls.map(({ id, name, text }) => ({ id, name, arguments: text })));
  return joined;
}

function cut(text: string, sizes: readonly number[]): string[] {
  const chunks: string[] = [];
  let at = 0;
  for (let index = 0; at < text.length; index += 1) {
    const size = sizes[index % sizes.length] ?? 1;
    chunks.push(text.slice(at, at + size));
    at += size;
  }
  return chunks;
}

const every = fc.constantFrom(...REPLY_FORMATS);
const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 12 });
const mode = fc.constantFrom('none' as const, 'think' as const, 'inside' as const);

/** Text made of the pieces formats are made of, whole and broken. */
function noise(format: ToolFormat): fc.Arbitrary<string> {
  const markers = replyMarkers(format);
  const pieces = [
    ...markers,
    ...markers.map((marker) => marker.slice(0, -1)),
    ...markers.map((marker) => marker.slice(1)),
    '{"name": "f", "arguments": {"a": 1}}',
    '{"name": "f", "parameters": {}}',
    '{"name": "f", "arguments": ',
    '{"arguments": {"b": [1, 2]}, "name": "get_weather"}',
    'f',
    'get_weather',
    '```json\n',
    '```',
    '<parameter=x>\n1\n</parameter>',
    '<function=f>',
    '</function>',
    '<arg_key>x</arg_key>\n<arg_value>1',
    '</arg_value>',
    '<｜DSML｜invoke name="f">\n',
    '<｜DSML｜parameter name="x" string="false">1</｜DSML｜parameter>\n',
    '</｜DSML｜invoke>\n',
    '</｜DSML｜function_calls>',
    '<|channel|>commentary to=functions.f <|constrain|>json<|message|>',
    '<|channel|>analysis<|message|>',
    '<|end|><|start|>assistant',
    '>>>f\n',
    'all\n',
    '{"x": "<tool_call>"}',
    '{',
    '}',
    '[',
    ']',
    ', ',
    '; ',
    '\n',
    ' ',
    '"',
    'words',
    '日本',
    '😀',
  ];
  return fc.array(fc.constantFrom(...pieces), { maxLength: 14 }).map((chosen) => chosen.join(''));
}

const noisy = every.chain((format) => noise(format).map((text) => ({ format, text })));

describe('reply parsers', () => {
  it('give the same result for any chunking', () => {
    fc.assert(
      fc.property(noisy, mode, sizes, ({ format, text }, reasoning, lengths) => {
        expect(parse(format, reasoning, cut(text, lengths))).toEqual(parse(format, reasoning, [text]));
      }),
      { numRuns: RUNS * REPLY_FORMATS.length },
    );
  });

  it('lose nothing: without calls the content is the text', () => {
    fc.assert(
      fc.property(noisy, sizes, ({ format, text }, lengths) => {
        // Its headers are no content; harmony.test.ts says what becomes of its messages.
        fc.pre(format !== 'harmony');
        const { content, calls } = parse(format, 'none', cut(text, lengths));
        const withoutHeaders = (said: string): string => said.replaceAll(/(>>>)?all\n/g, '');
        if (calls.length === 0 && format === 'functionary-v3.2') {
          expect(withoutHeaders(content)).toBe(withoutHeaders(text));
        } else if (calls.length === 0) expect(content).toBe(text);
        else expect(text.length).toBeGreaterThan(content.length);
      }),
      { numRuns: RUNS * REPLY_FORMATS.length },
    );
  });

  it('return arguments exactly, whatever JSON they are', () => {
    const args = fc
      .tuple(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(0, 1, 2))
      .map(([value, indent]) => JSON.stringify(value, null, indent));
    fc.assert(
      fc.property(fc.array(args, { minLength: 1, maxLength: 3 }), sizes, (written, lengths) => {
        const text = written
          .map((json) => `<tool_call>\n{"name": "f", "arguments": ${json}}\n</tool_call>`)
          .join('\n');
        const reply = parse('hermes', 'think', cut(text, lengths));
        expect(reply.content).toBe('');
        expect(reply.calls.map((call) => call.text)).toEqual(written);
      }),
      { numRuns: RUNS },
    );
  });
});
