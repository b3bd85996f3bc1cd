// From a row of logits to a token that counts: sample, append, show, decide whether the sequence goes on. Every
// finish reason is decided here. Engine process; called once per sequence and step.

import type { FinishReason, ScoredToken, TokenInfo } from '../protocol/index.js';
import type { ModelRunner } from './model-runner.js';
import type { Outbox } from './outbox.js';
import { rowLogprobs, type SamplerWorkspace, type StepRules, type TokenLogprobs } from './sampling/index.js';
import type { Group, Sequence } from './sequence.js';
import { decodeText, type TokenTable } from './text/index.js';

/** Whether a sequence goes on, and why not. */
export type Verdict =
  | { readonly kind: 'goes-on' }
  | { readonly kind: 'ends'; readonly reason: FinishReason; readonly stopText?: string }
  | { readonly kind: 'fails'; readonly code: 'constraint' | 'internal'; readonly message: string };

const GOES_ON: Verdict = { kind: 'goes-on' };
const NO_TOKEN: Verdict = {
  kind: 'fails',
  code: 'constraint',
  message: 'no token may follow: the constraint and the bans exclude all',
};
const NO_NUMBERS: Verdict = {
  kind: 'fails',
  code: 'internal',
  message: 'the model computed no numbers: its file may be damaged',
};

/** Samples and commits. Holds what all sequences share; has no state of its own. */
export class Committer {
  readonly #runner: ModelRunner;
  readonly #workspace: SamplerWorkspace;
  readonly #table: TokenTable;
  readonly #eog: ReadonlySet<number>;
  readonly #tokenize = (text: string): ArrayLike<number> => this.#runner.tokenize(text, false, false);

  constructor(runner: ModelRunner, workspace: SamplerWorkspace, table: TokenTable) {
    this.#runner = runner;
    this.#workspace = workspace;
    this.#table = table;
    this.#eog = new Set(runner.info.eogTokens);
  }

  /**
   * Appends what comes next: tokens that the constraint leaves no choice about, or else one that is picked from a row of
   * logits among those the mask allows. Which tokens these are never depends on time or on what is reported.
   */
  next(sequence: Sequence, row: Float32Array, mask: Int32Array | null): Verdict {
    if (sequence.matcher !== undefined && sequence.due.length === 0) {
      const forced = sequence.matcher.forced(this.#tokenize);
      if (forced.length > 0) {
        if (!wantsScores(sequence.group)) return this.#force(sequence, forced);
        sequence.due = [...forced];
      }
    }
    const due = sequence.due.shift();
    const token =
      due === undefined ? this.#sample(sequence, row, mask) : sequence.sampler.score(row, mask, due);
    if (token < 0) return row.every(Number.isNaN) ? NO_NUMBERS : NO_TOKEN;
    const scores = this.#scores(sequence);
    sequence.sampler.accept(token);
    sequence.matcher?.accept([token]);
    sequence.append(token);
    return this.#show(sequence, token, scores);
  }

  /** The token that is picked; negative when none may be. */
  #sample(sequence: Sequence, row: Float32Array, mask: Int32Array | null): number {
    const token = sequence.sampler.sample(row, mask, this.#rules(sequence, mask));
    if (token >= 0 || sequence.matcher?.letGo?.() !== true) return token;
    return sequence.sampler.sample(row, null, this.#rules(sequence, null));
  }

  #rules({ generated, group }: Sequence, mask: Int32Array | null): StepRules {
    const isTooEarly = generated < group.stop.minNewTokens;
    return {
      banEog: isTooEarly || (group.stop.ignoreEos && mask === null),
      bannedTokens: isTooEarly ? group.stop.stopTokens : [],
    };
  }

  /** Appends forced tokens as far as there is room. Nothing is sampled. */
  #force(sequence: Sequence, tokens: readonly number[]): Verdict {
    const room = sequence.maxLength - sequence.length;
    const taken = tokens.slice(0, room);
    sequence.matcher?.accept(taken);
    let verdict = GOES_ON;
    for (const token of taken) {
      sequence.sampler.accept(token);
      sequence.append(token);
      verdict = this.#show(sequence, token, undefined);
      if (verdict.kind !== 'goes-on') break;
    }
    return verdict;
  }

  /** Records the log-probabilities of prompt token `position + 1`, which the row at `position` predicts. */
  scorePrompt(sequence: Sequence, position: number, row: Float32Array): void {
    // A sequence that lost its KV computes its prompt again; what it reported stands.
    if (position !== sequence.group.promptScores.length) return;
    const token = sequence.tokens[position + 1] ?? 0;
    const top = sequence.group.output.promptLogprobs ?? 0;
    const scores = rowLogprobs(row, token, top, this.#workspace);
    sequence.group.promptScores.push(this.#tokenInfo(token, scores));
  }

  /** A prompt token without a score. */
  plainToken(token: number): TokenInfo {
    return this.#tokenInfo(token, undefined);
  }

  #scores(sequence: Sequence): TokenLogprobs | undefined {
    const { output } = sequence.group;
    if (!wantsScores(sequence.group)) return undefined;
    const scores = sequence.sampler.logprobs(output.logprobs ?? 0, output.logprobsOf);
    sequence.output.logprobSum += scores.logprob;
    sequence.output.logprobCount++;
    return scores;
  }

  #show(sequence: Sequence, token: number, scores: TokenLogprobs | undefined): Verdict {
    const { output, group } = sequence;
    // Behind the end of a constraint nothing may come, so there EOS is heard even by who ignores it.
    const isHeard = !group.stop.ignoreEos || sequence.matcher !== undefined;
    const isEnd = this.#eog.has(token) && isHeard;
    const isStopToken = group.stop.stopTokens.includes(token);
    // A token that ends the sequence is no part of its text, unless special tokens are to be shown.
    const isSpecial = isEnd || isStopToken || this.#runner.isControl(token);
    const text = isSpecial ? output.showSpecial(token) : output.show(token);
    if (group.output.tokens || group.output.logprobs !== undefined) {
      output.addToken(this.#reported(token, text, scores, isSpecial));
    }
    if (isEnd) return { kind: 'ends', reason: 'eos' };
    if (isStopToken) return { kind: 'ends', reason: 'stop_sequence' };
    const stopText = output.matched;
    if (stopText !== undefined) return { kind: 'ends', reason: 'stop_sequence', stopText };
    return sequence.length >= sequence.maxLength ? { kind: 'ends', reason: 'length' } : GOES_ON;
  }

  /** A token as reported; its text may be shorter than its bytes where it ends inside a character. */
  #reported(id: number, text: string, scores: TokenLogprobs | undefined, special: boolean): TokenInfo {
    const logprob = scores === undefined ? null : scores.logprob;
    const token = { id, text, logprob, special, ...this.#bytesUnless(text, id) };
    return scores === undefined || scores.top.length === 0
      ? token
      : { ...token, top: this.#alternatives(scores) };
  }

  #tokenInfo(id: number, scores: TokenLogprobs | undefined): TokenInfo {
    if (id < 0) return { id, text: '', logprob: null, special: true };
    return this.#reported(id, decodeText(this.#table.bytes(id)), scores, this.#runner.isControl(id));
  }

  #alternatives(scores: TokenLogprobs): ScoredToken[] {
    return scores.top.map(({ id, logprob }) => {
      const text = decodeText(this.#table.bytes(id));
      return { id, text, logprob, ...this.#bytesUnless(text, id) };
    });
  }

  /** Raw bytes go along only where the text does not hold them: tokens that end inside a character. */
  #bytesUnless(text: string, id: number): { bytes?: readonly number[] } {
    return this.#table.wholeText(id) === text ? {} : { bytes: [...this.#table.bytes(id)] };
  }
}

/** Whether tokens have scores: to be reported, or because the best of several choices is looked for. */
function wantsScores({ output, bestOf }: Group): boolean {
  return output.logprobs !== undefined || bestOf > 1;
}

/** Sends what a sequence has to show, if the request streams or the sequence has ended. */
export function emitPending(outbox: Outbox, group: Group, sequence: Sequence, isEnd: boolean): void {
  const { output, choice } = sequence;
  if (!output.hasPending || !(group.output.stream || isEnd)) return;
  const text = output.takeText();
  if (text !== undefined) outbox.text(group, choice, text);
  else outbox.ofChoice(group, choice, { kind: 'delta', choice, ...output.take() });
}
