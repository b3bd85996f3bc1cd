import { describe, expect, it } from 'vitest';
import { ERROR_MESSAGES, type ErrorCode } from '../../protocol/index.js';
import { errorBody, fromFailure } from './errors.js';

describe('fromFailure', () => {
  const expected: Readonly<Record<ErrorCode, readonly [number, string]>> = {
    invalid_request: [422, 'validation'],
    unsupported: [422, 'validation'],
    model_not_found: [422, 'validation'],
    adapter_not_found: [422, 'validation'],
    conflict: [422, 'validation'],
    too_long: [422, 'validation'],
    template: [422, 'template_error'],
    constraint: [424, 'generation'],
    overloaded: [429, 'overloaded'],
    unavailable: [424, 'generation'],
    engine_lost: [500, 'incomplete_generation'],
    cancelled: [500, 'incomplete_generation'],
    internal: [424, 'generation'],
  };

  it.each(Object.keys(ERROR_MESSAGES) as ErrorCode[])('%s has a status and a type', (code) => {
    const error = fromFailure({ code, message: 'why' });
    expect([error.status, error.type]).toEqual(expected[code]);
  });

  it('tells the lengths of what was too long', () => {
    const details = { promptTokens: 7, limitTokens: 5 };
    expect(fromFailure({ code: 'too_long', message: '', details }).message).toBe(
      'Input validation error: `inputs` must have less than 5 tokens. Given: 7',
    );
    expect(
      fromFailure({ code: 'too_long', message: '', details: { ...details, maxNewTokens: 3 } }).message,
    ).toBe(
      'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 5. Given: 7 `inputs` tokens and 3 `max_new_tokens`',
    );
  });
});

describe('errorBody', () => {
  it('escapes what it quotes', () => {
    expect(errorBody(fromFailure({ code: 'internal', message: 'a "b"\n' }))).toBe(
      '{"error":"Request failed during generation: a \\"b\\"\\n","error_type":"generation"}',
    );
  });
});
