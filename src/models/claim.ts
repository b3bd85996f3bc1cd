// One process at a time fetches a file: two that append to the same partial file would spoil it for both. The claim is a
// file with the process's id; one left behind by a process that is gone counts for nothing.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { KoineError } from '../protocol/index.js';

/**
 * Claims a target until the function it returns is called. `what` is for the message. Throws `unavailable` while another
 * living process has it. Within one process it claims nothing: who shares a folder there knows of the others.
 */
export function claim(target: string, what: string): () => void {
  const path = `${target}.part.pid`;
  mkdirSync(dirname(path), { recursive: true });
  if (!create(path)) {
    const owner = ownerOf(path);
    if (owner !== undefined && owner !== process.pid && isAlive(owner)) throw refusal(path, what, owner);
    rmSync(path, { force: true });
    if (!create(path)) throw refusal(path, what, ownerOf(path));
  }
  return () => rmSync(path, { force: true });
}

function refusal(path: string, what: string, owner: number | undefined): KoineError {
  const who = owner === undefined ? 'another process' : `process ${owner}`;
  return new KoineError(
    'unavailable',
    `${what} is being fetched by ${who} already; try again when that is done. (If it is not so, delete ${path}.)`,
  );
}

/** False when there is one already. */
function create(path: string): boolean {
  try {
    writeFileSync(path, `${process.pid}\n`, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

function ownerOf(path: string): number | undefined {
  try {
    const owner = Number(readFileSync(path, 'utf8'));
    return Number.isInteger(owner) && owner > 0 ? owner : undefined;
  } catch {
    // It was released between two looks.
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process may not be signalled, but it is there.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
