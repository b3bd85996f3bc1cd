import { describe, expect, it } from 'vitest';
import { nameModels } from './served-models.js';

const a = { id: 'a', path: '/m/a.gguf' };
const b = { id: 'b', path: '/m/b.gguf' };

describe('names of models', () => {
  it('are the file name, and `default` for the first', () => {
    expect(nameModels([a, b], [])).toEqual([
      { ...a, aliases: ['default'] },
      { ...b, aliases: [] },
    ]);
  });

  it('begin with the first alias; the file name stays', () => {
    const aliases = [{ name: 'small' }, { name: 'tiny' }, { name: 'big', model: 'b' }];
    expect(nameModels([a, b], aliases)).toEqual([
      { id: 'small', aliases: ['tiny', 'a', 'default'], path: a.path },
      { id: 'big', aliases: ['b'], path: b.path },
    ]);
  });

  it('do not list the published name twice', () => {
    expect(nameModels([a], [{ name: 'a' }, { name: 'default' }])).toEqual([{ ...a, aliases: ['default'] }]);
  });

  it('never stand for two models', () => {
    expect(() => nameModels([a, { ...a, path: '/n/a.gguf' }], [])).toThrow(
      'The name a would stand for /m/a.gguf and /n/a.gguf',
    );
    expect(() => nameModels([a, b], [{ name: 'b' }])).toThrow('The name b would stand for');
  });

  it('belong to models that exist', () => {
    expect(() => nameModels([a], [{ name: 'x', model: 'c' }])).toThrow(
      '--alias x=c: no such model; there is a.',
    );
  });
});
