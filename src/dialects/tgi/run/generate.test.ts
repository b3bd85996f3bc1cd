import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { KoineError } from '../../../protocol/index.js';
import { TgiError, validationError } from '../errors.js';
import { Health } from '../ops/health.js';
import { fail, type RunContext } from './generate.js';

/** A context that has what a failure needs, and the lines of its log. */
function context(): { context: RunContext; lines: string[] } {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) });
  const service = { figures: { countFailure: () => undefined }, health: new Health(false) };
  const exchange = { signal: new AbortController().signal, log };
  return { context: { service, exchange, route: '/generate' } as unknown as RunContext, lines };
}

describe('a failure', () => {
  it('that is a bug is logged, because the client is told nothing of it', () => {
    const { context: run, lines } = context();
    const refusal = fail(run, new TypeError('undefined is not a tokenizer'));
    expect(refusal).toBeInstanceOf(TgiError);
    expect(refusal.message).not.toContain('tokenizer');
    expect(lines.join('')).toContain('undefined is not a tokenizer');
  });

  it.each([validationError('too long'), new KoineError('overloaded', 'later')])(
    'that the client is told of is not: %s',
    (error) => {
      const { context: run, lines } = context();
      fail(run, error);
      expect(lines).toEqual([]);
    },
  );
});
