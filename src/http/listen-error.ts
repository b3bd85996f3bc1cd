// Why an address could not be opened, in one sentence for whoever started the server.

/** A listener that could not be opened. The message names the address and the remedy. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
  readonly host: string;
  readonly port: number;
  /** The system's code, e.g. `EADDRINUSE`. */
  readonly code: string;

  constructor(host: string, port: number, cause: unknown) {
    const code = codeOf(cause);
    super(`cannot listen on ${host}:${port}: ${REASONS[code] ?? `the system said ${code}`}`, { cause });
    this.host = host;
    this.port = port;
    this.code = code;
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use; choose another one or stop what uses it',
  EACCES: 'this user may not open the port; choose one above 1023',
  EADDRNOTAVAIL: 'this machine does not have that address',
  ENOTFOUND: 'the host name is not known',
};

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : 'UNKNOWN';
}
