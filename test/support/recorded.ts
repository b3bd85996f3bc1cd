// Recorded exchanges: a file holds a scripted engine reply, a request and the answer as it must be on the wire. The
// bytes of the answer are compared as they are, but for the fields its dialect declares volatile.

import { readFileSync, writeFileSync } from 'node:fs';
import type { FakeReply } from './fake-engine.js';

/** One recorded exchange. */
export interface Recorded {
  /** What the engine is to answer. */
  readonly engine: FakeReply;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Body as sent; '' = none. */
  readonly body: string;
  /** Status line, chosen headers and body of the answer, volatile fields replaced. */
  readonly answer: string;
}

const SEPARATOR = '\n----\n';

/**
 * Reads a file of three parts separated by `----`: the engine's reply as JSON; the request (`METHOD PATH`, headers,
 * empty line, body); the answer (status, headers, empty line, body).
 */
export function readRecorded(file: string): Recorded {
  const [engine = '{}', request = '', ...answer] = readFileSync(file, 'utf8').split(SEPARATOR);
  const [head = '', ...body] = request.split('\n\n');
  const [line = '', ...headers] = head.split('\n');
  const [method = '', path = ''] = line.split(' ');
  return {
    engine: JSON.parse(engine) as FakeReply,
    method,
    path,
    headers: Object.fromEntries(headers.map((header) => header.split(': ', 2) as [string, string])),
    body: body.join('\n\n'),
    answer: answer.join(SEPARATOR),
  };
}

/** How an answer is written down. */
export interface AnswerRules {
  /** Headers that belong to the promise, in this order. */
  readonly headers: readonly string[];
  /** Volatile parts: what matches becomes what follows. */
  readonly volatile: readonly (readonly [RegExp, string])[];
}

/** Plays the request against a server and writes its answer down by the rules. */
export async function play(url: string, recorded: Recorded, rules: AnswerRules): Promise<string> {
  const { method, path, headers, body } = recorded;
  const response = await fetch(url + path, { method, headers, ...(body !== '' && { body }) });
  const shown = rules.headers.flatMap((name) => {
    const value = response.headers.get(name);
    return value === null ? [] : [`${name}: ${value}`];
  });
  const text = [String(response.status), ...shown, '', await response.text()].join('\n');
  return rules.volatile.reduce((sum, [pattern, replacement]) => sum.replaceAll(pattern, replacement), text);
}

/** Replaces the recorded answer; for whoever changes the wire on purpose (`KOINE_RECORD=1`). */
export function record(file: string, answer: string): void {
  const [engine, request] = readFileSync(file, 'utf8').split(SEPARATOR);
  writeFileSync(file, [engine, request, answer].join(SEPARATOR));
}
