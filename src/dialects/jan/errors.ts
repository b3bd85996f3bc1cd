// Failure to status and body. Three shapes live side by side on this wire: a list of faults for a body that is not
// valid, OpenAI's error object for what came up while it was worked on, and one plain sentence for the rest.

import { assertNever } from '../../base/index.js';
import type { Exchange, Problem } from '../../http/index.js';
import { type ErrorCode, type Failure, toFailure } from '../../protocol/index.js';
import { type Fault, fault, InvalidBody } from './check/fault.js';
import { findJsonFault } from './check/json-fault.js';

/** What a generation was asked with, which decides the words of some failures. */
export type Asked = 'messages' | 'prompt' | 'input';

interface WireError {
  readonly status: number;
  readonly type: string;
  readonly code: string | null;
}

const INVALID = 'invalid_request_error';

/** Codes that are answered with an error object. */
const WIRE_ERRORS: Readonly<Record<Exclude<ErrorCode, 'unavailable' | 'cancelled'>, WireError>> = {
  invalid_request: { status: 400, type: INVALID, code: null },
  unsupported: { status: 400, type: INVALID, code: 'unsupported' },
  model_not_found: { status: 404, type: INVALID, code: 'model_not_found' },
  adapter_not_found: { status: 404, type: INVALID, code: 'adapter_not_found' },
  conflict: { status: 409, type: INVALID, code: 'conflict' },
  too_long: { status: 400, type: INVALID, code: 'context_length_exceeded' },
  template: { status: 400, type: INVALID, code: 'template' },
  constraint: { status: 400, type: INVALID, code: 'constraint' },
  overloaded: { status: 429, type: 'rate_limit_error', code: 'overloaded' },
  engine_lost: { status: 500, type: 'internal_server_error', code: null },
  internal: { status: 500, type: 'internal_server_error', code: null },
};
const NOT_AVAILABLE: WireError = { status: 503, type: 'internal_server_error', code: 'unavailable' };

/** The status of a failure. */
export function statusOf(code: ErrorCode): number {
  return wireError(code).status;
}

function wireError(code: ErrorCode): WireError {
  return code === 'unavailable' || code === 'cancelled' ? NOT_AVAILABLE : WIRE_ERRORS[code];
}

/** `{"error":{"message","type","param","code"}}` */
function errorBody(failure: Failure, asked: Asked) {
  const { type, code } = wireError(failure.code);
  if (failure.code !== 'too_long') {
    return { error: { message: failure.message, type, param: failure.details?.field ?? null, code } };
  }
  // Both kinds of generation name the field of chats, and clients look for it.
  const param = asked === 'input' ? 'input' : 'messages';
  return { error: { message: tooLongMessage(failure, asked), type, param, code } };
}

/** Clients read the figures out of these two sentences, so they are kept as they are known. */
function tooLongMessage({ message, details }: Failure, asked: Asked): string {
  const { promptTokens: prompt, limitTokens: limit, maxNewTokens } = details ?? {};
  if (prompt === undefined || limit === undefined || asked === 'input') return message;
  const all = prompt + (maxNewTokens ?? 0);
  const completion = maxNewTokens ?? 'None';
  const window = `This model's maximum context length is ${limit} tokens`;
  return asked === 'messages'
    ? `${window}. However, you requested ${all} tokens (${prompt} in the messages, ${completion} in the completion). Please reduce the length of the messages or completion.`
    : `${window}, however you requested ${all} tokens (${prompt} in your prompt; ${completion} for the completion). Please reduce your prompt; or completion length.`;
}

/** Answers with a failure. */
export function sendFailure(exchange: Exchange, failure: Failure, asked: Asked): void {
  const seconds = failure.details?.retryAfterSeconds;
  if (seconds !== undefined) exchange.setHeader('retry-after', String(Math.max(1, Math.ceil(seconds))));
  const { status } = wireError(failure.code);
  if (status === NOT_AVAILABLE.status) sendDetail(exchange, status, 'Service is not available');
  else exchange.sendJson(status, errorBody(failure, asked));
}

/** The one frame of an error in a stream, after which the stream ends without `[DONE]`. */
export function failureFrame(failure: Failure, asked: Asked): string {
  return `data: ${JSON.stringify(errorBody(failure, asked))}\n\n`;
}

function sendDetail(exchange: Exchange, status: number, detail: string | readonly Fault[]): void {
  exchange.sendJson(status, { detail });
}

/** Words every refusal of the front door, and whatever a handler gave up on. */
export function refuse(problem: Problem, exchange: Exchange): void {
  switch (problem.kind) {
    case 'thrown':
      refuseThrown(problem.error, exchange);
      return;
    case 'not-found':
      sendDetail(exchange, 404, 'Not Found');
      return;
    case 'method-not-allowed':
      sendDetail(exchange, 405, 'Method Not Allowed');
      return;
    case 'untrusted-host':
      sendDetail(
        exchange,
        403,
        `Invalid host header: start the server with --trusted-host to be asked as '${problem.given}'`,
      );
      return;
    case 'unauthorized':
      sendDetail(exchange, 401, 'Invalid API key');
      return;
    case 'media-type': {
      const msg = `Input should be a valid dictionary, sent as application/json rather than ${problem.given}`;
      sendDetail(exchange, 422, [fault('dict_type', ['body'], msg)]);
      return;
    }
    case 'too-large':
      sendDetail(exchange, 413, `The body is larger than ${problem.limitBytes} bytes`);
      return;
    case 'not-utf8':
      sendDetail(exchange, 422, [jsonFault(0, 'The body is not valid UTF-8')]);
      return;
    case 'not-json':
      sendDetail(exchange, 422, [textFault(problem.text)]);
      return;
    case 'malformed':
      sendDetail(exchange, problem.status, 'The request is not valid HTTP');
      return;
    default:
      assertNever(problem);
  }
}

function refuseThrown(error: unknown, exchange: Exchange): void {
  if (error instanceof InvalidBody) {
    sendDetail(exchange, 422, error.faults);
    return;
  }
  const failure = toFailure(error);
  if (failure.code === 'internal') exchange.log.error({ err: error }, 'a handler failed');
  sendFailure(exchange, failure, exchange.path.endsWith('/embeddings') ? 'input' : 'messages');
}

function textFault(text: string): Fault {
  if (text === '') return fault('missing', ['body'], 'Field required', null);
  const found = findJsonFault(text);
  return jsonFault(found?.offset ?? 0, found?.error ?? 'Expecting value');
}

function jsonFault(offset: number, error: string): Fault {
  return { ...fault('json_invalid', ['body', offset], 'JSON decode error'), input: {}, ctx: { error } };
}
