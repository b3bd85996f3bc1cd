// Runs the real command `koine` to its end, for tests of what it prints and how it exits.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const BINARY = fileURLToPath(new URL('../../bin/koine.mjs', import.meta.url));

/** How a command ended. */
export interface Outcome {
  /** Exit code; null when a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `koine` with these arguments and nothing of this process's KOINE_* or HF_* settings but `env`. */
export function koine(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Outcome> {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(KOINE|HF)_/.test(name));
  const child = spawn(process.execPath, [BINARY, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...Object.fromEntries(inherited), ...env },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}
