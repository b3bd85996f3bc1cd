// Text to content and calls: looks for a format's openers, lets its reader read what follows, and gives back as
// content whatever turned out not to be a call.

import type { ToolDefinition } from '../../protocol/index.js';
import { findMarker } from './held.js';
import type { Parts } from './parts.js';
import { Reading, type Step, type ToolReader } from './reading.js';

interface Active {
  readonly reading: Reading;
  readonly steps: Step<boolean>;
}

function* run(reader: ToolReader, r: Reading): Step<boolean> {
  r.c = yield;
  return yield* reader.read(r);
}

export class ToolLayer {
  private active: Active | undefined;
  /** Text that may be the beginning of an opener. */
  private held = '';

  constructor(
    private readonly reader: ToolReader,
    private readonly tools: readonly ToolDefinition[],
    private readonly parts: Parts,
  ) {
    if (reader.startsInside === true) this.start(false, '');
  }

  push(text: string): void {
    let rest = text;
    while (rest !== '') {
      rest = this.active === undefined ? this.look(rest) : this.read(this.active, rest);
    }
  }

  finish(): void {
    while (this.active !== undefined) {
      const rest = this.read(this.active, '');
      if (rest !== '') this.push(rest);
    }
    this.parts.content(this.held);
    this.held = '';
  }

  /** Outside a call: passes content on and returns what follows an opener. */
  private look(text: string): string {
    const all = this.held + text;
    this.held = '';
    if (this.parts.isQuiet && this.reader.unmarked.length > 0) {
      const lead = all.length - all.trimStart().length;
      const said = all.slice(lead);
      const opener = this.reader.unmarked.find((mark) => said.startsWith(mark));
      if (opener !== undefined) {
        this.parts.content(all.slice(0, lead));
        this.start(true, '');
        return said;
      }
      if (said !== '' && this.reader.unmarked.some((mark) => mark.startsWith(said))) {
        this.held = all;
        return '';
      }
    }
    const { at, marker } = findMarker(all, this.reader.openers);
    this.parts.content(all.slice(0, at));
    if (marker === undefined) {
      this.held = all.slice(at);
      return '';
    }
    this.start(false, marker);
    return all.slice(at + marker.length);
  }

  private start(isUnmarked: boolean, opener: string): void {
    const reading = new Reading(this.parts, this.tools, isUnmarked);
    reading.raw = opener;
    const steps = run(this.reader, reading);
    steps.next('');
    this.active = { reading, steps };
  }

  /** Inside a call: feeds the reader (an empty text is the end of the reply) and returns what it left over. */
  private read(active: Active, text: string): string {
    const { reading, steps } = active;
    for (let index = 0; index < Math.max(1, text.length); index += 1) {
      const result = steps.next(text[index] ?? '');
      // A reader ends on a character it did not take.
      if (result.done) return this.giveBack(reading, result.value) + text.slice(index);
    }
    return '';
  }

  /** What of a reader's text is to be looked at again. */
  private giveBack(reading: Reading, isWhole: boolean): string {
    this.active = undefined;
    const isCutEnd = reading.isAtEnd && (reading.closing || reading.begun);
    if (isWhole || isCutEnd) return '';
    if (reading.completed || reading.begun) return reading.raw;
    // No call came of it: its first character is content for certain, the rest may hold another opener.
    this.parts.content(reading.raw.slice(0, 1));
    return reading.raw.slice(1);
  }
}
