import { describe, expect, it } from 'vitest';
import type { GenerateEvent } from '../../../protocol/index.js';
import type { ReplyShape } from '../decode.js';
import { ChatStream } from './chat-stream.js';

const shape: ReplyShape = {
  id: 'chatcmpl-1',
  created: 1,
  model: 'm',
  fingerprint: 'fp',
  n: 1,
  includeUsage: false,
  hasLogprobs: false,
  returnTokenIds: false,
  showsSpecial: false,
  echo: false,
  isLegacyCall: false,
};

/** The deltas of the frames made of one event. */
function deltasOf(stream: ChatStream, event: Extract<GenerateEvent, { kind: 'delta' }>): readonly unknown[] {
  return stream
    .frames(event)
    .split('\n\n')
    .filter((frame) => frame !== '')
    .map((frame) => JSON.parse(frame.slice('data: '.length)).choices[0].delta);
}

describe('a chat stream', () => {
  it('says nothing where there is nothing to say', () => {
    const stream = new ChatStream(shape);
    expect(stream.frames({ kind: 'delta', choice: 0, text: '' })).toBe('');
    expect(stream.frames({ kind: 'delta', choice: 0, text: 'held back', parts: [] })).toBe('');
    const empty = [{ kind: 'content' as const, text: '' }];
    expect(stream.frames({ kind: 'delta', choice: 0, text: '', parts: empty })).toBe('');
  });

  it('gives text without parts as content, and every part a chunk of its own', () => {
    const stream = new ChatStream(shape);
    expect(deltasOf(stream, { kind: 'delta', choice: 0, text: 'a"b' })).toEqual([{ content: 'a"b' }]);
    const parts = [
      { kind: 'reasoning' as const, text: 'r' },
      { kind: 'content' as const, text: 'c' },
    ];
    expect(deltasOf(stream, { kind: 'delta', choice: 0, text: 'rc', parts })).toEqual([
      { reasoning_content: 'r' },
      { content: 'c' },
    ]);
  });

  it('attaches log-probabilities to the first chunk of an event only, and leaves out EOS', () => {
    const stream = new ChatStream({ ...shape, hasLogprobs: true });
    const tokens = [
      { id: 5, text: 'x', logprob: Number.NEGATIVE_INFINITY, special: false },
      { id: 2, text: '</s>', logprob: -1, special: true },
    ];
    const parts = [
      { kind: 'reasoning' as const, text: 'r' },
      { kind: 'content' as const, text: 'c' },
    ];
    const frames = stream.frames({ kind: 'delta', choice: 0, text: 'x', parts, tokens });
    const logprobs = frames
      .split('\n\n')
      .flatMap((frame) => (frame === '' ? [] : [JSON.parse(frame.slice(6)).choices[0].logprobs]));
    expect(logprobs).toEqual([
      { content: [{ token: 'x', logprob: -9999, bytes: [120], top_logprobs: [] }], refusal: null },
      null,
    ]);
  });
});
