import { describe, expect, it } from 'vitest';
import { FakeEngine } from '../../test/support/fake-engine.js';
import { localRouter } from './local-router.js';

describe('the local router', () => {
  const knownAs = (id: string) => {
    const engine = new FakeEngine();
    return Object.assign(engine, { known: { ...engine.description, id } });
  };
  const a = knownAs('a');
  const b = knownAs('b');
  const router = localRouter([
    { id: 'a', aliases: ['default'], engine: a },
    { id: 'b', aliases: ['bee'], engine: b },
  ]);

  it('knows engines by name and alias, and a default', () => {
    expect([undefined, 'a', 'default'].map((name) => router.resolve(name) === a)).toEqual([true, true, true]);
    expect(['b', 'bee'].map((name) => router.resolve(name) === b)).toEqual([true, true]);
  });

  it('says which models there are when asked for another', () => {
    expect(() => router.resolve('c')).toThrow('The model `c` does not exist. Available: a, b.');
  });

  it('tells what is known of all, the default first', async () => {
    expect(await router.models()).toEqual([a.known, b.known]);
  });
});
