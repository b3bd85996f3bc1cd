// What a step computes: the decode token of every running sequence first, then prompt chunks within a budget.
// Plain data in, plain data out. Engine process.

import type { Sequence } from '../sequence.js';
import { type PrefillItem, sharePrefill } from './policies/prefill-share.js';

/** Logits rows of prompt tokens are kept at once only this many at a time. */
const PROMPT_LOGPROB_CHUNK = 32;

/** Tokens of one sequence in a step: positions `from` .. `from + count - 1`. */
export interface PlanEntry {
  readonly sequence: Sequence;
  readonly from: number;
  readonly count: number;
  /** Embedding rows rather than tokens: run in a call of their own. */
  readonly isRows: boolean;
}

/** A step's work, in the order of places. */
export interface StepPlan {
  readonly adapter: string | null;
  readonly entries: readonly PlanEntry[];
  readonly decodes: number;
  readonly prefillTokens: number;
}

export interface PlanLimits {
  /** Most tokens of a step. */
  readonly batchTokens: number;
  /** See `RunnerInfo`. */
  readonly efficientChunk: number;
  /** Whether a prompt of so many tokens is computed in one step whatever runs beside it. */
  readonly isShort: (tokens: number) => boolean;
  /** Prefill tokens a step may carry beside so many decodes, with so many prompts waiting. */
  readonly prefillBudget: (decodes: number, prefilling: number, most: number) => number;
}

/** Plans the next step over running sequences (sorted by place) of one adapter. */
export function planStep(running: readonly Sequence[], adapter: string | null, limits: PlanLimits): StepPlan {
  const chosen = running.filter((sequence) => sequence.group.adapter === adapter);
  const talking = chosen.filter((sequence) => sequence.generated > 0).length;
  const goesOn = (sequence: Sequence): boolean => takesOne(sequence, talking);
  const prefilling = chosen.filter((sequence) => sequence.remaining > 0 && !goesOn(sequence));
  const decodes = chosen.filter(goesOn).length;
  const most = limits.batchTokens - decodes;
  const amounts = new Map<Sequence, number>();
  if (prefilling.length > 0 && most > 0) {
    prefilling.sort((a, b) => a.group.arrival - b.group.arrival || a.choice - b.choice);
    const items: PrefillItem[] = prefilling.map((sequence) => ({
      remaining: sequence.remaining,
      limit: chunkLimit(sequence),
    }));
    // Several prompts: once a step is full enough to be efficient, the older ones had better have their first tokens.
    const enough = Math.max(limits.efficientChunk, items[0]?.remaining ?? 0);
    const cap = items.length > 1 ? Math.min(most, enough) : most;
    const budget = limits.prefillBudget(decodes, items.length, cap);
    const oldest = prefilling[0];
    const whole = oldest !== undefined && limits.isShort(oldest.work) ? Math.min(oldest.remaining, most) : 0;
    const shares = sharePrefill(items, Math.max(budget, whole));
    for (const [i, sequence] of prefilling.entries()) amounts.set(sequence, shares[i] ?? 0);
  }
  const entries: PlanEntry[] = [];
  let prefillTokens = 0;
  for (const sequence of chosen) {
    const isDecode = goesOn(sequence);
    const count = isDecode ? 1 : (amounts.get(sequence) ?? 0);
    if (count === 0) continue;
    if (!isDecode) prefillTokens += count;
    const isRows = sequence.rowSpanAt(sequence.computed) !== undefined;
    entries.push({ sequence, from: sequence.computed, count, isRows });
  }
  return { adapter, entries, decodes, prefillTokens };
}

/**
 * Whether a sequence adds one token to the step: it decodes, or it has a few tokens to catch up with that its constraint
 * forced. Together these would save it as many steps, but cost everybody a second pass, because a step whose sequences
 * have different counts is computed in two.
 */
function takesOne({ generated, remaining }: Sequence, talking: number): boolean {
  // Nothing remains while a constraint is late: the next token is not known yet.
  return generated > 0 && remaining > 0 && remaining <= talking;
}

/** Most tokens of a sequence in one step: up to the next change between tokens and rows. */
function chunkLimit(sequence: Sequence): number {
  const toBorder = sequence.nextBorder(sequence.computed) - sequence.computed;
  const scoresPrompt = sequence.choice === 0 && sequence.group.output.promptLogprobs !== undefined;
  return scoresPrompt ? Math.min(toBorder, PROMPT_LOGPROB_CHUNK) : toBorder;
}

/** The adapter whose turn it is: the one after `last` among those that have running sequences. */
export function nextAdapter(running: readonly Sequence[], last: string | null): string | null {
  const present = [...new Set(running.map((sequence) => sequence.group.adapter))];
  if (present.length === 1) return present[0] ?? null;
  present.sort((a, b) => (a ?? '').localeCompare(b ?? ''));
  return present[(present.indexOf(last) + 1) % present.length] ?? null;
}
