import { describe, expect, it } from 'vitest';
import { EventQueue } from './event-queue.js';

const queue = () => {
  let returns = 0;
  return { events: new EventQueue<number>(() => returns++), returns: () => returns };
};

describe('an event queue', () => {
  it('gives what waits, in order, then ends', async () => {
    const { events, returns } = queue();
    events.push(1);
    events.push(2);
    events.end(3);
    const seen: number[] = [];
    for await (const event of events) seen.push(event);
    expect(seen).toEqual([1, 2, 3]);
    expect(returns()).toBe(0);
  });

  it('wakes who waits', async () => {
    const { events } = queue();
    const first = events.next();
    events.push(7);
    expect(await first).toEqual({ value: 7, done: false });
    const second = events.next();
    events.end();
    expect(await second).toEqual({ value: undefined, done: true });
  });

  it('gives a last item to who waits, and the end after it', async () => {
    const { events } = queue();
    const waiting = events.next();
    events.end(9);
    expect(await waiting).toEqual({ value: 9, done: false });
    expect(await events.next()).toEqual({ value: undefined, done: true });
  });

  it('takes nothing after its end', async () => {
    const { events } = queue();
    events.end(1);
    events.push(2);
    events.end(3);
    expect((await events.next()).value).toBe(1);
    expect((await events.next()).done).toBe(true);
  });

  it('tells when the consumer stops early, who then gets nothing more', async () => {
    const { events, returns } = queue();
    events.push(1);
    events.push(2);
    for await (const event of events) if (event === 1) break;
    expect(returns()).toBe(1);
    events.push(3);
    // What had come before is still there for whoever asks; nothing is added.
    expect((await events.next()).value).toBe(2);
    expect((await events.next()).done).toBe(true);
  });
});
