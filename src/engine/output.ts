// What a sequence shows: tokens to whole characters, stop strings, and what waits to be sent. Engine process.

import type { OutputOptions, StopConditions, TokenInfo } from '../protocol/index.js';
import { StopMatcher, TextStream, type TokenTable } from './text/index.js';

/** Text and tokens not sent yet. */
export interface Pending {
  readonly text: string;
  readonly tokens: readonly TokenInfo[];
}

/** Output state of one sequence. */
export class SequenceOutput {
  readonly #stream = new TextStream();
  readonly #stops: StopMatcher | null;
  readonly #showsSpecial: boolean;
  readonly #table: TokenTable;
  readonly #markers: readonly string[];
  #text = '';
  #tokens: TokenInfo[] = [];
  /** Sum and count of log-probabilities, for best_of. */
  logprobSum = 0;
  logprobCount = 0;

  constructor(stop: StopConditions, output: OutputOptions, table: TokenTable, markers: readonly string[]) {
    this.#markers = markers;
    this.#table = table;
    this.#showsSpecial = output.specialTokens;
    this.#stops =
      stop.stopStrings.length > 0
        ? new StopMatcher(stop.stopStrings, stop.keepStopText ? 'keep-piece' : 'cut')
        : null;
  }

  /** The stop string that has been completed, if any. */
  get matched(): string | undefined {
    return this.#stops?.matched;
  }

  /** Takes a token whose text is shown. Returns the characters it completed. */
  show(token: number): string {
    const text = this.#stream.pushToken(token, this.#table);
    this.#text += this.#stops === null ? text : this.#stops.push(text);
    return text;
  }

  /**
   * Takes a control token, or the one that ends the sequence. Returns its name, which is shown only when special
   * tokens are asked for or the chat room needs to read it.
   */
  showSpecial(token: number): string {
    const name = Buffer.from(this.#table.bytes(token)).toString('utf8');
    if (this.#showsSpecial || this.#markers.includes(name)) {
      // Not past text that is held back because it may begin a stop string.
      this.#text += this.#stops === null ? name : this.#stops.push(name);
    }
    return name;
  }

  /** Reports a token beside the text. */
  addToken(token: TokenInfo): void {
    this.#tokens.push(token);
  }

  /** Releases text that was held back for a stop string that did not come. */
  flush(): void {
    if (this.#stops !== null) this.#text += this.#stops.flush();
  }

  /** True when there is something to send. */
  get hasPending(): boolean {
    return this.#text !== '' || this.#tokens.length > 0;
  }

  /** Text to send when nothing else is: the cheap and common case. Undefined when tokens wait too. */
  takeText(): string | undefined {
    if (this.#tokens.length > 0) return undefined;
    const text = this.#text;
    this.#text = '';
    return text;
  }

  take(): Pending {
    const pending = { text: this.#text, tokens: this.#tokens };
    this.#text = '';
    this.#tokens = [];
    return pending;
  }
}
