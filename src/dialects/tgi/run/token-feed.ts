// Turns events into tokens one by one, each with its text, the last together with how the sequence ended. A token
// leaves at once unless it may be the last; then it waits for the next event. No promise per token.

import {
  type ChoiceResult,
  type GenerateEvent,
  KoineError,
  type ScoredToken,
  type Timings,
  type TokenInfo,
} from '../../../protocol/index.js';
import { TokenText } from '../wire/token-text.js';
import { lengthFirst, tokenLimit } from './limit.js';

/** A token as the wire shows it. */
export interface FedToken {
  readonly id: number;
  readonly text: string;
  readonly logprob: number | null;
  readonly special: boolean;
  readonly top: readonly ScoredToken[];
}

/** How a sequence ended, once it has. */
export interface Ending {
  readonly result: ChoiceResult;
  readonly text: string;
  readonly generatedTokens: number;
}

/** What tells that a token may be the last. */
export interface EndSigns {
  /** Bound on new tokens, where there is one. */
  readonly maxNewTokens: number | undefined;
  readonly contextTokens: number;
  readonly stopStrings: readonly string[];
}

/** Writes one token; `ending` is set on the last. */
export type WriteToken = (token: FedToken, index: number, ending: Ending | null) => string;

const NO_TOP: readonly ScoredToken[] = [];
const SILENT: FedToken = { id: 0, text: '', logprob: null, special: true, top: NO_TOP };

/** Follows one sequence of one request. */
export class TokenFeed {
  promptTokens = 0;
  generatedTokens = 0;
  timings: Timings | undefined;
  ending: Ending | undefined;
  #text = '';
  #tail = '';
  #held: FedToken | undefined;
  #limit: number;
  #hasTokens = false;
  readonly #texts = new TokenText();
  readonly #tailLength: number;

  constructor(
    private readonly signs: EndSigns,
    private readonly write: WriteToken,
    /** Index of the first token. */
    private readonly firstIndex = 1,
  ) {
    this.#limit = signs.maxNewTokens ?? Number.POSITIVE_INFINITY;
    this.#tailLength = Math.max(0, ...signs.stopStrings.map((stop) => stop.length));
  }

  /** Frames this event makes. Throws `KoineError` when the request failed. */
  push(event: GenerateEvent): string {
    switch (event.kind) {
      case 'started':
        this.promptTokens = event.promptTokens;
        this.#limit = tokenLimit(this.signs, event.promptTokens);
        return '';
      case 'delta':
        return this.#delta(event.text, event.tokens);
      case 'choice':
        return this.#end(event);
      case 'finished':
        this.timings = event.timings;
        return '';
      case 'failed':
        throw new KoineError(event.failure.code, event.failure.message, event.failure.details);
    }
  }

  /** The token still held back, for a stream that is cut off. */
  flush(): string {
    return this.#release();
  }

  #delta(text: string, tokens: readonly TokenInfo[] | undefined): string {
    this.#text += text;
    if (tokens === undefined) {
      // An engine that reports no tokens: each piece of text stands for one.
      if (this.#hasTokens || text === '') return '';
      return this.#token({ id: 0, text, logprob: null, special: false });
    }
    this.#hasTokens = true;
    if (tokens.length === 1 && tokens[0] !== undefined) return this.#token(tokens[0]);
    let frames = '';
    for (const token of tokens) frames += this.#token(token);
    return frames;
  }

  #token(info: TokenInfo): string {
    const before = this.#release();
    const text = this.#texts.next(info);
    const token: FedToken = {
      id: info.id,
      text,
      logprob: info.logprob,
      special: info.special,
      top: info.top ?? NO_TOP,
    };
    this.generatedTokens++;
    if (this.#mayBeLast(token)) {
      this.#held = token;
      return before;
    }
    return before + this.write(token, this.#index(), null);
  }

  #mayBeLast(token: FedToken): boolean {
    if (token.special || this.generatedTokens >= this.#limit) return true;
    if (this.#tailLength === 0) return false;
    const tail = this.#tail + token.text;
    this.#tail = tail.slice(-this.#tailLength);
    return this.signs.stopStrings.some((stop) => tail.includes(stop));
  }

  #end(result: ChoiceResult): string {
    if (result.reason === 'cancelled') throw new KoineError('engine_lost');
    const held = this.#held;
    this.#held = undefined;
    // Without a token that was held no sign told the end: the last one has gone already, an empty one carries it.
    const index = held === undefined ? this.#index() + 1 : this.#index();
    if (held === undefined) this.generatedTokens = Math.max(this.generatedTokens, result.completionTokens);
    this.ending = {
      result: lengthFirst(result, this.generatedTokens, this.#limit),
      text: this.#text,
      generatedTokens: this.generatedTokens,
    };
    return this.write(held ?? SILENT, index, this.ending);
  }

  #release(): string {
    const held = this.#held;
    if (held === undefined) return '';
    this.#held = undefined;
    return this.write(held, this.#index(), null);
  }

  #index(): number {
    return this.firstIndex + this.generatedTokens - 1;
  }
}
