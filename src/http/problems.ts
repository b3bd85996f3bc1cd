// Turns what the web framework throws into the door's closed list of problems.

import { BodyProblem } from './body.js';
import type { Dialect, Problem } from './dialect.js';

/** The problem behind anything thrown while a request was read or handled. */
export function problemOf(error: unknown, dialect: Dialect, listenerLimitBytes: number): Problem {
  if (error instanceof BodyProblem) return error.problem;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return { kind: 'too-large', limitBytes: dialect.bodyLimitBytes ?? listenerLimitBytes };
  }
  // The framework's own refusals of a request it cannot read (length that does not match, bad escape in the path).
  if (code.startsWith('FST_ERR_')) {
    const status = (error as { readonly statusCode?: unknown }).statusCode;
    if (typeof status === 'number' && status >= 400 && status < 500) return { kind: 'malformed', status };
  }
  return { kind: 'thrown', error };
}
