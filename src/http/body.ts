// Bytes to a checked body: media type, UTF-8, JSON. Size is bounded before anything gets here.

import { isUtf8 } from 'node:buffer';
import { type Dialect, isJsonMediaType, type Problem, type Route } from './dialect.js';

/** A body that cannot be used, as a problem for the dialect to word. */
export class BodyProblem extends Error {
  override readonly name = 'BodyProblem';
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.kind);
    this.problem = problem;
  }
}

/** How a route wants its body. */
export function bodyModeOf(route: Route): 'json' | 'text' | 'none' {
  return route.body ?? (route.method === 'GET' || route.method === 'DELETE' ? 'none' : 'json');
}

/** Reads a body as its route wants it. Throws `BodyProblem`. */
export function readBody(
  bytes: Buffer,
  contentType: string | undefined,
  dialect: Dialect,
  route: Route,
): unknown {
  const mode = bodyModeOf(route);
  if (mode === 'none') return undefined;
  const mediaType = (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (mode === 'json' && !(dialect.acceptsMediaType ?? isJsonMediaType)(mediaType)) {
    throw new BodyProblem({ kind: 'media-type', given: mediaType });
  }
  if (!isUtf8(bytes)) throw new BodyProblem({ kind: 'not-utf8' });
  const decoded = bytes.toString('utf8');
  const text = decoded.charCodeAt(0) === 0xfeff ? decoded.slice(1) : decoded;
  if (mode === 'text') return text;
  try {
    return (dialect.parseJson ?? JSON.parse)(text);
  } catch (cause) {
    throw new BodyProblem({ kind: 'not-json', text, cause });
  }
}
