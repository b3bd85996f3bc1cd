// What a step computes: the next token of every running sequence, or chunks of prompts; the two take turns. Plain data
// in, plain data out. Engine process.

import type { Sequence } from '../sequence.js';
import { type PrefillItem, sharePrefill, wholePrompts } from './policies/prefill-share.js';

/** Logits rows of prompt tokens are kept at once only this many at a time. */
const PROMPT_LOGPROB_CHUNK = 32;
/** So much of a queue of prompts is computed in one step, if the batch has room. */
const QUEUE_STEPS = 3;

/** Tokens of one sequence in a step: positions `from` .. `from + count - 1`. */
export interface PlanEntry {
  readonly sequence: Sequence;
  readonly from: number;
  readonly count: number;
  /** Embedding rows rather than tokens: run in a call of their own. */
  readonly isRows: boolean;
}

/** What a step is for. Never both: see docs/decisions/0012. */
export type StepKind = 'decode' | 'prefill';

/** A step's work, in the order of places. */
export interface StepPlan {
  readonly kind: StepKind;
  readonly adapter: string | null;
  readonly entries: readonly PlanEntry[];
  /** Whether there is work of the other kind, which is to have the next step. */
  readonly owesOther: boolean;
}

export interface PlanLimits {
  /** Most prompt tokens of a step. */
  readonly mostPrefill: () => number;
  /** See `RunnerInfo`. */
  readonly efficientChunk: number;
  /** Whether a prompt of so many tokens is computed in one step whatever runs beside it. */
  readonly isShort: (tokens: number) => boolean;
  /** Prefill tokens a step may carry between two of so many decodes, with so many prompts waiting. */
  readonly prefillBudget: (decodes: number, prefilling: number, most: number) => number;
}

/**
 * Plans the next step over running sequences (sorted by place) of one adapter: of the kind whose turn it is, or of the
 * other when there is none of that.
 */
export function planStep(
  running: readonly Sequence[],
  adapter: string | null,
  turn: StepKind,
  limits: PlanLimits,
): StepPlan {
  let talking = 0;
  for (const { group, generated } of running) if (group.adapter === adapter && generated > 0) talking++;
  const decoding: PlanEntry[] = [];
  const prefilling: Sequence[] = [];
  for (const sequence of running) {
    if (sequence.group.adapter !== adapter || sequence.remaining === 0) continue;
    if (takesOne(sequence, talking)) decoding.push(entryOf(sequence, 1));
    else prefilling.push(sequence);
  }
  const owesOther = decoding.length > 0 && prefilling.length > 0;
  if (decoding.length > 0 && (turn === 'decode' || !owesOther)) {
    return { kind: 'decode', adapter, entries: decoding, owesOther };
  }
  const amounts = prefillAmounts(prefilling, decoding.length, limits);
  const entries: PlanEntry[] = [];
  for (const sequence of prefilling) {
    const count = amounts.get(sequence) ?? 0;
    if (count > 0) entries.push(entryOf(sequence, count));
  }
  return { kind: 'prefill', adapter, entries, owesOther };
}

function entryOf(sequence: Sequence, count: number): PlanEntry {
  const from = sequence.computed;
  return { sequence, from, count, isRows: sequence.rowSpanAt(from) !== undefined };
}

/** How many tokens of each prompt a step computes; `decodes` others wait for it meanwhile. */
function prefillAmounts(
  prefilling: readonly Sequence[],
  decodes: number,
  limits: PlanLimits,
): ReadonlyMap<Sequence, number> {
  const most = limits.mostPrefill();
  const byAge = [...prefilling].sort((a, b) => a.group.arrival - b.group.arrival || a.choice - b.choice);
  const oldest = byAge[0];
  if (oldest === undefined || most <= 0) return new Map();
  const items: PrefillItem[] = byAge.map((sequence) => ({
    remaining: sequence.remaining,
    limit: chunkLimit(sequence),
  }));
  // Several prompts: once a step is full enough to be efficient, the older ones had better have their first tokens. Where
  // many wait, full steps bring all of them sooner.
  const waiting = items.reduce((sum, { remaining }) => sum + remaining, 0);
  const enough = Math.max(limits.efficientChunk, waiting / QUEUE_STEPS);
  const cap = items.length > 1 ? wholePrompts(items, enough, most) : most;
  const budget = limits.prefillBudget(decodes, items.length, cap);
  const whole = limits.isShort(oldest.work) ? Math.min(oldest.remaining, most) : 0;
  const shares = sharePrefill(items, Math.max(budget, whole));
  return new Map(byAge.map((sequence, i) => [sequence, shares[i] ?? 0]));
}

/**
 * Whether a sequence has one token in a decode step: it decodes, or it has a few tokens to catch up with that its
 * constraint forced. Together these would save it as many steps, but cost everybody one.
 */
function takesOne(sequence: Sequence, talking: number): boolean {
  const { generated, remaining, computed } = sequence;
  // Embedding rows of its prompt, which it may have to compute again, are no token.
  return generated > 0 && remaining <= talking && sequence.rowSpanAt(computed) === undefined;
}

/** Most tokens of a sequence in one step: up to the next change between tokens and rows. */
function chunkLimit(sequence: Sequence): number {
  const toBorder = sequence.nextBorder(sequence.computed) - sequence.computed;
  const scoresPrompt = sequence.choice === 0 && sequence.group.output.promptLogprobs !== undefined;
  return scoresPrompt ? Math.min(toBorder, PROMPT_LOGPROB_CHUNK) : toBorder;
}

/** The adapter whose turn it is: the one after `last` among those that have running sequences. */
export function nextAdapter(running: readonly Sequence[], last: string | null): string | null {
  const only = running[0]?.group.adapter ?? null;
  if (running.every(({ group }) => group.adapter === only)) return only;
  const present = [...new Set(running.map((sequence) => sequence.group.adapter))];
  present.sort((a, b) => (a ?? '').localeCompare(b ?? ''));
  return present[(present.indexOf(last) + 1) % present.length] ?? null;
}
