import { describe, expect, it } from 'vitest';
import { Outbox } from './outbox.js';
import type { Group } from './sequence.js';

/** An outbox reads nothing else of a group. */
const groupOf = (key: number, n = 1, bestOf = n): Group =>
  ({ key, n, bestOf, held: new Map() }) as Partial<Group> as Group;

const started = { kind: 'started', promptTokens: 1, cachedTokens: 0 } as const;

describe('the outbox', () => {
  it('keeps texts in their short form, in order', () => {
    const outbox = new Outbox();
    outbox.text(groupOf(1), 0, 'a');
    outbox.text(groupOf(2), 1, 'b');
    expect(outbox.isEmpty).toBe(false);
    expect(outbox.take()).toEqual({
      texts: [
        [1, 0, 'a'],
        [2, 1, 'b'],
      ],
      events: [],
    });
    expect(outbox.isEmpty).toBe(true);
    expect(outbox.take()).toEqual({ texts: [], events: [] });
  });

  it('puts no text of a request before its beginning', () => {
    const outbox = new Outbox();
    outbox.ofGroup(1, started);
    outbox.text(groupOf(1), 0, 'first');
    outbox.text(groupOf(2), 0, 'other');
    expect(outbox.take()).toEqual({
      texts: [[2, 0, 'other']],
      events: [
        [1, started],
        [1, { kind: 'delta', choice: 0, text: 'first' }],
      ],
    });
    outbox.text(groupOf(1), 0, 'second');
    expect(outbox.take().texts).toEqual([[1, 0, 'second']]);
  });

  it('puts no text before an event of the same request that came earlier', () => {
    const outbox = new Outbox();
    const delta = { kind: 'delta', choice: 0, text: 'a', tokens: [] } as const;
    outbox.text(groupOf(1), 0, '0');
    outbox.ofChoice(groupOf(1), 0, delta);
    outbox.text(groupOf(1), 0, 'b');
    expect(outbox.take()).toEqual({
      texts: [[1, 0, '0']],
      events: [
        [1, delta],
        [1, { kind: 'delta', choice: 0, text: 'b' }],
      ],
    });
  });

  it('holds back the choices of a request that returns the best of more', () => {
    const outbox = new Outbox();
    const group = groupOf(1, 1, 2);
    outbox.text(group, 0, 'a');
    outbox.ofChoice(group, 1, { kind: 'choice', choice: 1, reason: 'eos', completionTokens: 1 });
    expect(outbox.isEmpty).toBe(true);
    expect([...group.held.keys()]).toEqual([0, 1]);
    expect(group.held.get(0)).toEqual([{ kind: 'delta', choice: 0, text: 'a' }]);
  });
});
