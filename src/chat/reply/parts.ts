// Collects the parts of a reply: joins neighbours of one kind, keeps each call's arguments, and leaves out white
// space that only separates calls. Owned by one parser.

import type { ReplyPart, ToolCall } from '../../protocol/index.js';
import type { CallSink } from './reading.js';

export interface PartOptions {
  /** False drops every call but the first. */
  readonly parallel: boolean;
  /** A fresh id for the call with this index (0-based). */
  idFor(index: number): string;
}

export class Parts implements CallSink {
  private parts: ReplyPart[] = [];
  private readonly calls: { id: string; name: string; arguments: string }[] = [];
  /** White space that is content only if other content follows. */
  private gap = '';
  /** Nothing but white space was said since the start or the last call. */
  isQuiet = true;
  private isDropping = false;

  constructor(private readonly options: PartOptions) {}

  content(text: string): void {
    if (text === '') return;
    if (this.isQuiet && text.trim() === '') {
      this.gap += text;
      return;
    }
    const whole = this.gap + text;
    this.gap = '';
    this.isQuiet = false;
    const last = this.parts.at(-1);
    if (last?.kind === 'content') this.parts[this.parts.length - 1] = { ...last, text: last.text + whole };
    else this.parts.push({ kind: 'content', text: whole });
  }

  reasoning(text: string): void {
    if (text === '') return;
    const last = this.parts.at(-1);
    if (last?.kind === 'reasoning') this.parts[this.parts.length - 1] = { ...last, text: last.text + text };
    else this.parts.push({ kind: 'reasoning', text });
  }

  begin(name: string): void {
    this.gap = '';
    this.isQuiet = true;
    const index = this.calls.length;
    this.isDropping = index > 0 && !this.options.parallel;
    if (this.isDropping) return;
    const id = this.options.idFor(index);
    this.calls.push({ id, name, arguments: '' });
    this.parts.push({ kind: 'tool-call', index, id, name });
  }

  argumentsText(text: string): void {
    const index = this.calls.length - 1;
    const call = this.calls[index];
    if (this.isDropping || call === undefined) return;
    call.arguments += text;
    const last = this.parts.at(-1);
    if (last?.kind === 'tool-arguments' && last.index === index) {
      this.parts[this.parts.length - 1] = { ...last, text: last.text + text };
    } else {
      this.parts.push({ kind: 'tool-arguments', index, text });
    }
  }

  /** The end of the reply: white space is content where there was no call. */
  end(): void {
    if (this.gap === '' || this.calls.length > 0) return;
    this.isQuiet = false;
    const text = this.gap;
    this.gap = '';
    this.content(text);
  }

  /** Hands out what was collected since the last time. */
  drain(): ReplyPart[] {
    const drained = this.parts;
    this.parts = [];
    return drained;
  }

  toolCalls(): ToolCall[] {
    return this.calls.map((call) => ({ ...call }));
  }
}
