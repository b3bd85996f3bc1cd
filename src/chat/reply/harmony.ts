// gpt-oss (Harmony): a reply is messages on channels, <|channel|>NAME to=RECIPIENT <|constrain|>TYPE<|message|>...,
// joined by <|end|><|start|>assistant. `analysis` is reasoning, a message to functions.NAME a call, the rest content.
// The prompt ends with <|start|>assistant, and the recipient may stand before the channel. Text without any header,
// as a constraint may demand it, is content.

import type { ToolDefinition } from '../../protocol/index.js';
import { findMarker } from './held.js';
import { isJsonSpace, JsonScanner } from './json-scanner.js';
import type { Parts } from './parts.js';

const START = '<|start|>';
const CHANNEL = '<|channel|>';
const MESSAGE = '<|message|>';
/** Control tokens of the format. */
export const HARMONY_MARKERS = [
  START,
  CHANNEL,
  MESSAGE,
  '<|constrain|>',
  '<|end|>',
  '<|call|>',
  '<|return|>',
] as const;
/** What a body ends at: a header that begins without an end before it counts too. */
const BODY_ENDS = ['<|end|>', '<|call|>', '<|return|>', START, CHANNEL];
/** What a reply with headers begins with. */
const HEADER_STARTS = [START, CHANNEL, MESSAGE, 'to='];
/** Longest header; more text than this without <|message|> is content. */
const MAX_HEADER = 1024;

type Target = 'content' | 'reasoning' | 'call';

/** Where a message goes, read off its header. */
interface Header {
  readonly target: Target;
  readonly name: string;
}

function readHeader(text: string, tools: readonly ToolDefinition[]): Header {
  const recipient = /\bto=([^\s<]+)/.exec(text)?.[1];
  const channel = /<\|channel\|>\s*([A-Za-z_]+)/.exec(text)?.[1];
  if (recipient !== undefined && tools.length > 0) {
    const name = recipient.replace(/^functions\./, '');
    if (name !== recipient || tools.some((tool) => tool.name === name)) return { target: 'call', name };
  }
  return { target: channel === 'analysis' ? 'reasoning' : 'content', name: '' };
}

/** Reads one reply into parts. */
export class HarmonyLayer {
  private mode: 'start' | 'header' | 'body' = 'start';
  private held = '';
  private target: Target = 'content';
  /** Arguments are an object, and what follows it is dropped; what is no object is passed on as it is. */
  private argumentsAre: 'awaited' | 'object' | 'over' | 'anything' = 'awaited';
  private scanner = new JsonScanner();
  /** Targets that hold text already: another message for them begins on a line of its own. */
  private readonly used = new Set<Target>();
  private isFresh = true;

  constructor(
    private readonly tools: readonly ToolDefinition[],
    private readonly parts: Parts,
  ) {}

  push(text: string): void {
    let rest = this.held + text;
    this.held = '';
    while (rest !== '') {
      const left = this.take(rest);
      if (left === undefined) return;
      rest = left;
    }
  }

  finish(): void {
    const rest = this.held;
    this.held = '';
    // A marker that was cut, or a header, is syntax; anything else is text.
    const isSyntax = rest.trimStart().startsWith('<|');
    if (this.mode !== 'body') this.target = 'content';
    if (!isSyntax) this.say(rest);
    if (this.mode === 'body') this.end();
  }

  /** Works on what is there; returns what is left, or undefined when more must come first. */
  private take(text: string): string | undefined {
    switch (this.mode) {
      case 'start':
        return this.start(text);
      case 'header':
        return this.header(text);
      case 'body':
        return this.body(text);
    }
  }

  private start(text: string): string | undefined {
    const said = text.trimStart();
    if (HEADER_STARTS.some((start) => said.startsWith(start))) this.mode = 'header';
    else if (HEADER_STARTS.some((start) => start.startsWith(said))) {
      this.held = text;
      return undefined;
    } else this.begin({ target: 'content', name: '' });
    return text;
  }

  private header(text: string): string | undefined {
    const at = text.indexOf(MESSAGE);
    if (at >= 0 && at <= MAX_HEADER) {
      this.begin(readHeader(text.slice(0, at), this.tools));
      return text.slice(at + MESSAGE.length);
    }
    if (text.length <= MAX_HEADER + MESSAGE.length) {
      this.held = text;
      return undefined;
    }
    this.begin({ target: 'content', name: '' });
    this.say(text.slice(0, MAX_HEADER));
    return text.slice(MAX_HEADER);
  }

  private begin({ target, name }: Header): void {
    this.mode = 'body';
    this.target = target;
    this.isFresh = true;
    if (target !== 'call') return;
    this.scanner = new JsonScanner();
    this.argumentsAre = 'awaited';
    this.parts.begin(name);
  }

  private body(text: string): string | undefined {
    // Inside the strings of arguments a marker is text.
    const rest = this.target === 'call' ? this.argumentsOf(text) : text;
    if (rest === '') return undefined;
    const { at, marker } = findMarker(rest, BODY_ENDS);
    this.say(rest.slice(0, at));
    if (marker === undefined) {
      this.held = rest.slice(at);
      return undefined;
    }
    this.end();
    this.mode = 'header';
    return marker === START || marker === CHANNEL ? rest.slice(at) : rest.slice(at + marker.length);
  }

  /** Passes an object of arguments on as it comes; returns what is none of it. */
  private argumentsOf(text: string): string {
    let from = 0;
    if (this.argumentsAre === 'awaited') {
      while (isJsonSpace(text[from] ?? '')) from += 1;
      if (from === text.length) return '';
      this.argumentsAre = text[from] === '{' ? 'object' : 'anything';
    }
    if (this.argumentsAre !== 'object') return text.slice(from);
    for (let at = from; at < text.length; at += 1) {
      const verdict = this.scanner.feed(text[at] ?? '');
      if (verdict === 'more') continue;
      const to = verdict === 'end' ? at + 1 : at;
      this.parts.argumentsText(text.slice(from, to));
      this.argumentsAre = verdict === 'end' ? 'over' : 'anything';
      return text.slice(to);
    }
    this.parts.argumentsText(text.slice(from));
    return '';
  }

  private say(text: string): void {
    if (text === '') return;
    if (this.target === 'call') {
      if (this.argumentsAre === 'anything') this.parts.argumentsText(text);
      return;
    }
    const gap = this.isFresh && this.used.has(this.target) ? '\n' : '';
    this.isFresh = false;
    this.used.add(this.target);
    if (this.target === 'reasoning') this.parts.reasoning(gap + text);
    else this.parts.content(gap + text);
  }

  private end(): void {
    if (this.target === 'call' && this.argumentsAre === 'awaited') this.parts.argumentsText('{}');
    this.target = 'content';
  }
}
