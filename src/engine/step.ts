// The loop a reader can recite: schedule, run, sample, commit, emit. One call of `step` is one turn; nobody else has
// the model compute a pass. Engine process.

import { KoineError, toFailure } from '../protocol/index.js';
import type { Places } from './cache/places.js';
import { Committer, emitPending, type Verdict } from './commit.js';
import { finishChoice, finishGroup, startGroup } from './events.js';
import type { DecodeOutcome, ModelRunner } from './model-runner.js';
import { Outbox } from './outbox.js';
import { type Pad, Padding } from './padding.js';
import { isBefore, Pass, rowsOf, wantsPromptScores } from './pass.js';
import { type LookupFigures, NO_PROPOSAL, PromptLookup } from './prompt-lookup.js';
import type { SamplerWorkspace } from './sampling/index.js';
import { Admission } from './scheduler/admission.js';
import { Cells } from './scheduler/cells.js';
import { Gaps } from './scheduler/gaps.js';
import {
  nextAdapter,
  type PlanEntry,
  type PlanLimits,
  planStep,
  type StepKind,
  type StepPlan,
} from './scheduler/plan.js';
import { StepCosts } from './scheduler/policies/step-costs.js';
import { WaitingQueue } from './scheduler/queue.js';
import { RunningSet } from './scheduler/running-set.js';
import type { Group, Sequence } from './sequence.js';
import type { TokenTable } from './text/index.js';

export interface StepParts {
  readonly runner: ModelRunner;
  readonly places: Places;
  readonly workspace: SamplerWorkspace;
  readonly table: TokenTable;
  readonly sharesPrefixes: boolean;
  /** Most tokens that prompt lookup proposes in a step; 0 = none. */
  readonly promptLookup: number;
  readonly now: () => number;
  /** Threads for the next decode. */
  readonly threads: () => number;
  /** Told after every decode: shape of the step and its time. */
  readonly onStepTime: (shape: number, ms: number) => void;
}

/** How long a step waits for a constraint to say what is allowed: alone, and with others waiting too. Milliseconds. */
const MASK_WAIT_ALONE_MS = 5;
const MASK_WAIT_MS = 1;

/** All running and waiting sequences of one model, and the turn that advances them. */
export class StepLoop {
  readonly outbox = new Outbox();
  readonly waiting = new WaitingQueue();
  readonly running = new RunningSet();
  readonly hits = { hitTokens: 0, missTokens: 0 };
  steps = 0;
  seated = 0;
  readonly #parts: StepParts;
  readonly #admission: Admission;
  readonly #committer: Committer;
  readonly #costs: StepCosts;
  readonly #limits: PlanLimits;
  readonly #pass: Pass;
  readonly #padding: Padding;
  readonly #gaps: Gaps;
  readonly #cells: Cells;
  readonly #lookup: PromptLookup;
  readonly #groups = new Map<number, Group>();
  #adapter: string | null = null;
  /** Prompts first: who just came is nearest to a token. */
  #turn: StepKind = 'prefill';
  /** Decodes in a row for which the runner had no cells. */
  #refusals = 0;

  constructor(parts: StepParts) {
    this.#parts = parts;
    this.#committer = new Committer(parts.runner, parts.workspace, parts.table);
    this.#costs = new StepCosts(parts.runner.info.maxSequences + parts.promptLookup);
    this.#limits = {
      mostPrefill: () => this.#cells.mostPrefill(),
      efficientChunk: parts.runner.info.efficientChunk,
      isShort: (tokens) => this.#costs.isShort(tokens),
      prefillBudget: (decodes, prefilling, most) => this.#costs.prefillBudget(decodes, prefilling, most),
    };
    this.#pass = new Pass({ ...parts, costs: this.#costs });
    this.#padding = new Padding(parts.runner, parts.places, this.running, this.#costs);
    // What was wrong has to be taken out of the KV again.
    this.#lookup = new PromptLookup(parts.runner.info.canMoveKv ? parts.promptLookup : 0);
    this.#cells = new Cells(parts.runner, parts.places, this.running);
    this.#gaps = new Gaps(parts.runner, parts.places, this.running);
    this.#admission = new Admission({
      runner: parts.runner,
      places: parts.places,
      waiting: this.waiting,
      running: this.running,
      sharesAcrossRequests: parts.sharesPrefixes,
      onSeated: (sequence, reused) => this.#seated(sequence, reused),
    });
  }

  /** Tokens proposed by prompt lookup, and how many were right. */
  get lookupFigures(): LookupFigures {
    return this.#lookup.figures;
  }

  get hasWork(): boolean {
    return this.waiting.length > 0 || this.running.size > 0 || !this.outbox.isEmpty;
  }

  /** Whether a step would compute something. */
  get hasRunning(): boolean {
    return this.running.size > 0;
  }

  /** Requests that are not done. */
  get groups(): number {
    return this.#groups.size;
  }

  /** Takes a request in. It is looked at in the next step. */
  add(group: Group): void {
    this.#groups.set(group.key, group);
    for (const sequence of group.sequences) this.waiting.add(sequence);
  }

  /** Drops a request at once: its places are free before the next step. Unknown keys have ended already. */
  cancel(key: number): void {
    const group = this.#groups.get(key);
    if (group !== undefined) this.#drop(group);
  }

  /**
   * One turn. Afterwards the outbox holds what somebody waits for: first tokens, ends, failures. The text of those that
   * go on stays with them until `showPending`.
   */
  step(): void {
    this.#admission.admit();
    this.#gaps.close();
    if (this.running.size === 0) return;
    this.#pickHeld();
    this.#cells.ensure(() => this.#admission.swapOutYoungest());
    const plan = this.#schedule();
    if (plan.entries.length === 0) return;
    this.steps++;
    // Others would wait for proposed tokens that turn out to be wrong.
    const only = plan.kind === 'decode' && this.running.size === 1 ? plan.entries[0] : undefined;
    if (only === undefined || !this.#runDrafted(only)) this.#runPlan(plan);
  }

  /** Puts into the outbox what running requests have to show. */
  showPending(): void {
    for (const group of this.#groups.values()) this.#showGroup(group);
  }

  #showGroup(group: Group): void {
    if (!group.output.stream) return;
    for (const sequence of group.sequences) emitPending(this.outbox, group, sequence, false);
  }

  #schedule(): StepPlan {
    const running = this.running.all();
    // Each adapter has its prompts' step and its decode step in one visit.
    if (this.#turn === 'prefill') this.#adapter = nextAdapter(running, this.#adapter);
    const plan = planStep(running, this.#adapter, this.#turn, this.#limits);
    this.#turn = plan.kind === 'prefill' && plan.owesOther ? 'decode' : 'prefill';
    return plan;
  }

  #runPlan({ kind, adapter, entries }: StepPlan): void {
    const tokens = kind === 'decode' ? entries : entries.filter((entry) => !entry.isRows);
    if (tokens.length > 0) {
      const pads = kind === 'decode' ? this.#padding.padsFor(tokens) : [];
      const outcome = this.#pass.overTokens(kind, adapter, tokens, pads);
      if (outcome === 'failed') this.#padding.distrust(pads);
      else this.#padding.remove(pads);
      if (this.#went(outcome, tokens)) this.#commitAll(tokens, pads);
    }
    for (const entry of entries) {
      // What ran before it in this step may have ended it or taken its place away.
      if (!entry.isRows || entry.sequence.phase !== 'running') continue;
      if (this.#went(this.#pass.overRows(adapter, entry), [entry])) this.#commitAll([entry], []);
    }
  }

  #commitAll(entries: readonly PlanEntry[], pads: readonly Pad[]): void {
    // Before any is committed: a request that fails gives up all its places, and these hold what was just computed.
    for (const { sequence, count } of entries) sequence.computed += count;
    let row = 0;
    let pad = 0;
    for (const entry of entries) {
      for (; isBefore(pads[pad], entry); pad++) row++;
      const rows = rowsOf(entry);
      // Its request may have failed with another of its choices, earlier in this step.
      if (entry.sequence.phase === 'running') this.#commit(entry, row);
      row += rows;
    }
  }

  /** Whether a pass has been computed; what failed is dealt with. */
  #went(outcome: DecodeOutcome, entries: readonly PlanEntry[]): boolean {
    if (outcome !== 'ok') this.#decodeFailed(entries, outcome);
    else this.#refusals = 0;
    return outcome === 'ok';
  }

  /** Tokens that may come behind the next one of a sequence. */
  #propose(sequence: Sequence): Int32Array {
    if (!isFree(sequence)) return NO_PROPOSAL;
    // One token comes after the last that was right.
    const room = Math.min(sequence.maxLength - sequence.length, this.#cells.mostAlone()) - 1;
    return this.#lookup.propose(sequence, room, (rows) => this.#costs.decodeMs(rows));
  }

  /** The next token, and behind it those proposed ones that would have been picked as well. False: nothing was done. */
  #runDrafted(entry: PlanEntry): boolean {
    const { runner } = this.#parts;
    const { sequence } = entry;
    const drafts = this.#propose(sequence);
    if (drafts.length === 0) return false;
    const outcome = this.#pass.overDrafts(this.#adapter, entry, drafts);
    // For one token there may be a cell.
    if (outcome === 'no-space') return false;
    if (!this.#went(outcome, [entry])) return true;
    for (let row = 0; ; row++) {
      sequence.computed++;
      const verdict = this.#committer.next(sequence, runner.logits(row), null);
      const isRight = row < drafts.length && sequence.tokens[sequence.length - 1] === drafts[row];
      if (isRight && verdict.kind === 'goes-on' && isFree(sequence)) continue;
      this.#lookup.judged(sequence, drafts.length, isRight ? row + 1 : row);
      if (row < drafts.length) runner.removeKv(sequence.place, sequence.computed, -1);
      this.#conclude(sequence, verdict);
      return true;
    }
  }

  /** Takes an entry's result in, whose first row of logits is given. */
  #commit({ sequence, from, count }: PlanEntry, firstRow: number): void {
    const { runner } = this.#parts;
    const scoresPrompt = wantsPromptScores(sequence);
    for (let i = 0; scoresPrompt && i < count; i++) {
      if (from + i + 1 < sequence.promptLength) {
        this.#committer.scorePrompt(sequence, from + i, runner.logits(firstRow + i));
      }
    }
    if (sequence.computed < sequence.length) return;
    if (sequence.generated === 0) this.#promptDone(sequence.group);
    if (sequence.length >= sequence.maxLength) this.#conclude(sequence, { kind: 'ends', reason: 'length' });
    else this.#pick(sequence, runner.logits(firstRow + (scoresPrompt ? count - 1 : 0)), this.#maskWaitMs());
  }

  /** The sequence's next token, unless its constraint is late: then the row is kept and others go on meanwhile. */
  #pick(sequence: Sequence, row: Float32Array, waitMs: number): void {
    try {
      const mask = sequence.matcher === undefined ? null : sequence.matcher.mask(waitMs);
      if (mask === 'pending') {
        sequence.heldRow ??= row.slice();
        return;
      }
      sequence.heldRow = undefined;
      this.#conclude(sequence, this.#committer.next(sequence, row, mask));
    } catch (error) {
      // Only a constraint that was lost throws here; it takes its own request with it and nobody else's.
      if (!(error instanceof KoineError)) throw error;
      this.#fail(sequence.group, error);
    }
  }

  /** Tokens whose constraint was late are picked when it has come. */
  #pickHeld(): void {
    if (this.running.all().every(({ heldRow }) => heldRow === undefined)) return;
    const held = this.running.all().filter(({ heldRow }) => heldRow !== undefined);
    // A mask that is long in coming costs others nothing; where there are no others it is waited for.
    const waitMs = held.length < this.running.size ? 0 : this.#maskWaitMs();
    for (const sequence of held) {
      // Its request may have failed with another of its choices.
      if (sequence.phase === 'running' && sequence.heldRow !== undefined)
        this.#pick(sequence, sequence.heldRow, waitMs);
    }
  }

  #maskWaitMs(): number {
    return this.running.size === 1 ? MASK_WAIT_ALONE_MS : MASK_WAIT_MS;
  }

  #conclude(sequence: Sequence, verdict: Verdict): void {
    const { group } = sequence;
    const isFirst = group.firstTokenMs === 0;
    if (isFirst) group.firstTokenMs = this.#parts.now();
    switch (verdict.kind) {
      case 'goes-on':
        if (isFirst) emitPending(this.outbox, group, sequence, false);
        return;
      case 'ends':
        this.#end(sequence, verdict);
        return;
      case 'fails':
        this.#fail(group, new KoineError(verdict.code, verdict.message));
    }
  }

  #end(sequence: Sequence, verdict: Extract<Verdict, { kind: 'ends' }>): void {
    const { group } = sequence;
    sequence.phase = 'ended';
    sequence.reason = verdict.reason;
    sequence.matcher?.dispose();
    this.running.remove(sequence);
    this.#parts.places.leave(sequence);
    finishChoice(this.outbox, sequence, verdict.stopText);
    if (--group.live > 0) return;
    finishGroup(this.outbox, group, this.#parts.now());
    this.#groups.delete(group.key);
  }

  #fail(group: Group, error: unknown): void {
    this.#showGroup(group);
    this.#drop(group);
    this.outbox.ofGroup(group.key, { kind: 'failed', failure: toFailure(error) });
  }

  #drop(group: Group): void {
    for (const sequence of group.sequences) {
      if (sequence.phase === 'ended') continue;
      if (sequence.phase === 'running') {
        this.running.remove(sequence);
        this.#parts.places.leave(sequence);
      } else this.waiting.remove(sequence);
      sequence.phase = 'ended';
      sequence.swapped = undefined;
      sequence.matcher?.dispose();
    }
    this.#groups.delete(group.key);
  }

  #decodeFailed(entries: readonly PlanEntry[], outcome: Exclude<DecodeOutcome, 'ok'>): void {
    if (outcome === 'no-space' && this.#refusals++ < this.#parts.runner.info.maxSequences) {
      const { places, runner } = this.#parts;
      const { cached } = places.audit().cells;
      places.evictResidents(runner.info.totalCells);
      // There is more room than there was.
      if (cached > 0) return;
      const only = entries.length === 1 && this.running.size === 1 ? entries[0] : undefined;
      if (only === undefined && this.#admission.swapOutYoungest()) return;
      if (only !== undefined && only.sequence.generated > 0) {
        this.#end(only.sequence, { kind: 'ends', reason: 'length' });
        return;
      }
    }
    const groups = new Set(entries.map(({ sequence }) => sequence.group));
    for (const group of groups) {
      for (const sequence of group.sequences) if (sequence.phase === 'running') this.#distrust(sequence);
      this.#fail(group, new KoineError('internal', 'the model could not compute the next token'));
    }
  }

  /** What a failed decode left in the KV is unknown, so nothing of it may be reused. */
  #distrust(sequence: Sequence): void {
    this.running.remove(sequence);
    this.#parts.places.discard(sequence);
    sequence.phase = 'ended';
    sequence.matcher?.dispose();
  }

  #seated(sequence: Sequence, reused: number): void {
    sequence.work = sequence.remaining;
    const { group } = sequence;
    // A sequence that comes back after a swap has been counted.
    if (sequence.wasSeated) return;
    sequence.wasSeated = true;
    this.seated++;
    this.hits.hitTokens += reused;
    this.hits.missTokens += sequence.promptLength - reused;
    if (group.hasStarted) return;
    group.startedMs = this.#parts.now();
    group.cachedTokens = reused;
    if (group.output.promptLogprobs === undefined) startGroup(this.outbox, group, this.#committer);
  }

  #promptDone(group: Group): void {
    if (!group.hasStarted) startGroup(this.outbox, group, this.#committer);
  }
}

/** Whether a sequence follows no rule, or one that allows everything for now: it may change its mind with any token. */
function isFree({ matcher }: Sequence): boolean {
  return matcher === undefined || matcher.isFree === true;
}
