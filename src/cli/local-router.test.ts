import { describe, expect, it } from 'vitest';
import { FakeEngine } from '../../test/support/fake-engine.js';
import { localRouter } from './local-router.js';

describe('the local router', () => {
  const a = new FakeEngine();
  const b = new FakeEngine();
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

  it('describes all, the default first', async () => {
    expect(await router.models()).toEqual([await a.describe(), await b.describe()]);
  });
});
