// What a dialect hands to the front door: a table of paths and one function that shapes every refusal. The door
// knows HTTP and nothing of what the paths mean.

import type { Exchange } from './exchange.js';

/** Methods a route can have. HEAD is answered wherever GET is. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One path of a dialect. */
export interface Route {
  readonly method: Method;
  /** Below the mount's prefix; `/a/:name` and `/a/*` bind `exchange.params.name` and `exchange.params['*']`. */
  readonly path: string;
  /** Answers the exchange exactly once. What it throws reaches `refuse` as `thrown`, unless a stream has begun. */
  readonly handle: (exchange: Exchange) => Promise<void> | void;
  /** How the body is read: parsed (default for all but GET and DELETE), as text, or not at all. */
  readonly body?: 'json' | 'text' | 'none';
  /** Served without a key even where the mount has keys. */
  readonly open?: boolean;
  /**
   * Decides between dialects that share method and path on one listener: the first whose `claims` is true answers;
   * a route without it claims everything. If nobody claims, the first answers.
   */
  readonly claims?: (body: unknown) => boolean;
}

/** A request the door could not bring to a handler, or that a handler gave up on. */
export type Problem =
  | { readonly kind: 'not-found' }
  /** The request was addressed to a name that is not this server's; `given` is its Host header. */
  | { readonly kind: 'untrusted-host'; readonly given: string }
  | { readonly kind: 'method-not-allowed'; readonly allowed: readonly string[] }
  | { readonly kind: 'unauthorized'; readonly given: 'none' | 'wrong' }
  /** A content type the dialect does not take; '' when there was none. */
  | { readonly kind: 'media-type'; readonly given: string }
  | { readonly kind: 'too-large'; readonly limitBytes: number }
  | { readonly kind: 'not-utf8' }
  /** `parseJson` threw `cause` on `text`. */
  | { readonly kind: 'not-json'; readonly text: string; readonly cause: unknown }
  /** The request line or the body's framing is broken; `status` is what HTTP calls for. */
  | { readonly kind: 'malformed'; readonly status: number }
  | { readonly kind: 'thrown'; readonly error: unknown };

/** One wire format: its paths, and how it says no. */
export interface Dialect {
  /** Lower case; also the label in metrics and the usual prefix. */
  readonly name: string;
  readonly routes: readonly Route[];
  /** Answers the exchange with the dialect's own status and body. Must not throw. */
  readonly refuse: (problem: Problem, exchange: Exchange) => void;
  /** Largest body in bytes; the listener's limit when absent. */
  readonly bodyLimitBytes?: number;
  /** Text to value; throws on bad JSON. `JSON.parse` when absent. */
  readonly parseJson?: (text: string) => unknown;
  /** Whether a content type (lower case, without parameters; '' = none given) is JSON to this dialect. */
  readonly acceptsMediaType?: (mediaType: string) => boolean;
}

/** A dialect at a place of a listener. */
export interface Mount {
  readonly dialect: Dialect;
  /** '' for the root, otherwise `/name`. */
  readonly prefix: string;
  /** Bearer keys, any of which opens the routes that are not `open`. None = no keys needed. */
  readonly apiKeys?: readonly string[];
}

/** `application/json` and `application/*+json`. */
export function isJsonMediaType(mediaType: string): boolean {
  return mediaType === 'application/json' || /^application\/[\w.-]+\+json$/.test(mediaType);
}
