// Reasoning in front of the answer: text between <think> and </think> at the start of a reply. Everything behind
// it goes to the tool layer. Line breaks that only set the tags apart are dropped, as templates write them back.

import { findMarker } from './held.js';
import type { Parts } from './parts.js';

const OPEN = '<think>';
const CLOSE = '</think>';

type Mode = 'undecided' | 'reopened' | 'reasoning' | 'behind' | 'content';

export class ThinkLayer {
  private mode: Mode;
  private held = '';
  private atStart = true;

  constructor(
    startsInside: boolean,
    /** Openers of calls, which end reasoning too: some models forget the closing tag. */
    private readonly callOpeners: readonly string[],
    private readonly parts: Parts,
    private readonly content: (text: string) => void,
  ) {
    this.mode = startsInside ? 'reopened' : 'undecided';
  }

  push(text: string): void {
    if (this.mode === 'content') {
      this.content(text);
      return;
    }
    const all = this.held + text;
    this.held = '';
    if (this.mode === 'undecided' || this.mode === 'reopened') this.decide(all);
    else if (this.mode === 'reasoning') this.reason(all);
    else this.answer(all);
  }

  finish(): void {
    const rest = this.held;
    this.held = '';
    if (this.mode === 'reasoning' || this.mode === 'reopened') this.parts.reasoning(rest);
    else if (this.mode === 'undecided') this.content(rest);
  }

  /** Whether the reply opens with the tag; a model may repeat the one its prompt ended with. */
  private decide(all: string): void {
    const said = all.trimStart();
    if (said.startsWith(OPEN)) {
      this.mode = 'reasoning';
      this.reason(said.slice(OPEN.length));
    } else if (OPEN.startsWith(said)) {
      this.held = all;
    } else if (this.mode === 'reopened') {
      this.mode = 'reasoning';
      this.reason(all);
    } else {
      this.mode = 'content';
      this.content(all);
    }
  }

  private reason(all: string): void {
    const text = this.atStart ? all.replace(/^\n+/, '') : all;
    if (text === '') return;
    this.atStart = false;
    const { at, marker } = findMarker(text, [CLOSE, ...this.callOpeners]);
    const before = text.slice(0, at);
    const kept = before.replace(/\n+$/, '');
    this.parts.reasoning(kept);
    if (marker === undefined) {
      this.held = text.slice(kept.length);
      return;
    }
    this.mode = 'behind';
    this.answer(text.slice(at + (marker === CLOSE ? CLOSE.length : 0)));
  }

  private answer(all: string): void {
    const said = all.trimStart();
    if (said === '') return;
    this.mode = 'content';
    this.content(said);
  }
}
