// What a case of the evaluation is, and the checks that several rows share.
import type { Ask, Message, Reply } from './client.js';
import { parseJson } from './client.js';

/** One request and what a right reply to it is. */
export interface Case {
  /** The row of the table it counts for. */
  readonly row: string;
  readonly shown: string;
  readonly ask: Ask;
  isRight(reply: Reply): boolean;
}

/** A chat with a single question. */
export function question(row: string, text: string, isRight: (reply: Reply) => boolean): Case {
  return { row, shown: text, ask: { kind: 'chat', messages: [user(text)] }, isRight };
}

/** A user's message. */
export function user(content: string): Message {
  return { role: 'user', content };
}

/** An assistant's message. */
export function assistant(content: string): Message {
  return { role: 'assistant', content };
}

/** Right if the text contains the expected words, whatever the casing. */
export function contains(...expected: readonly string[]): (reply: Reply) => boolean {
  return ({ text }) => expected.every((part) => text.toLowerCase().includes(part.toLowerCase()));
}

/** Right if this is all the text, a final full stop aside. */
export function says(expected: string): (reply: Reply) => boolean {
  return ({ text }) => withoutStop(text) === withoutStop(expected);
}

/** Right if the last number of the text is this one. */
export function endsInNumber(expected: number): (reply: Reply) => boolean {
  return ({ text }) => (text.match(/-?\d+/g) ?? []).at(-1) === String(expected);
}

/** Right if the text is this JSON value. */
export function isJson(expected: unknown): (reply: Reply) => boolean {
  return ({ text }) => sameJson(parseJson(text.trim()), expected);
}

/** Right if there is this one call and nothing else. */
export function calls(name: string, args: unknown): (reply: Reply) => boolean {
  return (reply) =>
    reply.calls.length === 1 && reply.calls[0]?.name === name && sameJson(reply.calls[0].args, args);
}

/** Equal as JSON, whatever the order of keys. */
export function sameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

/** Fills a wording's slots. */
export function fill(wording: string, slots: Readonly<Record<string, string | number>>): string {
  return wording.replace(/\{(\w+)\}/g, (whole, slot: string) => String(slots[slot] ?? whole));
}

/** The entry at this place, counted round and round. */
export function around<T>(items: readonly T[], index: number): T {
  return items[index % items.length] as T;
}

function withoutStop(text: string): string {
  return text.trim().replace(/\.$/, '');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, field]) => [key, sorted(field)]),
  );
}
