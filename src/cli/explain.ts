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
  const circumstance = circumstanceOf(error);
  if (circumstance !== undefined) return circumstance;
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `an internal error; please report it.\n${detail}`;
}

/** 2 for what the user can put right, 1 for a bug. */
export function exitCodeOf(error: unknown): number {
  return isForUser(error) || circumstanceOf(error) !== undefined ? 2 : 1;
}

/** What files and folders refuse for reasons outside this program. */
const REFUSALS: Readonly<Record<string, string>> = {
  EACCES: 'this user has no access to it',
  EPERM: 'this user may not do that with it',
  ENOTDIR: 'it, or something on the way to it, is a file where a folder should be',
  EISDIR: 'it is a folder where a file should be',
  ELOOP: 'links lead round in a circle there',
  ENAMETOOLONG: 'the name is too long',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of the disk is used up',
  EROFS: 'the disk is read-only',
};

/** One line about a file that the system refused; undefined for everything else. */
function circumstanceOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('path' in error)) return undefined;
  const reason = REFUSALS[String(error.code)];
  return reason === undefined ? undefined : `${String(error.path)}: ${reason}.`;
}

/** `ListenError` is told by its name, because the room it comes from is loaded only when serving. */
function isForUser(error: unknown): error is Error {
  if (error instanceof KoineError) return error.code !== 'internal';
  if (error instanceof SettingError || error instanceof UserError) return true;
  return error instanceof Error && error.name === 'ListenError';
}
