// What a user reads when something goes wrong, and the exit code that goes with it.

import { SettingError } from '../config/index.js';
import { KoineError } from '../protocol/index.js';

/** A mistake or a circumstance the user can put right; the message is for them, as it is. */
export class UserError extends Error {
  override readonly name = 'UserError';
}

/** One line (or a few) for people. A bug keeps its stack, because somebody has to report it. */
export function explain(error: unknown): string {
  if (isForUser(error)) return error.message;
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `an internal error; please report it.\n${detail}`;
}

/** 2 for what the user can put right, 1 for a bug. */
export function exitCodeOf(error: unknown): number {
  return isForUser(error) ? 2 : 1;
}

/** `ListenError` is told by its name, because the room it comes from is loaded only when serving. */
function isForUser(error: unknown): error is Error {
  if (error instanceof KoineError) return error.code !== 'internal';
  if (error instanceof SettingError || error instanceof UserError) return true;
  return error instanceof Error && error.name === 'ListenError';
}
