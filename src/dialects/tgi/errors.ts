// Every refusal past body parsing: status, `error_type` and message as TGI's clients match on them.

import { assertNever } from '../../base/index.js';
import type { Failure } from '../../protocol/index.js';

/** Label of the failure counter. */
export type FailureLabel = 'validation' | 'overloaded' | 'generation' | 'incomplete' | 'template' | 'dropped';

/** A refusal as it goes to the wire. */
export class TgiError extends Error {
  constructor(
    readonly status: number,
    readonly type: string,
    message: string,
    readonly label: FailureLabel,
  ) {
    super(message);
  }
}

export function validationError(why: string): TgiError {
  return new TgiError(422, 'validation', `Input validation error: ${why}`, 'validation');
}

export function overloaded(): TgiError {
  return new TgiError(429, 'overloaded', 'Model is overloaded', 'overloaded');
}

function generationError(why: string): TgiError {
  return new TgiError(424, 'generation', `Request failed during generation: ${why}`, 'generation');
}

export function incomplete(): TgiError {
  return new TgiError(500, 'incomplete_generation', 'Incomplete generation', 'incomplete');
}

export function templateError(why: string): TgiError {
  return new TgiError(422, 'template_error', `Template error: ${why}`, 'template');
}

export function toolError(why: string): TgiError {
  return new TgiError(422, 'tool_error', `Tool error: ${why}`, 'validation');
}

export function unhealthy(): TgiError {
  return new TgiError(503, 'healthcheck', 'unhealthy', 'generation');
}

/** Body of a refusal, and of an error event on the generate routes. */
export function errorBody(error: TgiError): string {
  return `{"error":${JSON.stringify(error.message)},"error_type":${JSON.stringify(error.type)}}`;
}

/** What went wrong below the dialect, in TGI's terms. */
export function fromFailure(failure: Failure): TgiError {
  switch (failure.code) {
    case 'invalid_request':
    case 'unsupported':
    case 'model_not_found':
    case 'adapter_not_found':
    case 'conflict':
      return validationError(failure.message);
    case 'too_long':
      return tooLong(failure);
    case 'template':
      return templateError(failure.message);
    case 'overloaded':
      return overloaded();
    // Never 503 here: the JavaScript client repeats a 503 for ever.
    case 'unavailable':
    case 'constraint':
    case 'internal':
      return generationError(failure.message);
    case 'engine_lost':
    case 'cancelled':
      return incomplete();
    default:
      return assertNever(failure.code);
  }
}

function tooLong(failure: Failure): TgiError {
  const { promptTokens, limitTokens, maxNewTokens } = failure.details ?? {};
  if (promptTokens === undefined || limitTokens === undefined) return validationError(failure.message);
  if (maxNewTokens !== undefined) {
    return validationError(totalTokensMessage(limitTokens, promptTokens, maxNewTokens));
  }
  return validationError(inputTokensMessage(limitTokens, promptTokens));
}

/** Prompt and new tokens together are too many. */
export function totalTokensMessage(limit: number, given: number, maxNewTokens: number): string {
  return `\`inputs\` tokens + \`max_new_tokens\` must be <= ${limit}. Given: ${given} \`inputs\` tokens and ${maxNewTokens} \`max_new_tokens\``;
}

/** The prompt alone is too long. */
export function inputTokensMessage(limit: number, given: number): string {
  return `\`inputs\` must have less than ${limit} tokens. Given: ${given}`;
}
