import { beforeEach, describe, expect, it } from 'vitest';
import { createFakeRunner, type FakeRunner } from '../../../test/support/fake-runner.js';
import { Places, type Tenant } from './places.js';
import type { PrefixCache } from './prefix-cache.js';
import { RadixCache } from './radix-cache.js';

let runner: FakeRunner;
let cache: PrefixCache;
let places: Places;

beforeEach(() => setUp({}));

function setUp(options: Parameters<typeof createFakeRunner>[0], budgetBytes = 1 << 20): void {
  runner = createFakeRunner({ maxSequences: 3, batchTokens: 64, ...options });
  cache = new RadixCache({ budgetBytes, split: (block, at) => runner.splitKv(block, at), isExact: false });
  places = new Places(runner, cache, true);
}

type Changes = Partial<Pick<Tenant, 'scope' | 'usePrefixCache'>>;

function tenant(text: string, changes: Changes = {}): Tenant {
  const tokens = Int32Array.from(text, (character) => runner.vocabulary.id(character));
  return {
    tokens,
    length: tokens.length,
    computed: 0,
    place: -1,
    scope: '',
    usePrefixCache: true,
    ...changes,
  };
}

/** Computes what a tenant still lacks, as the step loop would. */
function compute(who: Tenant): void {
  const { batch } = runner;
  batch.length = 0;
  for (; who.computed < who.length; who.computed++) {
    batch.tokens[batch.length] = who.tokens[who.computed] ?? 0;
    batch.positions[batch.length] = who.computed;
    batch.sequences[batch.length] = who.place;
    batch.wantsLogits[batch.length++] = 0;
  }
  expect(runner.decode()).toBe('ok');
}

/** Seats, computes and leaves again: what stays behind is a resident. */
function passThrough(text: string, changes: Changes = {}): void {
  const who = tenant(text, changes);
  places.seat(who, true);
  compute(who);
  places.leave(who);
}

const heldBy = (place: number): string => runner.vocabulary.text(runner.kvTokens(place));

describe('places', () => {
  it('gives the lowest empty place and counts what is where', () => {
    const first = tenant('abcdefgh');
    expect(places.seat(first, true)).toEqual({ place: 0, reused: 0 });
    compute(first);
    const second = tenant('xyz');
    expect(places.seat(second, true).place).toBe(1);
    expect(places.audit()).toEqual({
      empty: 1,
      resident: 0,
      running: 2,
      total: 3,
      cells: { running: 8, cached: 0, free: 184, total: 192 },
    });
    places.leave(first);
    expect(places.audit()).toMatchObject({
      empty: 1,
      resident: 1,
      running: 1,
      cells: { running: 0, cached: 8 },
    });
  });

  it('continues where a resident still holds the longest match', () => {
    passThrough('a common beginning, and one end');
    const next = tenant('a common beginning, and another end');
    expect(places.seat(next, true)).toEqual({ place: 0, reused: 24 });
    expect(heldBy(0)).toBe('a common beginning, and ');
    expect(runner.counters.imports).toBe(0);
  });

  it('keeps the end a resident loses, when that is worth it', () => {
    passThrough('a common beginning, and one very long end of it');
    const next = tenant('a common beginning, and then nothing');
    places.seat(next, true);
    compute(next);
    const again = tenant('a common beginning, and one very long end of it');
    expect(places.seat(again, true)).toEqual({ place: 1, reused: 46 });
    expect(heldBy(1)).toBe('a common beginning, and one very long end of i');
  });

  it('always leaves a token to compute', () => {
    passThrough('exactly the same text');
    expect(places.seat(tenant('exactly the same text'), true).reused).toBe(20);
  });

  it('does not reuse a match too short to be worth it', () => {
    passThrough('fifteen shared x');
    expect(places.seat(tenant('fifteen shared, but no more'), true).reused).toBe(0);
  });

  it('takes from the prefix cache what no resident holds any more', () => {
    passThrough('the first of all the texts');
    passThrough('2222222222222222222222222');
    passThrough('3333333333333333333333333');
    passThrough('4444444444444444444444444');
    expect(places.audit()).toMatchObject({ resident: 3, empty: 0 });
    const back = tenant('the first of all the texts, continued');
    expect(places.seat(back, true)).toEqual({ place: 1, reused: 26 });
    expect(heldBy(1)).toBe('the first of all the texts');
    compute(back);
  });

  it('evicts the least recently used resident when no place is empty', () => {
    for (const text of ['1111111111111111', '2222222222222222', '3333333333333333']) passThrough(text);
    expect(places.seat(tenant('4444'), true).place).toBe(0);
    expect(heldBy(0)).toBe('');
  });

  it('reuses nothing across scopes, for tenants who opted out, or when told not to', () => {
    passThrough('a text that many would share', { scope: 'adapter' });
    const same = 'a text that many would share, and its end';
    expect(places.seat(tenant(same), true).reused).toBe(0);
    expect(places.seat(tenant(same, { scope: 'adapter', usePrefixCache: false }), true).reused).toBe(0);
    expect(places.seat(tenant(same, { scope: 'adapter' }), false).reused).toBe(0);
  });

  it('leaves nothing of a tenant who opted out', () => {
    passThrough('a secret that nobody may ever see', { usePrefixCache: false });
    expect(places.audit()).toMatchObject({ empty: 3, cells: { cached: 0 } });
    expect(runner.usedCells()).toBe(0);
    expect(cache.stats().nodes).toBe(0);
  });

  it('takes a tenant out to host memory and back, whatever happened to the place meanwhile', () => {
    const who = tenant('swapped out in the middle of it all');
    places.seat(who, true);
    compute(who);
    const block = places.swapOut(who);
    expect(who.computed).toBe(35);
    expect(runner.usedCells()).toBe(0);
    passThrough('somebody else');
    expect(places.seatWith(who, block === undefined ? [] : [block], 35)).toEqual({ place: 1, reused: 35 });
    expect(heldBy(1)).toBe('swapped out in the middle of it all');
  });

  it('has no block for a tenant without KV', () => {
    const who = tenant('abc');
    places.seat(who, true);
    expect(places.swapOut(who)).toBeUndefined();
    expect(places.hasFree()).toBe(true);
  });

  it('gives only the part of a block that is asked for', () => {
    const leader = tenant('a leader with a long beginning');
    places.seat(leader, true);
    compute(leader);
    const follower = tenant('a leader with a short beginning');
    expect(places.seatWith(follower, [runner.exportKv(0, 0, 20)], 16)).toEqual({ place: 1, reused: 16 });
    expect(heldBy(1)).toBe('a leader with a ');
    compute(follower);
  });

  it('survives an import that does not fit', () => {
    const who = tenant('a text of some length, to be moved');
    places.seat(who, true);
    compute(who);
    const block = places.swapOut(who);
    runner.failNextImport();
    expect(places.seatWith(who, block === undefined ? [] : [block], 34)).toBeUndefined();
    expect(places.audit()).toMatchObject({ empty: 3, running: 0, cells: { running: 0, cached: 0 } });
    expect(places.seat(who, true).reused).toBe(0);
    compute(who);
  });

  it('survives a prefix that cannot be loaded', () => {
    setUp({ maxSequences: 1 });
    passThrough('the first of all the texts');
    passThrough('another of all the texts there are');
    runner.failNextImport();
    const back = tenant('the first of all the texts');
    expect(places.seat(back, true).reused).toBe(0);
    compute(back);
    expect(heldBy(0)).toBe('the first of all the texts');
  });

  it('shares the first positions of a running tenant', () => {
    const leader = tenant('what the leader has computed so far');
    places.seat(leader, true);
    compute(leader);
    expect(places.share(leader, 24)).toBe(true);
    expect(places.seat(tenant('what the leader has computed, differently'), true).reused).toBe(24);
    expect(places.audit().running).toBe(2);
  });

  it('says when the cache has no room to share through', () => {
    setUp({}, 100);
    const leader = tenant('what the leader has computed so far');
    places.seat(leader, true);
    compute(leader);
    expect(places.share(leader, 24)).toBe(false);
  });

  it('moves a running tenant to a free place, and what was there to the cache', () => {
    passThrough('a resident that must make room');
    const first = tenant('x');
    const second = tenant('a tenant on the move');
    places.seat(first, true);
    places.seat(second, true);
    compute(second);
    expect([first.place, second.place]).toEqual([1, 2]);
    expect(places.relocate(second, 1)).toBe(false);
    expect(places.relocate(second, 0)).toBe(true);
    expect(second.place).toBe(0);
    expect(heldBy(0)).toBe('a tenant on the move');
    expect(runner.kvLength(2)).toBe(0);
    expect(cache.stats().nodes).toBe(1);
    places.leave(second);
    expect(places.audit()).toMatchObject({ running: 1, resident: 1, empty: 1 });
  });

  it('stays where it is when the move fails', () => {
    const first = tenant('x');
    const second = tenant('a tenant on the move');
    places.seat(first, true);
    places.seat(second, true);
    compute(second);
    places.leave(first);
    runner.failNextImport();
    expect(places.relocate(second, 0)).toBe(false);
    expect(second.place).toBe(1);
    expect(heldBy(1)).toBe('a tenant on the move');
  });

  it('throws away what a failed decode left behind', () => {
    const who = tenant('a text whose decode fails');
    places.seat(who, true);
    compute(who);
    places.discard(who);
    expect(places.audit()).toMatchObject({ empty: 3, cells: { cached: 0, running: 0 } });
    expect(cache.stats().nodes).toBe(0);
  });

  it('in one pool frees the cells of residents, oldest first, and keeps them in the cache', () => {
    setUp({ kvLayout: 'unified', totalCells: 60 });
    passThrough('1111111111111111111');
    passThrough('2222222222222222222');
    expect(places.audit().cells).toEqual({ running: 0, cached: 38, free: 22, total: 60 });
    places.evictResidents(30);
    expect(places.audit().cells.free).toBe(41);
    expect(runner.usedCells()).toBe(19);
    expect(cache.peek('', tenant('1111111111111111111').tokens, 19)).toBe(19);
    places.evictResidents(1000);
    expect(places.audit().cells.free).toBe(60);
  });

  it('forgets all residents when told to', () => {
    passThrough('a text that would have stayed');
    places.clear();
    expect(places.audit()).toMatchObject({ empty: 3, resident: 0 });
    expect(places.seat(tenant('a text that would have stayed'), true).reused).toBe(0);
  });

  it('refuses what would lose track: seating without a free place, leaving twice', () => {
    setUp({ maxSequences: 1 });
    const who = tenant('abc');
    places.seat(who, true);
    expect(() => places.seat(tenant('def'), true)).toThrow('no free place');
    places.leave(who);
    expect(() => places.leave(who)).toThrow('does not hold the place');
  });
});
