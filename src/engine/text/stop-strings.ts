// Finds stop strings in text that comes in pieces. Holds back no more than might still become one, so that no part of
// a stop is shown. Tokens and reasons are the step loop's business.

/** What becomes of a matched stop: cut off, kept up to its end, or kept with the rest of the piece it ended in. */
export type StopTextRule = 'cut' | 'keep-match' | 'keep-piece';

const SURROGATES = { high: 0xd800, low: 0xdc00, end: 0xe000 } as const;

function isHighSurrogate(code: number): boolean {
  return code >= SURROGATES.high && code < SURROGATES.low;
}

function isLowSurrogate(code: number): boolean {
  return code >= SURROGATES.low && code < SURROGATES.end;
}

/**
 * Matcher of one sequence. The stop that is complete first wins, the longest of those complete at the same character;
 * so the result does not depend on how the text is cut into pieces, and a complete stop never waits for more text.
 * Empty stops and stops that begin or end inside a surrogate pair never match.
 */
export class StopMatcher {
  readonly #stops: readonly string[];
  readonly #rule: StopTextRule;
  /** Text that may be the beginning of a stop. */
  #held = '';
  /** Characters of `#held` that were shown; 0 unless the rule keeps stops. */
  #shown = 0;
  #matched: string | undefined;

  constructor(stops: readonly string[], rule: StopTextRule) {
    this.#stops = stops.filter(
      (stop) =>
        stop !== '' &&
        !isLowSurrogate(stop.charCodeAt(0)) &&
        !isHighSurrogate(stop.charCodeAt(stop.length - 1)),
    );
    this.#rule = rule;
  }

  /** The stop that was found; undefined so far. After a match nothing more may be pushed. */
  get matched(): string | undefined {
    return this.#matched;
  }

  /** Takes the next piece of text; returns what may be shown of it and of what was held back. */
  push(text: string): string {
    if (this.#stops.length === 0 || text === '') return text;
    const buffer = this.#held === '' ? text : this.#held + text;
    const from = this.#shown;
    const hold = this.#search(buffer);
    if (this.#matched !== undefined) {
      this.#held = '';
      this.#shown = 0;
      return buffer.slice(from, hold);
    }
    // Half a character is never shown alone.
    const whole = isHighSurrogate(buffer.charCodeAt(buffer.length - 1)) ? buffer.length - 1 : buffer.length;
    const start = Math.min(hold, whole);
    const shownTo = this.#rule === 'cut' ? start : whole;
    this.#held = start === buffer.length ? '' : buffer.slice(start);
    this.#shown = shownTo - start;
    return buffer.slice(from, shownTo);
  }

  /** The text ended otherwise: what was held back is text after all. */
  flush(): string {
    const rest = this.#held.slice(this.#shown);
    this.#held = '';
    this.#shown = 0;
    return rest;
  }

  /**
   * Looks for the first complete stop. With one, sets `matched` and returns where the shown text ends; without,
   * returns where the longest tail begins that may still become a stop.
   */
  #search(buffer: string): number {
    let hold = buffer.length;
    let end = buffer.length + 1;
    let start = 0;
    for (let i = 0; i < end && i < buffer.length; i++) {
      const code = buffer.charCodeAt(i);
      for (const stop of this.#stops) {
        if (stop.charCodeAt(0) !== code) continue;
        if (buffer.startsWith(stop, i)) {
          // An earlier start with the same end is the longer stop, and was seen first.
          if (i + stop.length < end) {
            end = i + stop.length;
            start = i;
            this.#matched = stop;
          }
        } else if (i < hold && i + stop.length > buffer.length && stop.startsWith(buffer.slice(i))) {
          hold = i;
        }
      }
    }
    if (this.#matched !== undefined) {
      return this.#rule === 'cut' ? start : this.#rule === 'keep-match' ? end : buffer.length;
    }
    return hold;
  }
}
