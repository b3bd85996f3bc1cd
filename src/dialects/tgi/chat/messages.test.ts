import { describe, expect, it } from 'vitest';
import { readChatV3 } from '../schema.js';
import { readText } from '../wire/body.js';
import { appendToLast, nextCallId, toMessages } from './messages.js';

const read = (messages: unknown) => readText(JSON.stringify({ messages }), readChatV3).messages;
const call = (id: string) => ({
  id,
  type: 'function',
  function: { name: 'f', arguments: { a: 1 } },
});

describe('messages on the wire', () => {
  it('takes text, chunks and calls', () => {
    const bodies = read([
      { role: 'developer', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
        name: 'x',
      },
      { role: 'assistant', content: null, tool_calls: [call('0')] },
      { role: 'tool', content: '7', tool_call_id: '0' },
    ]);
    expect(toMessages(bodies)).toEqual([
      { role: 'system', content: [{ kind: 'text', text: 'Be brief.' }] },
      {
        role: 'user',
        content: [
          { kind: 'text', text: 'a' },
          { kind: 'text', text: 'b' },
        ],
      },
      {
        role: 'assistant',
        content: [
          {
            kind: 'text',
            text: '[{"id":"0","type":"function","function":{"description":null,"name":"f","arguments":"{\\"a\\":1}"}}]',
          },
        ],
      },
      { role: 'tool', content: [{ kind: 'text', text: '7' }] },
    ]);
  });

  it('lets content win over calls', () => {
    expect(read([{ role: 'assistant', content: '', tool_calls: [call('0')] }])[0]?.toolCalls).toBeNull();
  });

  it.each([
    [
      [{ role: 'user', content: null }],
      'messages[0]: data did not match any variant of untagged enum MessageBody',
    ],
    [[{ role: 'user', content: [{ type: 'audio' }] }], 'messages[0]: data did not match any variant'],
    [[{ content: 'a' }], 'messages[0]: missing field `role`'],
  ])('%j is refused', (messages, why) => {
    expect(() => read(messages)).toThrow(why);
  });

  it('appends to the last message', () => {
    expect(appendToLast([], 'x')).toEqual([]);
    const [first] = appendToLast(toMessages(read([{ role: 'user', content: 'a' }])), 'x');
    expect(first?.content).toEqual([
      { kind: 'text', text: 'a' },
      { kind: 'text', text: 'x' },
    ]);
  });

  it('numbers calls on from the highest so far', () => {
    const ids = (...given: string[]) =>
      nextCallId(read([{ role: 'assistant', tool_calls: given.map(call) }]), () => 'random');
    expect(ids()).toBe('0');
    expect(ids('0', '4', '2')).toBe('5');
    expect(ids('0', 'call_x')).toBe('random');
  });
});
