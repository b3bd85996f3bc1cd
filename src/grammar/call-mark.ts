// Where a call begins in a text that is free until then: the shortest text that only a call begins with, which is more
// than its marker, because an answer may speak of a marker.

import type { ToolDefinition } from '../protocol/index.js';
import { IN_JSON, type ToolCallSyntax, writtenName } from './tool-call.js';

/** A text that begins a call. */
export interface CallMark {
  /** The text in pieces, between which any white space may stand. Never empty, nor is any of them. */
  readonly pieces: readonly string[];
  /** Counts only where nothing else has been said. */
  readonly isFirst: boolean;
  /** The same text as the grammar of calls begins with it. */
  readonly written: string;
}

/** What a call may look like when it begins, and what may follow it. */
export interface CallMarks {
  readonly marks: readonly CallMark[];
  /** A call is the rest of the reply: nothing but further calls may follow it. */
  readonly isRest: boolean;
}

/** Between these a model may leave out a line break, or put one. */
const BREAKS = /\s+|(?<=[\]>])(?=[[<{])/u;
const JSON_HEAD = ['{', '"name"', ':', '"'];

function piecesOf(text: string): readonly string[] {
  return text.split(BREAKS).filter((piece) => piece !== '');
}

/** The marks of calls of these tools. Throws `constraint` for a name the format cannot hold. */
export function callMarks(tools: readonly ToolDefinition[], syntax: ToolCallSyntax): CallMarks {
  const { opening, begin, tag } = syntax;
  const names = tools.map(({ name }) => writtenName(name, syntax));
  if (opening === '' && begin === '')
    return { marks: names.flatMap((name) => headed(name, syntax)), isRest: false };
  if (opening === '' && begin === IN_JSON) {
    const tagged = tag === undefined ? [] : [{ pieces: [tag, ...JSON_HEAD], isFirst: false, written: begin }];
    return { marks: [...tagged, ...names.map((name) => bare(name, syntax))], isRest: true };
  }
  const head = begin.endsWith(IN_JSON);
  const front = head ? begin.slice(0, -IN_JSON.length) : begin;
  const pieces = [...piecesOf(opening), ...piecesOf(front), ...(head ? JSON_HEAD : [])];
  return { marks: [{ pieces, isFirst: false, written: opening + begin }], isRest: false };
}

/** The reply itself is JSON: a call for certain only when a tool has been named and its arguments begin. */
function bare(name: string, { begin, middle }: ToolCallSyntax): CallMark {
  const behind = middle.slice(1).match(/"[^"]*"|[,:]/g) ?? [];
  return {
    pieces: [...JSON_HEAD.slice(0, -1), `"${name}"`, ...behind],
    isFirst: true,
    // The value behind it may begin with white space that is still to come.
    written: (begin + name + middle).trimEnd(),
  };
}

/** A header with the name of a tool: any other name makes the same header one of text. */
function headed(name: string, { middle, separator }: ToolCallSyntax): readonly CallMark[] {
  const written = `${name}${middle}{`;
  return [
    { pieces: [name + middle, '{'], isFirst: true, written },
    { pieces: [separator + name + middle, '{'], isFirst: false, written },
  ];
}
