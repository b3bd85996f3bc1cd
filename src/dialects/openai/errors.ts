// Failure to status and body: the OpenAI error object, and what the front door's own refusals look like here.

import { assertNever } from '../../base/index.js';
import type { Exchange, Problem } from '../../http/index.js';
import { type ErrorCode, type Failure, toFailure } from '../../protocol/index.js';

/** How one code looks on the wire. */
export interface WireError {
  readonly status: number;
  readonly type: string;
  /** The `code` member; null where OpenAI sends none. */
  readonly code: string | null;
}

/** Every code of the protocol, as this dialect shows it. */
export const WIRE_ERRORS: Readonly<Record<ErrorCode, WireError>> = {
  invalid_request: { status: 400, type: 'invalid_request_error', code: null },
  unsupported: { status: 400, type: 'invalid_request_error', code: 'unsupported' },
  model_not_found: { status: 404, type: 'invalid_request_error', code: 'model_not_found' },
  adapter_not_found: { status: 404, type: 'invalid_request_error', code: 'adapter_not_found' },
  conflict: { status: 409, type: 'invalid_request_error', code: 'conflict' },
  too_long: { status: 400, type: 'invalid_request_error', code: 'context_length_exceeded' },
  template: { status: 400, type: 'invalid_request_error', code: 'template' },
  constraint: { status: 400, type: 'invalid_request_error', code: 'constraint' },
  overloaded: { status: 429, type: 'rate_limit_error', code: 'overloaded' },
  unavailable: { status: 503, type: 'server_error', code: 'unavailable' },
  engine_lost: { status: 500, type: 'server_error', code: 'engine_lost' },
  cancelled: { status: 503, type: 'server_error', code: 'cancelled' },
  internal: { status: 500, type: 'server_error', code: 'internal' },
};

/** The body of an error: `{"error":{"message","type","param","code"}}`. */
export function errorBody(message: string, type: string, param: string | null, code: string | null) {
  return { error: { message, type, param, code } };
}

/** The protocol's field names that have another name on this wire. */
const PARAMS: Readonly<Partial<Record<ErrorCode, string>>> = {
  model_not_found: 'model',
  adapter_not_found: 'adapter',
};

/** Body of a failure; `input` is the field that holds the prompt (`messages` or `prompt`). */
function failureBody(failure: Failure, input: string) {
  const { type, code } = WIRE_ERRORS[failure.code];
  const { field } = failure.details ?? {};
  if (failure.code === 'too_long') {
    return errorBody(tooLongMessage(failure, field ?? input), type, field ?? input, code);
  }
  const param = field ?? PARAMS[failure.code] ?? null;
  return errorBody(failure.message, type, param, code);
}

/** Answers with a failure. */
export function sendFailure(exchange: Exchange, failure: Failure, input = 'messages'): void {
  const seconds = failure.details?.retryAfterSeconds;
  if (seconds !== undefined) exchange.setHeader('retry-after', String(Math.max(1, Math.ceil(seconds))));
  exchange.sendJson(WIRE_ERRORS[failure.code].status, failureBody(failure, input));
}

/** The one frame of an error in a stream, after which the stream ends without `[DONE]`. */
export function failureFrame(failure: Failure, input: string): string {
  return `data: ${JSON.stringify(failureBody(failure, input))}\n\n`;
}

/** Clients look for the window's size and the code, so the sentence keeps the figures OpenAI's has. */
function tooLongMessage({ message, details }: Failure, input: string): string {
  const { promptTokens, limitTokens, maxNewTokens = 0 } = details ?? {};
  if (promptTokens === undefined || limitTokens === undefined) return message;
  return (
    `This model's maximum context length is ${limitTokens} tokens. However, the request asks for ` +
    `${promptTokens + maxNewTokens} tokens (${promptTokens} in the ${input}, ${maxNewTokens} in the completion). ` +
    `Shorten the ${input} or ask for fewer tokens.`
  );
}

/** Words every refusal of the front door. */
export function refuse(problem: Problem, exchange: Exchange): void {
  if (problem.kind === 'thrown') {
    const failure = toFailure(problem.error);
    if (failure.code === 'internal') exchange.log.error({ err: problem.error }, 'a handler failed');
    sendFailure(exchange, failure);
    return;
  }
  if (problem.kind === 'unauthorized') exchange.setHeader('www-authenticate', 'Bearer');
  const { status, message, code } = doorRefusal(problem, exchange);
  exchange.sendJson(status, errorBody(message, 'invalid_request_error', null, code));
}

interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly code: string | null;
}

function doorRefusal(problem: Exclude<Problem, { kind: 'thrown' }>, { method, path }: Exchange): Refusal {
  const { kind } = problem;
  switch (kind) {
    case 'not-found':
      return { status: 404, message: `Unknown path: ${method} ${path}.`, code: 'unknown_url' };
    case 'method-not-allowed':
      return {
        status: 405,
        message: `${path} takes ${problem.allowed.join(', ')}, not ${method}.`,
        code: null,
      };
    case 'untrusted-host': {
      const message = `The host '${problem.given}' is not trusted here; the server takes it with --trusted-host.`;
      return { status: 403, message, code: 'host_not_trusted' };
    }
    case 'unauthorized': {
      const reason = problem.given === 'none' ? 'An API key is needed' : 'The API key is not valid';
      return {
        status: 401,
        message: `${reason}. Send it as 'Authorization: Bearer KEY'.`,
        code: 'invalid_api_key',
      };
    }
    case 'media-type': {
      const message = `The body must be JSON: send 'content-type: application/json', not '${problem.given}'.`;
      return { status: 415, message, code: null };
    }
    case 'too-large': {
      const message = `The body is larger than ${problem.limitBytes} bytes.`;
      return { status: 413, message, code: 'request_too_large' };
    }
    case 'not-utf8':
      return { status: 400, message: 'The body is not valid UTF-8.', code: null };
    case 'not-json': {
      const message =
        problem.text === '' ? 'The body is empty; it must be JSON.' : 'The body is not valid JSON.';
      return { status: 400, message, code: null };
    }
    case 'malformed':
      return { status: problem.status, message: 'The request is not valid HTTP.', code: null };
    default:
      return assertNever(kind);
  }
}

/** A throw is no way for an engine to fail, so it is logged before it becomes a failure. */
export function logged(exchange: Exchange, error: unknown): Failure {
  const failure = toFailure(error);
  if (failure.code === 'internal') exchange.log.error({ err: error }, 'a generation failed');
  return failure;
}
