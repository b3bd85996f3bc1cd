// The closed list of ways a request can fail, shared by every room. Dialects turn a code into their own
// status and body; nothing else in the server decides how an error looks.

/** Every failure a request can end in, with its default message. */
export const ERROR_MESSAGES = {
  invalid_request: 'The request is not valid.',
  unsupported: 'This server does not support what the request asks for.',
  model_not_found: 'The model does not exist.',
  adapter_not_found: 'The adapter does not exist.',
  conflict: 'The request does not go together with what is there or being done.',
  too_long: 'The prompt does not fit into the context of the model.',
  template: 'The chat template could not be rendered.',
  constraint: 'The grammar, schema or expression is not valid.',
  overloaded: 'The server is overloaded.',
  unavailable: 'The engine is not available at the moment.',
  engine_lost: 'The engine process ended while the request was running.',
  cancelled: 'The request was cancelled.',
  internal: 'An internal error occurred.',
} as const;

/** A stable name of a failure; match by this, never by class or message. */
export type ErrorCode = keyof typeof ERROR_MESSAGES;

/** Facts some codes carry, for dialects whose messages need them. */
export interface ErrorDetails {
  /** Name of the request field at fault, in the protocol's words. */
  readonly field?: string;
  /** Prompt length in tokens (`too_long`). */
  readonly promptTokens?: number;
  /** Limit in tokens that was exceeded (`too_long`). */
  readonly limitTokens?: number;
  /** New tokens asked for (`too_long`). */
  readonly maxNewTokens?: number;
  /** Seconds after which a retry makes sense (`overloaded`, `unavailable`). */
  readonly retryAfterSeconds?: number;
}

/** A plain description of a failure, fit to cross a process boundary. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: ErrorDetails;
}

/** The only error type rooms throw on purpose. Anything else that is thrown is a bug and becomes `internal`. */
export class KoineError extends Error {
  override readonly name = 'KoineError';
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message?: string, details: ErrorDetails = {}, cause?: unknown) {
    super(message ?? ERROR_MESSAGES[code], cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = details;
  }
}

/** Turns anything that was thrown into a `Failure`. Unknown errors become `internal` without their text. */
export function toFailure(thrown: unknown): Failure {
  if (thrown instanceof KoineError) {
    return { code: thrown.code, message: thrown.message, details: thrown.details };
  }
  return { code: 'internal', message: ERROR_MESSAGES.internal };
}
