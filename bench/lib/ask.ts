// One question to a child process, one answer.

import type { ChildProcess } from 'node:child_process';

/** Sends a message and resolves with the next one that comes back. Rejects when the process ends instead. */
export function ask(child: ChildProcess, message: object | string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onMessage = (answer: unknown): void => {
      child.off('exit', onExit);
      resolve(answer);
    };
    const onExit = (code: number | null, signal: string | null): void => {
      child.off('message', onMessage);
      reject(new Error(`${child.spawnargs.at(-1)} ended (${signal ?? `code ${code}`}) instead of answering`));
    };
    child.once('message', onMessage).once('exit', onExit);
    child.send(message);
  });
}
