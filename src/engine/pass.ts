// One pass of the model over a step's tokens: batch filled, threads and adapter set, time learned from. What comes of
// its logits is decided in step.ts. Engine process.

import type { DecodeOutcome, ModelRunner } from './model-runner.js';
import type { Pad } from './padding.js';
import type { PlanEntry, StepKind } from './scheduler/plan.js';
import type { StepCosts } from './scheduler/policies/step-costs.js';
import type { Sequence } from './sequence.js';
import { stepShape } from './step-shape.js';

/** Any token will do. */
const PAD_TOKEN = 0;

export interface PassParts {
  readonly runner: ModelRunner;
  readonly costs: StepCosts;
  readonly now: () => number;
  /** Threads for the next pass. */
  readonly threads: () => number;
  /** Told after every pass over tokens: shape of the step and its time. */
  readonly onStepTime: (shape: number, ms: number) => void;
}

/** The only caller of the runner's decode. */
export class Pass {
  readonly #parts: PassParts;
  #threads: number;

  constructor(parts: PassParts) {
    this.#parts = parts;
    this.#threads = parts.runner.info.maxThreads;
  }

  /** Computes entries that are tokens, of one adapter. Rows of logits are in the order of places. */
  overTokens(
    kind: StepKind,
    adapter: string | null,
    entries: readonly PlanEntry[],
    pads: readonly Pad[],
  ): DecodeOutcome {
    this.#clear();
    let pad = 0;
    for (const entry of entries) {
      for (; isBefore(pads[pad], entry); pad++) this.#pushPad(pads[pad]);
      this.#push(entry);
    }
    for (; pad < pads.length; pad++) this.#pushPad(pads[pad]);
    return this.#decode(kind, adapter);
  }

  /** Computes a sequence's next token and, behind it, proposed ones: a row of logits after each of them. */
  overDrafts(adapter: string | null, entry: PlanEntry, drafts: Int32Array): DecodeOutcome {
    this.#clear();
    this.#push(entry);
    for (let i = 0; i < drafts.length; i++) {
      this.#put(drafts[i] ?? 0, entry.from + entry.count + i, entry.sequence.place, true);
    }
    return this.#decode('decode', adapter);
  }

  /** Computes embedding rows of one sequence; row 0 of logits if they end what is known of it. */
  overRows(adapter: string | null, { sequence, from, count }: PlanEntry): DecodeOutcome {
    const { runner } = this.#parts;
    const span = sequence.rowSpanAt(from);
    if (span === undefined) throw new Error('there are no rows where the plan has some');
    const width = runner.info.embeddingSize;
    const rows = span.rows.subarray((from - span.from) * width, (from - span.from + count) * width);
    runner.setAdapter(adapter);
    return runner.decodeRows(rows, sequence.place, from, from + count === sequence.length);
  }

  #decode(kind: StepKind, adapter: string | null): DecodeOutcome {
    const { runner, costs, now, onStepTime } = this.#parts;
    runner.setAdapter(adapter);
    const threads = this.#parts.threads();
    if (threads !== this.#threads) runner.setThreads(threads);
    this.#threads = threads;
    const begun = now();
    const outcome = runner.decode();
    const ms = now() - begun;
    if (outcome !== 'ok') return outcome;
    const tokens = runner.batch.length;
    if (kind === 'decode') costs.observeDecode(tokens, ms);
    else costs.observePrefill(tokens, ms);
    onStepTime(stepShape(kind, tokens), ms);
    return outcome;
  }

  #clear(): void {
    this.#parts.runner.batch.length = 0;
  }

  #push(entry: PlanEntry): void {
    const { sequence, from, count } = entry;
    const scoresPrompt = wantsPromptScores(sequence);
    const last = hasRow(entry) ? from + count - 1 : -1;
    for (let position = from; position < from + count; position++) {
      const token = sequence.tokens[position] ?? 0;
      this.#put(token, position, sequence.place, scoresPrompt || position === last);
    }
  }

  #pushPad(pad: Pad | undefined): void {
    if (pad !== undefined) this.#put(PAD_TOKEN, pad.position, pad.place, true);
  }

  #put(token: number, position: number, place: number, wantsLogits: boolean): void {
    const { batch } = this.#parts.runner;
    const at = batch.length++;
    batch.tokens[at] = token;
    batch.positions[at] = position;
    batch.sequences[at] = place;
    batch.wantsLogits[at] = wantsLogits ? 1 : 0;
  }
}

/** Whether a pad's row comes before an entry's. */
export function isBefore(pad: Pad | undefined, { sequence }: PlanEntry): boolean {
  return pad !== undefined && pad.place < sequence.place;
}

/** Rows of logits that an entry takes up in its pass. */
export function rowsOf(entry: PlanEntry): number {
  return wantsPromptScores(entry.sequence) ? entry.count : hasRow(entry) ? 1 : 0;
}

/** Whether every token of the entry has a row, for the log-probabilities of the prompt. */
export function wantsPromptScores({ choice, generated, group }: Sequence): boolean {
  return choice === 0 && generated === 0 && group.output.promptLogprobs !== undefined;
}

/**
 * Whether the entry's last token has logits. They are needed where a token will be picked. Tokens that were forced have
 * them too: CPU kernels take rows by fours, and seven rows cost far more than eight (docs/decisions/0008).
 */
function hasRow({ sequence, from, count }: PlanEntry): boolean {
  return sequence.generated > 0 || from + count === sequence.length;
}
