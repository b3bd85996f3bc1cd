import { describe, expect, it } from 'vitest';
import type { GenerateEvent, TokenInfo } from '../../../protocol/index.js';
import { type EndSigns, TokenFeed } from './token-feed.js';

const signs: EndSigns = { maxNewTokens: undefined, contextTokens: 100, stopStrings: [] };
const started: GenerateEvent = { kind: 'started', promptTokens: 10, cachedTokens: 0 };
const token = (text: string, more: Partial<TokenInfo> = {}): TokenInfo => ({
  id: 7,
  text,
  logprob: -1,
  special: false,
  ...more,
});
const delta = (...tokens: TokenInfo[]): GenerateEvent => ({
  kind: 'delta',
  choice: 0,
  text: tokens.map(({ text }) => text).join(''),
  tokens,
});
const end = (reason: 'eos' | 'length' | 'stop_sequence', completionTokens = 1): GenerateEvent => ({
  kind: 'choice',
  choice: 0,
  reason,
  completionTokens,
});

/** Feeds events and returns what each one wrote: `index:text`, with `!` for the last. */
function feed(given: Partial<EndSigns>, ...events: readonly GenerateEvent[]): readonly string[] {
  const reader = new TokenFeed(
    { ...signs, ...given },
    ({ text }, index, ending) => `${index}:${text}${ending === null ? '' : `!${ending.text}`};`,
  );
  return [started, ...events].map((event) => reader.push(event)).slice(1);
}

describe('TokenFeed', () => {
  it('lets a token go at once when nothing says that it is the last', () => {
    expect(feed({}, delta(token('a')), delta(token('b')))).toEqual(['1:a;', '2:b;']);
  });

  it('holds an EOS token until the end is known', () => {
    const eos = { ...delta(token('</s>', { special: true })), text: '' };
    expect(feed({}, delta(token('a')), eos, end('eos'))).toEqual(['1:a;', '', '2:</s>!a;']);
  });

  it('holds the last token that the limit allows', () => {
    expect(feed({ maxNewTokens: 2 }, delta(token('a')), delta(token('b')), end('length'))).toEqual([
      '1:a;',
      '',
      '2:b!ab;',
    ]);
  });

  it('holds the last token for which the context has room', () => {
    expect(feed({ contextTokens: 11 }, delta(token('a')), end('length'))).toEqual(['', '1:a!a;']);
  });

  it('holds a token that completes a stop string, also across tokens and inside one', () => {
    const stops = { stopStrings: ['/test;'] };
    expect(feed(stops, delta(token('/te')), delta(token('st; ')), end('stop_sequence'))).toEqual([
      '1:/te;',
      '',
      '2:st; !/test; ;',
    ]);
    expect(feed(stops, delta(token('/test')), delta(token(' ;')))).toEqual(['1:/test;', '2: ;;']);
  });

  it('calls the end of a sequence that has all its tokens its length, whatever the last one is', () => {
    const ends = (maxNewTokens: number, event: GenerateEvent): string | undefined => {
      const reader = new TokenFeed({ ...signs, maxNewTokens, stopStrings: ['b'] }, () => '');
      for (const each of [started, delta(token('a')), delta(token('b')), event]) reader.push(each);
      return reader.ending?.result.reason;
    };
    expect([ends(2, end('eos', 2)), ends(2, end('stop_sequence', 2))]).toEqual(['length', 'length']);
    expect([ends(3, end('eos', 2)), ends(3, end('stop_sequence', 2))]).toEqual(['eos', 'stop_sequence']);
  });

  it('takes the characters of a stop string as they are', () => {
    const stops = { stopStrings: ['<|stop|>', 'a.c'] };
    expect(feed(stops, delta(token('<|stop')), delta(token('|>')))).toEqual(['1:<|stop;', '']);
    expect(feed(stops, delta(token('stop')), delta(token('abc')))).toEqual(['1:stop;', '2:abc;']);
  });

  it('lets a held token go when the sequence goes on', () => {
    const shown = feed({}, delta(token('<tag>', { special: true })), delta(token('b')));
    expect(shown).toEqual(['', '1:<tag>;2:b;']);
  });

  it('takes several tokens at once', () => {
    expect(feed({ maxNewTokens: 3 }, delta(token('a'), token('b'), token('c')), end('length'))).toEqual([
      '1:a;2:b;',
      '3:c!abc;',
    ]);
  });

  it('says an end that no sign told with an empty token', () => {
    expect(feed({}, delta(token('a')), end('length', 1))).toEqual(['1:a;', '2:!a;']);
  });

  it('makes do with text where no tokens are reported', () => {
    const text: GenerateEvent = { kind: 'delta', choice: 0, text: 'ab' };
    expect(feed({}, text, text, end('eos', 2))).toEqual(['1:ab;', '2:ab;', '3:!abab;']);
  });

  it('keeps the held token of a stream that is cut off', () => {
    const reader = new TokenFeed({ ...signs, maxNewTokens: 1 }, ({ text }) => text);
    expect(reader.push(delta(token('a')))).toBe('');
    expect(() => reader.push({ kind: 'failed', failure: { code: 'engine_lost', message: 'gone' } })).toThrow(
      'gone',
    );
    expect(reader.flush()).toBe('a');
    expect(reader.flush()).toBe('');
  });

  it('shows a character with the token that completes it', () => {
    const shown = feed(
      {},
      delta(token('', { bytes: [0xf0, 0x9f] })),
      delta(token('', { bytes: [0x98, 0x80] })),
    );
    expect(shown).toEqual(['1:;', '2:😀;']);
  });
});
