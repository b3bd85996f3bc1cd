// How this dialect says no: plain text while a body is being read, JSON after that, nothing at all for unknown
// paths and missing keys.

import { assertNever } from '../../base/index.js';
import type { Exchange, Problem } from '../../http/index.js';
import { KoineError, toFailure } from '../../protocol/index.js';
import { errorBody, fromFailure, TgiError } from './errors.js';
import { BodyError, syntaxMessage } from './wire/body.js';

const TEXT = 'text/plain; charset=utf-8';

/** Answers a problem of the front door or of a handler. */
export function refuse(problem: Problem, exchange: Exchange): void {
  switch (problem.kind) {
    case 'not-found':
      exchange.sendEmpty(404);
      return;
    case 'method-not-allowed':
      exchange.sendEmpty(405);
      return;
    case 'unauthorized':
      exchange.sendEmpty(401);
      return;
    case 'untrusted-host':
      exchange.send(403, TEXT, `Invalid host header: --trusted-host admits ${problem.given}`);
      return;
    case 'malformed':
      exchange.sendEmpty(problem.status);
      return;
    case 'media-type':
      exchange.send(415, TEXT, 'Expected request with `Content-Type: application/json`');
      return;
    case 'too-large':
      exchange.send(413, TEXT, 'Failed to buffer the request body: length limit exceeded');
      return;
    case 'not-utf8':
      exchange.send(400, TEXT, 'Failed to parse the request body as JSON: invalid unicode code point');
      return;
    case 'not-json':
      exchange.send(400, TEXT, syntaxMessage(problem.text));
      return;
    case 'thrown':
      refuseThrown(problem.error, exchange);
      return;
    default:
      assertNever(problem);
  }
}

function refuseThrown(error: unknown, exchange: Exchange): void {
  if (error instanceof BodyError) {
    exchange.send(error.status, TEXT, error.message);
    return;
  }
  if (isUnexpected(error)) exchange.log.error({ err: error }, 'a request failed unexpectedly');
  const refusal = toTgiError(error);
  exchange.send(refusal.status, 'application/json', errorBody(refusal));
}

/** Whether something thrown is a bug, which the log has to show: what the client gets says nothing of it. */
export function isUnexpected(error: unknown): boolean {
  return !(error instanceof TgiError || error instanceof KoineError);
}

/** Anything thrown, as a refusal. */
export function toTgiError(error: unknown): TgiError {
  return error instanceof TgiError ? error : fromFailure(toFailure(error));
}
