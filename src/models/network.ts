// What the hub code needs of the outside world, handed in so that tests own it, and what its failures mean.

import { KoineError } from '../protocol/index.js';

/** The outside world. */
export interface Network {
  readonly fetch: typeof fetch;
  /** Resolves after `ms`; rejects when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Silence after which a transfer counts as broken. */
  readonly stallMs: number;
}

/** Where models come from. */
export interface Hub {
  /** E.g. `https://huggingface.co`, without a slash at the end. */
  readonly endpoint: string;
  readonly token?: string;
}

/** Told how a download goes. */
export interface DownloadProgress {
  /** `haveBytes` are there already from an earlier try. */
  begin(name: string, totalBytes: number, haveBytes: number): void;
  /** `bytes` more have arrived; negative when a part has to be fetched again. */
  advance(bytes: number): void;
  /** Waiting before another try. */
  retry(reason: string, waitMs: number): void;
  verify(): void;
  end(): void;
}

/** A failure worth another try. */
export class TransientError extends Error {
  override readonly name = 'TransientError';
}

const UNREACHABLE = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** The system's code of a network failure, wherever in the chain of causes it hides. */
export function networkCode(error: unknown): string | undefined {
  for (let e = error; e instanceof Error; e = e.cause) {
    if ('code' in e && typeof e.code === 'string') return e.code;
    if (e instanceof AggregateError && e.errors.length > 0) return networkCode(e.errors[0]);
  }
  return undefined;
}

/** Why a transfer failed, in a word or a few. */
export function reasonOf(error: unknown): string {
  return networkCode(error) ?? (error instanceof Error ? error.message : String(error));
}

/** Whether the hub could not be reached at all, as when there is no network. */
export function isUnreachable(error: unknown): boolean {
  return UNREACHABLE.has(networkCode(error) ?? '');
}

/** The error a user sees when the hub cannot be reached. */
export function unreachable(what: string, hub: Hub, error: unknown): KoineError {
  const code = networkCode(error);
  return new KoineError(
    'unavailable',
    `Cannot reach ${hub.endpoint}${code === undefined ? '' : ` (${code})`}, where ${what} would come from. ` +
      'Without a network, give the path of a GGUF file, or nothing for the built-in demo model.',
    {},
    error,
  );
}

/** Turns a status that is not a success into the error a user sees, or one worth another try. */
export function statusError(what: string, status: number, hub: Hub): Error {
  if (status === 408 || status === 429 || status >= 500)
    return new TransientError(`${hub.endpoint} answered ${status}`);
  if (status === 401) {
    const hint =
      hub.token === undefined ? 'set HF_TOKEN to a token that may read it' : 'HF_TOKEN may not read it';
    return new KoineError(
      'model_not_found',
      `${what}: access refused (401). It does not exist, or it is private or gated: ${hint}.`,
    );
  }
  if (status === 403) {
    return new KoineError(
      'model_not_found',
      `${what}: access refused (403). Accept its terms on the hub with the account of HF_TOKEN.`,
    );
  }
  if (status === 404) return new KoineError('model_not_found', `${what}: not found on ${hub.endpoint}.`);
  return new KoineError('unavailable', `${what}: ${hub.endpoint} answered ${status}.`);
}

/** Headers every request to the hub carries. */
export function hubHeaders(hub: Hub): Record<string, string> {
  return {
    'user-agent': 'koine',
    'accept-encoding': 'identity',
    ...(hub.token === undefined ? {} : { authorization: `Bearer ${hub.token}` }),
  };
}

/** Milliseconds to wait before the given try, 1-based: 1 s, doubling, at most 30 s. */
export function backOffMs(attempt: number): number {
  return Math.min(30_000, 1000 * 2 ** (attempt - 1));
}
