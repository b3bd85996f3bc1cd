// From text to a checked body, or to the plain-text refusal both versions give before any handler runs.

import { JsonSyntaxError, parseJson, positionOf } from './json-text.js';
import { type Read, ShapeError, shapeMessage } from './shape.js';

/** A body that cannot be read: answered as text/plain with this status. */
export class BodyError extends Error {
  constructor(
    readonly status: 400 | 413 | 415 | 422,
    message: string,
  ) {
    super(message);
  }
}

/** Why a text is no JSON, in the original's words. */
export function syntaxMessage(text: string): string {
  try {
    parseJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return syntaxError(text, error).message;
    throw error;
  }
  return 'Failed to parse the request body as JSON';
}

/**
 * Remembers the text of parsed bodies. Other dialects may share a path and want plain values, while this one
 * needs the text: for places, for digits beyond 2^53 and for keys given twice.
 */
export class BodyTexts {
  readonly #texts = new WeakMap<object, string>();

  /** `JSON.parse` that keeps the text. */
  readonly parse = (text: string): unknown => {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) this.#texts.set(value, text);
    return value;
  };

  /** Checks a parsed body against its shape. Throws `BodyError`. */
  read<T>(body: unknown, read: Read<T>): T {
    const known = typeof body === 'object' && body !== null ? this.#texts.get(body) : undefined;
    return readText(known ?? JSON.stringify(body ?? null), read);
  }
}

/** Parses and checks a text. Throws `BodyError`. */
export function readText<T>(text: string, read: Read<T>): T {
  try {
    return read(parseJson(text), { text, path: '' });
  } catch (error) {
    if (error instanceof ShapeError) {
      const why = shapeMessage(text, error);
      throw new BodyError(422, `Failed to deserialize the JSON body into the target type: ${why}`);
    }
    if (error instanceof JsonSyntaxError) throw syntaxError(text, error);
    throw error;
  }
}

function syntaxError(text: string, error: JsonSyntaxError): BodyError {
  const path = error.path === '' ? '' : `${error.path}: `;
  const place = positionOf(text, error.offset);
  return new BodyError(400, `Failed to parse the request body as JSON: ${path}${error.detail} at ${place}`);
}
