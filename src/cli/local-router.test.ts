import { describe, expect, it } from 'vitest';
import { FakeEngine } from '../../test/support/fake-engine.js';
import { LocalRouter } from './local-router.js';

describe('the local router', () => {
  const knownAs = (id: string) => {
    const engine = new FakeEngine();
    return Object.assign(engine, { known: { ...engine.description, id } });
  };
  const a = knownAs('a');
  const b = knownAs('b');
  const first = { id: 'a', aliases: ['default'], engine: a };
  const second = { id: 'b', aliases: ['bee'], engine: b };
  const router = new LocalRouter([first, second]);

  it('knows engines by name and alias, and a default', () => {
    expect([undefined, 'a', 'default'].map((name) => router.resolve(name) === a)).toEqual([true, true, true]);
    expect(['b', 'bee'].map((name) => router.resolve(name) === b)).toEqual([true, true]);
  });

  it('says which models there are when asked for another', () => {
    expect(() => router.resolve('c')).toThrow('The model `c` does not exist. Available: a, b.');
  });

  it('tells what is known of all, the default first', async () => {
    expect(await router.models()).toEqual([
      { ...a.known, aliases: ['default'] },
      { ...b.known, aliases: ['bee'] },
    ]);
  });

  it('lets models come, go, come back to their place, and change their names', () => {
    const changing = new LocalRouter([first, second]);
    const c = knownAs('c');
    const third = { id: 'c', aliases: ['bee', 'see'], engine: c };
    changing.add(third);
    // Who was first keeps a name.
    expect([changing.resolve('bee') === b, changing.resolve('see') === c]).toEqual([true, true]);
    expect(() => changing.add({ ...third, id: 'default' })).toThrow(
      'The model a answers to default already.',
    );
    const place = changing.remove(first);
    expect(changing.resolve(undefined) === b).toBe(true);
    expect(() => changing.resolve('a')).toThrow('Available: b, c.');
    changing.add(first, place);
    expect(changing.all.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    changing.replace(second, { ...second, aliases: ['buzz'] });
    expect([changing.resolve('buzz') === b, changing.resolve('bee') === c]).toEqual([true, true]);
  });

  it('may be left without any model', () => {
    expect(() => new LocalRouter([]).resolve(undefined)).toThrow('Available: none.');
  });
});
