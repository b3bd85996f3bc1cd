// One sequence's sampler: changes the logits (bias, watermark, penalties, DRY, mask), has a token picked, remembers
// what was accepted. The order of changes is TGI's where they overlap:
//   logit bias -> watermark -> repetition, presence, frequency -> DRY -> bans and grammar mask -> pick.ts.
// A swapped-out sequence keeps its object; nothing in it points at a row.

import type { SamplingParams } from '../../protocol/index.js';
import { Dry } from './dry.js';
import { logprobOf, type Softmax, softmaxOf, type TokenLogprobs, topOfList, topOfRow } from './logprobs.js';
import { collectAllowed, countAllowed, isAllowed, maskRow } from './mask.js';
import { Mirostat } from './mirostat.js';
import { hasPenalties, Penalties } from './penalties.js';
import {
  type Chance,
  type Distribution,
  pickGreedy,
  pickMirostat,
  pickSampled,
  type Scores,
  totalOf,
} from './pick.js';
import { Random } from './random.js';
import { addWatermark } from './watermark.js';
import type { Workspace } from './workspace.js';

/** What a sampler needs beside the parameters. */
export interface SamplerOptions {
  readonly workspace: Workspace;
  /** 0 .. 2^64-1; `choiceSeed` derives those of a request's further choices. */
  readonly seed: bigint;
  readonly eogTokens: readonly number[];
  readonly prompt: Int32Array;
  /** A token's bytes; DRY finds its breakers in them. Called only when DRY is on. */
  readonly tokenBytes: (token: number) => Uint8Array;
  /** Whether `logprobs` will be asked for 'raw' values: the row is then copied before it is changed. */
  readonly rawLogprobs: boolean;
}

/** What this step forbids beside the mask. */
export interface StepRules {
  /** No end-of-generation token may be picked (below the minimum of new tokens, or EOS ignored). */
  readonly banEog: boolean;
  readonly bannedTokens: readonly number[];
}

/** A mask that leaves at most one token in this many is read as a list instead of through the row. */
const SPARSE = 4;

const NO_RULES: StepRules = { banEog: false, bannedTokens: [] };
/** A draw that changes nothing: nobody looks at what comes of it. */
const NO_CHANCE: Chance = { next: () => 1 - 2 ** -53 };

/** Sampling state of one sequence. Use: `sample` or `score`, then `logprobs` at will, then `accept`. */
export class SequenceSampler {
  readonly #params: SamplingParams;
  readonly #workspace: Workspace;
  readonly #eogTokens: readonly number[];
  readonly #rawLogprobs: boolean;
  readonly #isGreedy: boolean;
  readonly #biases: readonly (readonly [number, number])[];
  readonly #penalties: Penalties | null;
  readonly #dry: Dry | null;
  readonly #watermarkLut: Float64Array | null;
  readonly #chance: { readonly random: Random; readonly mirostat: Mirostat; probability: number };
  readonly #distribution: Distribution = { listed: false, max: 0, inverse: 1, total: 0 };
  #previous: number;
  /** The token `sample` or `score` gave last; -1 before. */
  #picked = -1;
  #isDrawn = false;

  constructor(params: SamplingParams, options: SamplerOptions) {
    const { workspace, prompt } = options;
    this.#params = params;
    this.#workspace = workspace;
    this.#eogTokens = [...new Set(options.eogTokens)];
    this.#rawLogprobs = options.rawLogprobs;
    this.#isGreedy = !(params.temperature > 0);
    this.#biases = params.logitBias.filter(([token]) => token >= 0 && token < workspace.vocabSize);
    this.#penalties = hasPenalties(params) ? new Penalties(params, prompt) : null;
    const { dry, watermark } = params;
    this.#dry = dry.multiplier > 0 ? new Dry(dry, prompt, options.tokenBytes) : null;
    this.#watermarkLut = watermark === undefined ? null : Float64Array.of(0, watermark.delta);
    this.#chance = {
      random: new Random(options.seed),
      mirostat: new Mirostat(params.mirostat),
      probability: 1,
    };
    this.#previous = prompt.at(-1) ?? 0;
  }

  /**
   * Picks the next token from a row of logits, which is changed in the process. `mask` has one bit per token, set =
   * allowed. Returns -1 when nothing is allowed. A ban of EOG gives way where the mask leaves nothing else.
   */
  sample(row: Float32Array, mask: Int32Array | null, rules: StepRules): number {
    const scores = this.#prepare(row, mask, rules);
    this.#isDrawn = true;
    if (this.#isGreedy) this.#picked = pickGreedy(scores, this.#distribution);
    else if (this.#params.mirostat.mode !== 0) {
      this.#picked = pickMirostat(scores, this.#params, this.#chance, this.#distribution);
    } else this.#picked = pickSampled(scores, this.#params, this.#chance.random, this.#distribution);
    return this.#picked;
  }

  /**
   * Makes `logprobs` speak of a token that has been decided, as if it had been sampled from this row; what is sampled
   * later is the same as without this call. Returns the token.
   */
  score(row: Float32Array, mask: Int32Array | null, token: number): number {
    const scores = this.#prepare(row, mask, NO_RULES);
    this.#isDrawn = false;
    if (this.#isGreedy) pickGreedy(scores, this.#distribution);
    else pickSampled(scores, this.#params, NO_CHANCE, this.#distribution);
    this.#picked = token;
    return token;
  }

  #prepare(row: Float32Array, mask: Int32Array | null, rules: StepRules): Scores {
    const workspace = this.#workspace;
    workspace.owner = this;
    workspace.row = row;
    workspace.rawRow = row;
    if (this.#rawLogprobs && this.#willChange(mask, rules)) {
      workspace.raw.set(row);
      workspace.rawRow = workspace.raw;
    }
    this.#change(row);
    return { row, listed: this.#restrict(row, mask, rules), workspace };
  }

  /** Takes a token into the history: the one `sample` gave, or one that was decided otherwise. */
  accept(token: number): void {
    this.#previous = token;
    this.#penalties?.accept(token);
    this.#dry?.accept(token);
    if (token === this.#picked && this.#isDrawn && !this.#isGreedy && this.#params.mirostat.mode !== 0) {
      this.#chance.mirostat.update(this.#chance.probability);
    }
    this.#picked = -1;
  }

  /**
   * Log-probabilities of the picked token and the n best. 'raw': the model's own distribution, exactly n. 'processed':
   * the one the token was drawn from; all ties at the n-th place, no filtered token. Only between a successful
   * `sample` of this sequence and the next `sample` of any. 'raw' needs the option `rawLogprobs`.
   */
  logprobs(n: number, of: 'raw' | 'processed'): TokenLogprobs {
    const workspace = this.#workspace;
    if (workspace.owner !== this || this.#picked === -1) {
      throw new Error('log-probabilities are gone: another row was sampled, or none');
    }
    const { list } = workspace;
    if (of === 'raw') {
      if (!this.#rawLogprobs) throw new Error('raw log-probabilities need the option rawLogprobs');
      const row = workspace.rawRow;
      const softmax = this.#rawSoftmax(row);
      const top = topOfRow(row, softmax, workspace, { n, ties: false });
      return { logprob: logprobOf(softmax, row[this.#picked]!), top };
    }
    const { row } = workspace;
    const { listed, max, inverse } = this.#distribution;
    const total = totalOf(this.#distribution, { row, listed, workspace });
    const softmax = { max, inverse, logTotal: Math.log(total) };
    const want = { n, ties: true };
    const top = listed ? topOfList(list, softmax, workspace, want) : topOfRow(row, softmax, workspace, want);
    return { logprob: logprobOf(softmax, row[this.#picked]!), top };
  }

  #rawSoftmax(row: Float32Array): Softmax {
    const { listed, max, inverse, total } = this.#distribution;
    const isSame = row === this.#workspace.row && !listed && inverse === 1 && total !== 0;
    return isSame ? { max, inverse, logTotal: Math.log(total) } : softmaxOf(row, this.#workspace);
  }

  #willChange(mask: Int32Array | null, rules: StepRules): boolean {
    return (
      mask !== null ||
      rules.banEog ||
      rules.bannedTokens.length > 0 ||
      this.#biases.length > 0 ||
      this.#watermarkLut !== null ||
      this.#penalties !== null ||
      this.#dry !== null
    );
  }

  #change(row: Float32Array): void {
    for (const [token, bias] of this.#biases) row[token]! += bias;
    if (this.#watermarkLut !== null) {
      addWatermark(row, this.#previous, this.#params.watermark!.gamma, this.#watermarkLut);
    }
    this.#penalties?.apply(row);
    this.#dry?.apply(row, this.#workspace);
  }

  /** Applies bans and mask; true when the allowed tokens are in `workspace.list` and the row is not masked. */
  #restrict(row: Float32Array, mask: Int32Array | null, rules: StepRules): boolean {
    for (const token of rules.bannedTokens) {
      if (token >= 0 && token < row.length) row[token] = Number.NEGATIVE_INFINITY;
    }
    const allowed = mask === null ? row.length : countAllowed(mask, row.length);
    if (rules.banEog) {
      let eogAllowed = 0;
      for (const token of this.#eogTokens) if (mask === null || isAllowed(mask, token)) eogAllowed++;
      if (allowed > eogAllowed) {
        for (const token of this.#eogTokens) {
          if (token >= 0 && token < row.length) row[token] = Number.NEGATIVE_INFINITY;
        }
      }
    }
    if (mask === null) return false;
    if (allowed * SPARSE <= row.length) {
      collectAllowed(row, mask, this.#workspace.list);
      return true;
    }
    maskRow(row, mask);
    return false;
  }
}
