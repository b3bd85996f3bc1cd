import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { KoineError } from '../protocol/index.js';
import { exitCodeOf, explain, UserError } from './explain.js';

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

describe('what a user reads', () => {
  it('is the message where it was written for them', () => {
    expect(explain(new UserError('say which'))).toBe('say which');
    expect(explain(new KoineError('model_not_found', 'no such model'))).toBe('no such model');
    expect(exitCodeOf(new UserError('say which'))).toBe(2);
  });

  it('names the file that the system refused, and why', () => {
    const file = import.meta.filename;
    const error = thrownBy(() => readdirSync(file));
    expect(explain(error)).toBe(
      `${file}: it, or something on the way to it, is a file where a folder should be.`,
    );
    expect(exitCodeOf(error)).toBe(2);
  });

  it('is a stack for a bug', () => {
    const missing = thrownBy(() => readFileSync('/nowhere/at all'));
    for (const bug of [new TypeError('oops'), new KoineError('internal', 'oops'), missing]) {
      expect(explain(bug)).toMatch(/^an internal error; please report it\.\n.*\n {4}at /s);
      expect(exitCodeOf(bug)).toBe(1);
    }
  });
});
